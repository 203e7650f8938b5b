import { quoteName } from '@onceover/base/kernel/escape';
import type { Failure, Position, Problem } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { checkShape, readFrontMatter, readYaml } from '@onceover/repo/config/yaml';
import * as z from 'zod';
import type { ProjectFiles } from '../project-files.ts';
import type { ImportNote } from './types.ts';

/** A valid value from a file of another tool. `place` returns the position in the file of a part of the value. */
export type SourceValue<T> = {
  readonly value: T;
  place(path: readonly PropertyKey[], at?: 'key'): Position;
};

type SourceText = { readonly file: string; readonly name: string; readonly text: string };

/** A YAML string that becomes a prompt. YAML escapes can produce characters that no text file can contain. */
export const promptText = z.string().refine((text) => !/\0|\p{Surrogate}/u.test(text), {
  message: 'has a NUL or half a character in it',
});

/** Reads the files of another tool, and collects notes about problems and about parts that are not imported. */
export type SourceReader = ReturnType<typeof openSourceReader>;

export function openSourceReader(files: ProjectFiles) {
  let failure: Failure | null = null;
  const problems: Problem[] = [];
  const notes: ImportNote[] = [];
  const unknownKeys = new Map<string, Position>();

  /** Returns the text of a file; '' if it is missing. If it cannot be read, `finish` later returns the failure. */
  async function read(file: string): Promise<string> {
    const text = await files.read(file as RepoPath);
    if (!text.ok) failure ??= text.failure;
    return text.ok ? (text.value ?? '') : '';
  }

  function note(at: Position, remark: string, how?: 'once'): void {
    if (how !== 'once' || !notes.some((entry) => entry.said === remark)) notes.push({ at, said: remark });
  }

  function wrong(at: Position, key: string, message: string): void {
    problems.push({ ...at, what: { kind: 'bad-value', key, said: message } });
  }

  /** Parses a value with the schema; null if it does not fit. Adds a note for each unknown key, as `name.key`. */
  function check<T extends z.ZodType>(
    schema: T,
    input: unknown,
    placeInFile: SourceValue<unknown>['place'],
    { name, base = [] }: { readonly name: string; readonly base?: readonly PropertyKey[] },
  ): SourceValue<z.output<T>> | null {
    const checkResult = checkShape(schema, input ?? {}, { place: placeInFile }, base);
    const place: typeof placeInFile = (path, at) => placeInFile([...base, ...path], at);
    if (!checkResult.ok) {
      const { file } = place([]);
      problems.push(...checkResult.problems.map((problem) => ({ ...problem, file })));
      return null;
    }
    for (const path of droppedKeys(input, checkResult.value)) {
      const keys = [name, ...path].filter((key) => typeof key === 'string' && key !== '').join('.');
      if (!unknownKeys.has(keys)) unknownKeys.set(keys, place(path, 'key'));
    }
    return { value: checkResult.value, place };
  }

  return {
    files,
    note,
    wrong,
    read,

    /** Parses a YAML file, or a Markdown file with front matter; returns null if the file is not valid. */
    parse<T extends z.ZodType>({ file, text }: Omit<SourceText, 'name'>, schema: T, name = '') {
      const document = file.endsWith('.md') ? readFrontMatter(text) : { body: '', ...readYaml(text) };
      if (!document.ok) {
        problems.push(...document.problems.map((problem) => ({ ...problem, file })));
        return null;
      }
      const checkResult = check(schema, document.value, (path, at) => ({ file, ...document.yaml.place(path, at) }), {
        name,
      });
      return checkResult && { ...checkResult, body: document.body };
    },

    /** Returns the valid `{ name: settings }` elements of a list. Elements that are only a name are left out. */
    inline<T extends z.ZodType>(
      { place }: SourceValue<unknown>,
      path: readonly PropertyKey[],
      entries: readonly unknown[],
      schema: T,
    ): readonly (SourceValue<z.output<T>> & { readonly name: string })[] {
      return entries.flatMap((entry, i) =>
        Object.entries(isRecord(entry) ? entry : {}).flatMap(([name, settings]) => {
          const checkResult = check(schema, settings, place, { name: String(path.at(-1)), base: [...path, i, name] });
          return checkResult === null ? [] : [{ ...checkResult, name }];
        }),
      );
    },

    /** Returns the files in a folder whose names end with one of `endings`, with their texts. */
    async folder(folder: string, ...endings: readonly string[]): Promise<readonly SourceText[]> {
      const listing = await files.list(folder as RepoPath);
      if (!listing.ok) failure ??= listing.failure;
      const texts: SourceText[] = [];
      for (const ending of endings) {
        for (const fileName of (listing.ok ? listing.value : []).filter((name) => name.endsWith(ending))) {
          const file = `${folder}/${fileName}`;
          texts.push({ file, name: fileName.slice(0, -ending.length), text: await read(file) });
        }
      }
      return texts;
    },

    /** Whether a text can be a prompt. If it is blank, it cannot, and a note is added. */
    isPrompt(text: string, name: string, at: Position): boolean {
      if (text.trim() === '') note(at, `${quoteName(name)} has no text`);
      return text.trim() !== '';
    },

    /** Returns the notes. Fails if a file could not be read or is not valid. */
    finish(): Result<readonly ImportNote[]> {
      if (failure !== null) return err(failure);
      if (problems.length > 0) return err({ kind: 'broken-config', problems });
      const [first] = unknownKeys.values();
      const remark = `onceover has no setting like ${[...unknownKeys.keys()].map(quoteName).join(', ')}`;
      return ok([...notes, ...(first === undefined ? [] : [{ at: first, said: remark }])]);
    },
  };
}

/** Returns the paths of the keys that are in `input` but not in `output`: the schema dropped them as unknown. */
function droppedKeys(input: unknown, output: unknown): readonly (readonly PropertyKey[])[] {
  if (typeof input !== 'object' || input === null || typeof output !== 'object' || output === null) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    const part = Array.isArray(input) ? Number(key) : key;
    const keptValue: unknown = Object.hasOwn(output, key) ? Reflect.get(output, key) : undefined;
    if (keptValue === undefined) return [[part]];
    return droppedKeys(value, keptValue).map((path) => [part, ...path]);
  });
}
