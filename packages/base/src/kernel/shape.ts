import { isRecord } from './json.ts';

type Check = (value: unknown) => boolean;

type Fields = Readonly<Record<string, unknown>>;

/** A check of a value at run time that also determines the value's type for the compiler. */
export type Guard<T> = (value: unknown) => value is T;

/** The TypeScript type of a JSON document whose fields pass the checks in `S`. */
export type Shaped<S> = {
  readonly [Key in keyof S as undefined extends Guarded<S[Key]> ? never : Key]: Guarded<S[Key]>;
} & { readonly [Key in keyof S as undefined extends Guarded<S[Key]> ? Key : never]?: Guarded<S[Key]> };

type Guarded<Check> = Check extends Guard<infer T> ? T : never;

/** One check per field of a JSON document. The order of the checks is the order in which onceover writes the fields. */
export type Shape<T> = { readonly [Key in keyof T]-?: Check };

/** Returns the JSON document without unknown fields; `null` if a field is missing or invalid. */
export function readShape<T>(value: unknown, shape: Shape<T>): T | null {
  if (!isRecord(value)) return null;
  const fields = pick(value, shape);
  return fits<T>(fields, shape) ? fields : null;
}

/** Returns the document with only the fields that have a check in the shape, and in that order. */
export function withKeyOrder<T extends object>(document: T, shape: Shape<T>): Fields {
  return pick(document, shape);
}

/** Whether the document has at least one field that has a check in the shape. */
export function hasAnyOf<T>(fields: Fields, shape: Shape<T>): boolean {
  return Object.keys(shape).some((key) => Object.hasOwn(fields, key));
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}

/** Whether a value is an integer of at least 1, such as a line number. */
export function isOrdinal(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

/** Whether a value is an integer of at least 0. */
export function isCount(value: unknown): value is number {
  return value === 0 || isOrdinal(value);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** Whether a value is a UTC time such as `2026-01-31T12:00:00.000Z`. */
export function isTime(value: unknown): value is string {
  const isFormatted = isString(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value);
  return isFormatted && !Number.isNaN(Date.parse(value));
}

/** Whether a value is a finite number of at least 0, such as tokens, money or milliseconds. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Tokens and cost of a call. `inputTokens` counts only the input that the provider did not read from its cache. */
export const USAGE = {
  inputTokens: isAmount,
  cachedInputTokens: isAmount,
  cacheWriteTokens: isAmount,
  outputTokens: isAmount,
  costUsd: orNull(isAmount),
};

export function isOneOf<T extends string>(words: readonly T[]): Guard<T> {
  return (value): value is T => words.some((word) => word === value);
}

export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

export function orNull<T>(check: Guard<T>): Guard<T | null>;
export function orNull(check: Check): Check;
export function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

/**
 * Returns a check that also accepts a missing field, because documents written by an older version may not have the
 * field.
 */
export function orMissing<T>(check: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

export function hasShape<T>(shape: Shape<T>): Guard<T> {
  return (value): value is T => isRecord(value) && fits<T>(value, shape);
}

export function listOf<T>(shape: Shape<T>): Guard<readonly T[]> {
  const isOne = hasShape(shape);
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isOne);
}

function pick<T>(document: object, shape: Shape<T>): Fields {
  const fields = new Map<string, unknown>(Object.entries(document));
  return Object.fromEntries(Object.keys(shape).map((key) => [key, fields.get(key)]));
}

function fits<T>(fields: Fields, shape: Shape<T>): fields is Fields & T {
  return Object.entries<Check>(shape).every(([key, check]) => check(fields[key]));
}

/** The assumption about the provider's cache that led to a new or a resumed session. */
export const CACHE_NOTE = {
  /** The model whose caching rules apply; `null` if unknown. */
  model: orNull(isString),
  /** The cache lifetime that the last call of the session had requested. */
  ttl: isOneOf(['5m', '1h']),
  /** Milliseconds since the last call of the session. */
  idleMs: isAmount,
  /**
   * The assumed lifetime of the cache; `lifeFrom` says whether it was measured or comes from the table of caching
   * rules.
   */
  lifeMinutes: isAmount,
  lifeFrom: isOneOf(['table', 'measured']),
  /**
   * Whether the provider still had the session in its cache; `null` if the session was not resumed or the usage does
   * not show it.
   */
  hit: orNull(isBoolean),
  /**
   * The estimated cost of a new and of a resumed session, in tokens weighted by price; `null` if the cache had not
   * expired.
   */
  estimate: orNull(
    hasShape<{ readonly fresh: number; readonly resumed: number }>({ fresh: isAmount, resumed: isAmount }),
  ),
};
