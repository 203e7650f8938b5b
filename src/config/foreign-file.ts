import type { output, ZodType } from 'zod';
import type { ForeignConfig, LeftOver, LeftOverKind } from '../domain/carry-over.ts';
import { isRecord } from '../domain/is-record.ts';
import type { Position, Problem } from '../domain/problem.ts';
import { checkShape, readYaml } from './yaml-file.ts';

/** A file of another tool as it was read; a place is known for everything in it. */
export type ForeignFile<T> = {
  readonly value: T;
  place(path: readonly PropertyKey[], at?: 'key'): Position;
};

/** What a tool says nothing of that others set. */
export const NO_SETTINGS = {
  base: null,
  maxRetries: null,
  rerunNewIssueThreshold: null,
  agents: null,
  models: [],
} as const satisfies Partial<ForeignConfig>;

/** A review of which nothing is said but its text. */
export const PLAIN_REVIEW = { about: null, numReviews: 1, agents: null, timeoutSeconds: null } as const;

/** Collects what is wrong and what is left over, over all files of a tool. */
export type Findings = {
  readonly problems: Problem[];
  readonly left: LeftOver[];
  leave(at: Position, what: LeftOverKind): void;
  wrong(at: Position, key: string, said: string): void;
  /** Settings that nothing here is like, named together. */
  ignore(at: Position, key: string): void;
  /** Everything that is left over, the ignored settings last. */
  allLeft(): readonly LeftOver[];
};

export function openFindings(): Findings {
  const problems: Problem[] = [];
  const left: LeftOver[] = [];
  const ignored = new Map<string, Position>();
  return {
    problems,
    left,
    leave: (at, what) => left.push({ ...at, what }),
    wrong: (at, key, said) => problems.push({ ...at, what: { kind: 'bad-value', key, said } }),
    ignore(at, key) {
      if (!ignored.has(key)) ignored.set(key, at);
    },
    allLeft() {
      const [first] = ignored.values();
      return first === undefined
        ? left
        : [...left, { ...first, what: { kind: 'settings', keys: [...ignored.keys()] } }];
    },
  };
}

/** Reads YAML of another tool; null where something is wrong, which is noted. `shift`: lines of the file before it. */
export function readForeignYaml<T extends ZodType>(
  file: string,
  text: string,
  schema: T,
  findings: Findings,
  shift = 0,
): ForeignFile<output<T>> | null {
  const inFile = ({ line, column }: { line: number; column: number }): Position => ({
    file,
    line: line + shift,
    column,
  });
  const read = readYaml(text);
  const checked = read.ok ? checkShape(schema, read.value ?? {}, read.yaml) : read;
  if (!read.ok || !checked.ok) {
    const problems = 'problems' in checked ? checked.problems : [];
    findings.problems.push(...problems.map(({ what, ...place }) => ({ ...inFile(place), what })));
    return null;
  }
  return { value: checked.value, place: (path, at) => inFile(read.yaml.place(path, at)) };
}

/** Notes every key of a map that is not among those that are carried over. */
export function ignoreOthers(
  found: ForeignFile<unknown>,
  at: readonly PropertyKey[],
  value: unknown,
  carried: readonly string[],
  findings: Findings,
  name = at.map(String).join('.'),
): void {
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    if (carried.includes(key)) continue;
    findings.ignore(found.place([...at, key], 'key'), name === '' ? key : `${name}.${key}`);
  }
}

const LONGEST_PROMPT = 1024 * 1024;

/** Whether a text can be written to a file and read again as it is; what cannot is noted. */
export function isWritable(text: string, at: Position, key: string, findings: Findings): boolean {
  const said = text.includes('\0')
    ? 'has a NUL character in it'
    : /\p{Surrogate}/u.test(text)
      ? 'has half a character in it'
      : Buffer.byteLength(text) > LONGEST_PROMPT
        ? 'is larger than 1 MiB'
        : null;
  if (said !== null) findings.wrong(at, key, said);
  return said === null;
}

/** Seconds as the settings take them; what makes no sense is left out. */
export function secondsOf(given: number | undefined): number | null {
  return given === undefined || !(given > 0) ? null : Math.min(86_400, Math.max(1, Math.ceil(given)));
}
