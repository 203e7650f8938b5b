import type { PlacedProblem } from '@onceover/base/kernel/failure';
import { didYouMean } from '@onceover/base/ui/wording';
import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import * as z from 'zod';

/** Returns the path of a value as shown to the user, with list items counted from 1: `gates #2: checks.lint`. */
export function keyName(path: readonly PropertyKey[]): string {
  let name = '';
  for (const [i, part] of path.entries()) {
    if (typeof part === 'number') name += ` #${part + 1}`;
    else name += `${i === 0 ? '' : typeof path[i - 1] === 'number' ? ': ' : '.'}${String(part)}`;
  }
  return name.trimStart();
}

/** A parsed YAML document, with the position of every value. */
export type YamlFile = {
  readonly document: Document;
  /**
   * Returns the position of a value or, with 'key', of its key. For a missing value, returns that of the nearest object
   * that contains it.
   */
  place(path: readonly PropertyKey[], at?: 'key'): { readonly line: number; readonly column: number };
};

/** A valid result, or the problems of an invalid file. */
export type Checked<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problems: PlacedProblem[] };

type ParsedYaml = { readonly yaml: YamlFile; readonly value: unknown };

const MOST_PROBLEMS = 20;

/** Parses a text that contains one YAML document. Duplicate keys are errors, and the number of aliases is limited. */
export function readYaml(text: string): Checked<ParsedYaml> {
  const lines = new LineCounter();
  const source = text.replace(/^\ufeff/, '');
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = (offset: number, message: string): PlacedProblem => ({
    ...at(offset),
    what: { kind: 'syntax', said: message },
  });
  const wrong = [...document.errors, ...document.warnings].slice(0, MOST_PROBLEMS);
  if (wrong.length > 0) {
    const conflict = conflictIn(source);
    if (conflict !== -1) return { ok: false, problems: [{ ...at(conflict), what: { kind: 'merge-conflict' } }] };
    const messageOf = ({ code, pos, message }: (typeof wrong)[number]) => SAID[code]?.(source.slice(pos[0])) ?? message;
    return { ok: false, problems: wrong.map((error) => syntax(error.pos[0], messageOf(error))) };
  }
  const alias = brokenAlias(document);
  if (alias !== null) return { ok: false, problems: [syntax(alias.offset, alias.said)] };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { ok: true, value, yaml: { document, place: (path, kind) => at(offsetOf(document, path, kind)) } };
  } catch (error) {
    return { ok: false, problems: [syntax(0, error instanceof Error ? error.message : String(error))] };
  }
}

/** Returns the position of the first conflict marker that a git merge left in the text; -1 if there is none. */
function conflictIn(text: string): number {
  const isWhole = /^={7}\r?$/m.test(text) && /^>{7} /m.test(text);
  return isWhole ? text.search(/^<{7} /m) : -1;
}

/** Clearer messages for some error codes of the YAML parser. `tail` is the text of the file from the error on. */
const SAID: Readonly<Record<string, (tail: string) => string>> = {
  MULTIPLE_DOCS: () => 'a second document begins here; the file may contain only one',
  DUPLICATE_KEY: (tail) => `the key ${/^[^\s:]*/.exec(tail)?.[0] ?? ''} is a duplicate`,
  RESOURCE_EXHAUSTION: () => 'the value here is nested too deeply',
  BLOCK_IN_FLOW: () => 'inside { } and [ ], quote a text that contains ": "',
};

