import * as z from 'zod';
import { checkShape, keyName, readYaml, splitFrontMatter } from '../../config/yaml.ts';
import type { PlacedProblem, Position, Problem } from '../../kernel/failure.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { isRecord } from '../../kernel/json.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ProjectFiles } from '../types.ts';
import type { ImportTool, NotImported, NotImportedKind, SourceConfig, SourceReview } from './types.ts';

/** The checked content of a file of another tool, with the position of everything in it. */
export type SourceFile<T> = {
  readonly value: T;
  place(path: readonly PropertyKey[], at?: 'key'): Position;
};

/** A Markdown file of another tool: its checked front matter, and its text byte for byte. */
export type SourceMarkdown<T> = SourceFile<T> & { readonly body: string; readonly top: Position };

type NamedText = { readonly file: string; readonly name: string; readonly text: string };

/** Returns a review that has nothing but a text. */
export function plainReview(
  at: Position,
  name: string,
  text: string | null,
  about: string | null = null,
): SourceReview {
  return { at, name, text, about, numReviews: 1, agents: null, timeoutSeconds: null };
}

const LONGEST_PROMPT = 1024 * 1024;

/** Reads the files of another tool, and collects the problems and the parts that are not imported. */
export type SourceReader = ReturnType<typeof openSourceReader>;

