import { type Alias, type Document, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import * as z from 'zod';
import type { ProblemKind } from '../domain/problem.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { keyName } from './key-name.ts';

/** A problem with its place, the file still to be named. */
export type PlacedProblem = { readonly line: number; readonly column: number; readonly what: ProblemKind };

/** A YAML text with the places of everything in it. */
export type YamlFile = {
  readonly document: Document;
  /** Line and column of a value, a key (`at: 'key'`) or, where there is none, of what should hold it. */
  place(path: readonly PropertyKey[], at?: 'key'): { readonly line: number; readonly column: number };
};

const MOST_PROBLEMS = 20;

/** Reads YAML: one document, no duplicate keys, bounded aliases. */
export function readYaml(
  text: string,
):
  | { readonly ok: true; readonly yaml: YamlFile; readonly value: unknown }
  | { readonly ok: false; readonly problems: PlacedProblem[] } {
  const lines = new LineCounter();
  const own = text.replace(/^\ufeff/, '');
  const document = parseDocument(own, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const wrong = [...document.errors, ...document.warnings].slice(0, MOST_PROBLEMS);
  if (wrong.length > 0) {
    const conflict = conflictIn(own);
    if (conflict !== -1) return { ok: false, problems: [{ ...at(conflict), what: { kind: 'merge-conflict' } }] };
    return {
      ok: false,
      problems: wrong.map((error) => ({
        ...at(error.pos[0]),
        what: { kind: 'syntax', said: SAID[error.code]?.(own.slice(error.pos[0])) ?? error.message },
      })),
    };
  }
  const lost = brokenAlias(document);
  if (lost !== null) {
    const { alias, said } = lost;
    return { ok: false, problems: [{ ...at(alias.range?.[0] ?? 0), what: { kind: 'syntax', said } }] };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const place: YamlFile['place'] = (path, kind) => at(offsetOf(document, path, kind));
    return { ok: true, value, yaml: { document, place } };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { ok: false, problems: [{ line: 1, column: 1, what: { kind: 'syntax', said } }] };
  }
}

/** Where git has left a conflict in the text; -1: nowhere. */
function conflictIn(text: string): number {
  const isWhole = /^={7}\r?$/m.test(text) && /^>{7} /m.test(text);
  return isWhole ? text.search(/^<{7} /m) : -1;
}

/** What is wrong, by the parser's code; it is told the text from there on. */
const SAID: Readonly<Record<string, (rest: string) => string>> = {
  MULTIPLE_DOCS: () => 'a second document begins here; one is read',
  DUPLICATE_KEY: (rest) => `the key ${/^[^\s:]*/.exec(rest)?.[0] ?? ''} is there a second time`,
  RESOURCE_EXHAUSTION: () => 'what stands here is nested too deeply to be read',
  BLOCK_IN_FLOW: () => 'inside { } and [ ], a text with ": " in it has to stand in quotes',
};

/** The first alias of nothing, or of what it stands in: that would have no end. */
function brokenAlias(document: Document): { readonly alias: Alias; readonly said: string } | null {
  const anchors = new Map<string, Node>();
  let found: { readonly alias: Alias; readonly said: string } | null = null;
  visit(document, {
    Alias(_, alias, around) {
      const { source } = alias;
      const meant = anchors.get(source);
      if (meant !== undefined && !around.includes(meant)) return undefined;
      const said =
        meant === undefined
          ? `"*${source}" has no anchor "&${source}" before it`
          : `"*${source}" stands inside of what "&${source}" names`;
      found = { alias, said };
      return visit.BREAK;
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return found;
}

function offsetOf(document: Document, path: readonly PropertyKey[], kind?: 'key'): number {
  for (let length = path.length; length > 0; length--) {
    const part = path.slice(0, length);
    if (kind === 'key' || length < path.length) {
      const holder = document.getIn(part.slice(0, -1), true);
      const key = isMap(holder)
        ? holder.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(part.at(-1)))?.key
        : undefined;
      if (isScalar(key) && key.range) return key.range[0];
    }
    const node = document.getIn(part, true) as Node | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** Checks a value against a schema; every problem has its place and is said in our own kinds. */
export function checkShape<T extends z.ZodType>(
  schema: T,
  value: unknown,
  yaml: Pick<YamlFile, 'place'>,
  base: readonly PropertyKey[] = [],
): { readonly ok: true; readonly value: z.output<T> } | { readonly ok: false; readonly problems: PlacedProblem[] } {
  const dropped = droppedKey(value);
  if (dropped !== null) {
    const path = [...base, ...dropped];
    const key = keyName(path, (part) => valueAt(value, part.slice(base.length)));
    const said = 'is a name that cannot be used';
    return { ok: false, problems: [{ ...yaml.place(path, 'key'), what: { kind: 'bad-value', key, said } }] };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const { issues } = parsed.error;
  const told = issues.filter((issue) => !isMisspelt(issue, issues));
  const problems = told.flatMap((issue) => explainIssue(issue, schema, value, yaml, base));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
}

// A schema passes over this key, and what stands under it would be gone without a word.
const DROPPED = '__proto__';

function droppedKey(value: unknown): readonly PropertyKey[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Object.hasOwn(value, DROPPED)) return [DROPPED];
  for (const [key, one] of Object.entries(value)) {
    const below = droppedKey(one);
    if (below !== null) return [Array.isArray(value) ? Number(key) : key, ...below];
  }
  return null;
}

/** Whether what an issue misses is there under a name that is almost its own: that is said once. */
function isMisspelt(issue: z.core.$ZodIssue, all: readonly z.core.$ZodIssue[]): boolean {
  // An issue of what holds the keys tells which of them it misses.
  const misses = issue.code === 'custom' ? issue.params?.['misses'] : undefined;
  const isOfHolder = Array.isArray(misses);
  const holder = JSON.stringify((isOfHolder ? issue.path : issue.path.slice(0, -1)).map(String));
  const names = isOfHolder ? misses.map(String) : [String(issue.path.at(-1))];
  return all.some(
    (one) =>
      one.code === 'unrecognized_keys' &&
      JSON.stringify(one.path.map(String)) === holder &&
      issue.code !== 'unrecognized_keys' &&
      one.keys.some((key) => didYouMean(key, names).includes('did you mean')),
  );
}

function explainIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  value: unknown,
  yaml: Pick<YamlFile, 'place'>,
  base: readonly PropertyKey[],
): PlacedProblem[] {
  const path = [...base, ...issue.path];
  // Of what is around the value nothing is known.
  const known = (part: readonly PropertyKey[]) =>
    part.length < base.length ? undefined : valueAt(value, part.slice(base.length));
  const key = keyName(path, known) || 'the file';
  const outOfRange = (
    bound: 'at least' | 'at most' | 'more than',
    limit: number | bigint,
    origin: string,
  ): PlacedProblem => ({
    ...yaml.place(path),
    what: { kind: 'out-of-range', key, bound, limit: Number(limit), unit: UNITS[origin] ?? null },
  });
  if (issue.code !== 'unrecognized_keys' && issue.path.length > 0 && valueAt(value, issue.path) === undefined) {
    return [{ ...yaml.place(path.slice(0, -1), 'key'), what: { kind: 'missing-key', key } }];
  }
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => ({
        ...yaml.place([...path, name], 'key'),
        what: { kind: 'unknown-key', key: name, known: knownKeys(schema, issue.path) },
      }));
    case 'invalid_type':
      return [
        {
          ...yaml.place(path),
          what: { kind: 'wrong-type', key, expected: typeName(issue, schema) },
        },
      ];
    case 'invalid_value':
      return [{ ...yaml.place(path), what: { kind: 'not-one-of', key, allowed: issue.values.map(String) } }];
    case 'invalid_key':
      return [
        {
          ...yaml.place(path, 'key'),
          what: { kind: 'bad-value', key, said: issue.issues[0]?.message ?? issue.message },
        },
      ];
    case 'too_small':
      return [outOfRange(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin)];
    case 'too_big':
      return [outOfRange('at most', issue.maximum, issue.origin)];
    default:
      return [{ ...yaml.place(path), what: { kind: 'bad-value', key, said: issue.message } }];
  }
}

/** A type in words; of a map inside the file, also the keys that it may have. */
function typeName({ expected, path }: z.core.$ZodIssueInvalidType, schema: z.ZodType): string {
  const keys = expected === 'object' && path.length > 0 ? knownKeys(schema, path) : [];
  if (keys.length > 0) return `a map with ${keys.length === 1 ? 'the key' : 'keys, of these:'} ${keys.join(', ')}`;
  return TYPE_NAMES[expected] ?? expected;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
};

const UNITS: Readonly<Record<string, 'characters' | 'entries'>> = { string: 'characters', array: 'entries' };

/** What is at a path of a value; undefined where nothing is. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const key of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return at;
}

// Only asked for when something is wrong, so the schema may be walked at leisure.
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const key of path) {
    const properties = valueAt(at, ['properties', key]);
    at = properties ?? valueAt(at, ['additionalProperties']) ?? valueAt(at, ['items']);
  }
  const properties = valueAt(at, ['properties']);
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}