/** Returns the first alias that refers to no anchor, or that is inside its own anchor and would repeat forever. */
function brokenAlias(document: Document): { readonly offset: number; readonly said: string } | null {
  const anchors = new Map<string, Node>();
  let problem: { readonly offset: number; readonly said: string } | null = null;
  visit(document, {
    Alias(_, { source, range }, around) {
      const target = anchors.get(source);
      if (target !== undefined && !around.includes(target)) return undefined;
      const why = target === undefined ? `has no anchor "&${source}" before it` : 'is inside of its own anchor';
      problem = { offset: range?.[0] ?? 0, said: `"*${source}" ${why}` };
      return visit.BREAK;
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return problem;
}

function offsetOf(document: Document, path: readonly PropertyKey[], kind?: 'key'): number {
  for (let length = path.length; length > 0; length--) {
    const part = path.slice(0, length);
    if (kind === 'key' || length < path.length) {
      const parent = document.getIn(part.slice(0, -1), true);
      const key = isMap(parent)
        ? parent.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(part.at(-1)))?.key
        : undefined;
      if (isScalar(key) && key.range) return key.range[0];
    }
    const node = document.getIn(part, true) as Node | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** Checks a value against a schema. Every problem that it returns has a position in the file and a kind. */
export function checkShape<T extends z.ZodType>(
  schema: T,
  value: unknown,
  yaml: Pick<YamlFile, 'place'>,
  base: readonly PropertyKey[] = [],
): Checked<{ readonly value: z.output<T> }> {
  const droppedPath = droppedKey(value);
  if (droppedPath !== null) {
    const path = [...base, ...droppedPath];
    const detail = { kind: 'bad-value', key: keyName(path), said: 'is not an allowed name' } as const;
    return { ok: false, problems: [{ ...yaml.place(path, 'key'), what: detail }] };
  }
  const parseResult = schema.safeParse(value);
  if (parseResult.success) return { ok: true, value: parseResult.data };
  const { issues } = parseResult.error;
  const reportedIssues = issues.filter((issue) => !isMisspelt(issue, issues));
  const problems = reportedIssues.flatMap((issue) => explainIssue(issue, schema, value, yaml, base));
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
}

// zod drops this key, and every gate below it, without an error. So `checkShape` rejects the key.
const DROPPED = '__proto__';

function droppedKey(value: unknown): readonly PropertyKey[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Object.hasOwn(value, DROPPED)) return [DROPPED];
  for (const [key, child] of Object.entries(value)) {
    const below = droppedKey(child);
    if (below !== null) return [Array.isArray(value) ? Number(key) : key, ...below];
  }
  return null;
}

/**
 * Whether `issue` reports a missing key that is not really missing but misspelt. The user then sees only the issue
 * about the misspelt key.
 */
function isMisspelt(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[]): boolean {
  // A custom issue about an object lists the missing keys in `params.misses`.
  const misses = issue.code === 'custom' ? issue.params?.['misses'] : undefined;
  const isOnParent = Array.isArray(misses);
  const parent = JSON.stringify((isOnParent ? issue.path : issue.path.slice(0, -1)).map(String));
  const names = isOnParent ? misses.map(String) : [String(issue.path.at(-1))];
  return issues.some(
    (candidate) =>
      candidate.code === 'unrecognized_keys' &&
      JSON.stringify(candidate.path.map(String)) === parent &&
      issue.code !== 'unrecognized_keys' &&
      candidate.keys.some((key) => didYouMean(key, names).includes('did you mean')),
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
  const key = keyName(path) || 'the file';
  const problem = (detail: PlacedProblem['what']): PlacedProblem[] => [{ ...yaml.place(path), what: detail }];
  const outOfRange = (boundKind: 'at least' | 'at most' | 'more than', limit: number | bigint, origin: string) =>
    problem({ kind: 'out-of-range', key, bound: boundKind, limit: Number(limit), unit: UNITS[origin] ?? null });
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
      return problem({ kind: 'wrong-type', key, expected: typeName(issue, schema) });
    case 'invalid_value':
      return problem({ kind: 'not-one-of', key, allowed: issue.values.map(String) });
    case 'invalid_key': {
      const message = issue.issues[0]?.message ?? issue.message;
      return [{ ...yaml.place(path, 'key'), what: { kind: 'bad-value', key, said: message } }];
    }
    case 'too_small':
      return outOfRange(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin);
    case 'too_big':
      return outOfRange('at most', issue.maximum, issue.origin);
    default: {
      // A custom issue about a glob contains the glob in its parameters.
      const glob: unknown = issue.code === 'custom' ? issue.params?.['glob'] : undefined;
      const message = issue.message;
      return problem(
        typeof glob === 'string'
          ? { kind: 'bad-glob', glob, said: message }
          : { kind: 'bad-value', key, said: message },
      );
    }
  }
}

/** Describes the expected type. For a map inside the file, the text lists the allowed keys. */
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

/** Returns the value at a path inside `value`; `undefined` if there is none. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const key of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return at;
}

/** Returns the keys that the schema allows at a path. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const key of path) {
    const properties = valueAt(at, ['properties', key]);
    at = properties ?? valueAt(at, ['additionalProperties']) ?? valueAt(at, ['items']);
  }
  const properties = valueAt(at, ['properties']);
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

const FENCE = /^---[ \t]*\r?\n?$/;

/** Parses the YAML front matter of a Markdown file, which may be missing. Positions are relative to the whole file. */
export function readFrontMatter(
  text: string,
): Checked<ParsedYaml & { readonly body: string; readonly bodyLine: number }> {
  const lines = text.replace(/^\ufeff/, '').split(/(?<=\n)/);
  const end = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, i) => i > 0 && FENCE.test(line)) : 0;
  if (end === -1) {
    const message = 'the front matter that begins here has no closing "---"';
    return { ok: false, problems: [{ line: 1, column: 1, what: { kind: 'syntax', said: message } }] };
  }
  // Replace the first "---" by an empty line, so that the line numbers stay the same.
  const frontMatter = readYaml(`\n${lines.slice(1, end).join('')}`);
  const start = end === 0 ? 0 : end + 1;
  return frontMatter.ok ? { ...frontMatter, body: lines.slice(start).join(''), bodyLine: start + 1 } : frontMatter;
}