export function openSourceReader(files: ProjectFiles) {
  const problems: Problem[] = [];
  const left: NotImported[] = [];
  const unknownKeys = new Map<string, Position>();

  function wrong(at: Position, key: string, said: string): void {
    problems.push({ ...at, what: { kind: 'bad-value', key, said } });
  }

  function noteUnknownKey(at: Position, key: string): void {
    if (!unknownKeys.has(key)) unknownKeys.set(key, at);
  }

  /** Notes the keys that the schema does not name, those of one level before those below it. */
  function noteUnknownKeys(
    schema: z.core.$ZodType,
    value: unknown,
    place: SourceFile<unknown>['place'],
    path: readonly PropertyKey[],
    name: string,
  ): void {
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
      noteUnknownKeys(schema.unwrap(), value, place, path, name);
    } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
      for (const [i, one] of value.entries()) noteUnknownKeys(schema.element, one, place, [...path, i], name);
    } else if (schema instanceof z.ZodRecord && isRecord(value)) {
      for (const [key, one] of Object.entries(value)) {
        noteUnknownKeys(schema.valueType, one, place, [...path, key], name);
      }
    } else if (schema instanceof z.ZodObject && isRecord(value)) {
      const named = (key: string) => (name === '' ? key : `${name}.${key}`);
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(schema.shape, key)) noteUnknownKey(place([...path, key], 'key'), named(key));
      }
      for (const [key, child] of Object.entries(schema.shape)) {
        noteUnknownKeys(child, value[key], place, [...path, key], named(key));
      }
    }
  }

  /** Parses YAML; returns null if something is wrong. `shift` is the number of lines before the YAML in the file. */
  function yaml<T extends z.ZodType>(
    { file, text }: Pick<NamedText, 'file' | 'text'>,
    schema: T,
    name = '',
    shift = 0,
  ): SourceFile<z.output<T>> | null {
    const inFile = ({ line, column }: Pick<PlacedProblem, 'line' | 'column'>): Position => ({
      file,
      line: line + shift,
      column,
    });
    const read = readYaml(text);
    const checked = read.ok ? checkShape(schema, read.value ?? {}, read.yaml) : read;
    if (!read.ok || !checked.ok) {
      const found = 'problems' in checked ? checked.problems : [];
      problems.push(...found.map(({ what, ...at }) => ({ ...inFile(at), what })));
      return null;
    }
    const place: SourceFile<unknown>['place'] = (path, at) => inFile(read.yaml.place(path, at));
    noteUnknownKeys(schema, checked.value, place, [], name);
    return { value: checked.value, place };
  }

  /** Whether a text can be written to a file and read again unchanged. */
  function isWritable(text: string, at: Position, key: string): boolean {
    const said = text.includes('\0')
      ? 'has a NUL character in it'
      : /\p{Surrogate}/u.test(text)
        ? 'has half a character in it'
        : Buffer.byteLength(text) > LONGEST_PROMPT
          ? 'is larger than 1 MiB'
          : null;
    if (said !== null) wrong(at, key, said);
    return said === null;
  }

  return {
    files,
    left,
    leave: (at: Position, what: NotImportedKind) => void left.push({ ...at, what }),
    wrong,
    noteUnknownKey,
    yaml,
    isWritable,

    /** Parses Markdown with front matter; returns null if something is wrong. */
    markdown<T extends z.ZodType>(given: NamedText, schema: T, name = ''): SourceMarkdown<z.output<T>> | null {
      const { file, text } = given;
      const split = splitFrontMatter(text);
      if (!split.ok) {
        problems.push({ file, ...split.problem });
        return null;
      }
      const found = yaml({ file, text: split.yaml }, schema, name, split.shift);
      const top: Position = { file, line: 1, column: 1 };
      const body = fromLine(text, split.bodyLine);
      return found === null || !isWritable(body, top, 'the file') ? null : { ...found, body, top };
    },

    /** Checks an entry `{ name: value }` of a list; returns null if something is wrong. */
    namedEntry<T extends z.ZodType>(
      { place }: SourceFile<unknown>,
      at: readonly PropertyKey[],
      given: Readonly<Record<string, unknown>>,
      schema: T,
      name: string,
    ): { readonly name: string; readonly at: readonly PropertyKey[]; readonly value: z.output<T> } | null {
      const [key, ...more] = Object.keys(given);
      if (key === undefined || more.length > 0) {
        wrong(place(at), keyName(at), 'must be a name, or one name with its settings');
        return null;
      }
      const path = [...at, key];
      const checked = checkShape(schema, given[key] ?? {}, { place }, path);
      if (!checked.ok) {
        problems.push(...checked.problems.map((problem) => ({ file: place(path).file, ...problem })));
        return null;
      }
      noteUnknownKeys(schema, checked.value, place, path, name);
      return { name: key, at: path, value: checked.value };
    },

    /** Reads the files of a folder whose names have this ending. */
    async folder(folder: string, ending: string): Promise<Result<readonly NamedText[]>> {
      const listed = await files.list(folder as RepoPath);
      if (!listed.ok) return listed;
      const texts: NamedText[] = [];
      for (const file of listed.value.filter((one) => one.endsWith(ending))) {
        const read = await files.read(`${folder}/${file}` as RepoPath);
        if (!read.ok) return read;
        texts.push({ file: `${folder}/${file}`, name: file.slice(0, -ending.length), text: read.value ?? '' });
      }
      return ok(texts);
    },

    /** Returns the imported configuration, or all problems if there are any. */
    finish(
      tool: ImportTool,
      source: string,
      found: Pick<SourceConfig, 'entries' | 'spare'> & Partial<SourceConfig>,
    ): Result<SourceConfig> {
      if (problems.length > 0) return err({ kind: 'broken-config', problems });
      const [first] = unknownKeys.values();
      const keys = [...unknownKeys.keys()];
      const all = first === undefined ? left : [...left, { ...first, what: { kind: 'settings', keys } } as const];
      return ok({ ...NO_SETTINGS, ...found, tool, source, left: all });
    },
  };
}

const NO_SETTINGS = { base: null, maxRetries: null, rerunNewIssueThreshold: null, agents: null, models: [] } as const;

/** Returns the text from a line on, with its line breaks unchanged. */
function fromLine(text: string, line: number): string {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (let rest = line - 1; rest > 0; rest--) {
    const end = text.indexOf('\n', at);
    if (end === -1) return '';
    at = end + 1;
  }
  return text.slice(at);
}
