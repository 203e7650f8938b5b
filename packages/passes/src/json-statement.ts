import { filesDigest } from '@onceover/base/kernel/ids';
import { duplicateKey, isRecord } from '@onceover/base/kernel/json';
import { repoPath } from '@onceover/base/kernel/paths';
import { isWholeSubject, type ReviewSubject } from '@onceover/base/kernel/review-subject';
import {
  type Guard,
  hasShape,
  isAmount,
  isOneOf,
  isOrdinal,
  isString,
  orNull,
  readShape,
  type Shape,
  type Shaped,
  USAGE,
  withKeyOrder,
} from '@onceover/base/kernel/shape';
import {
  LARGEST_STATEMENT,
  OLDER_PASS_TYPE,
  type PassFile,
  type PassStatement,
  PREDICATE_TYPES,
  STATEMENT_TYPE,
  type TravellingStatement,
  type WaiverStatement,
} from './types.ts';

/** The reason why onceover cannot use the bytes of a pass or waiver file. */
export type StatementProblem =
  | 'too-large'
  | 'not-utf8'
  | 'not-json'
  | 'duplicate-key'
  /** The JSON document is not an in-toto Statement v1 about one subject. */
  | 'not-a-statement'
  /** The document is neither a pass nor a waiver, or has a version that this onceover does not know. */
  | 'unknown-kind'
  | 'unknown-field'
  | 'missing-field'
  | 'wrong-value'
  /** The subject differs from what the other fields describe, or the content digest does not match the listed files. */
  | 'subject-differs';

/** The problem and the field that has it; `null` if the problem is not in a single field. */
export type UnusableStatement = {
  readonly ok: false;
  readonly why: StatementProblem;
  readonly field: string | null;
};

export type ReadStatement = { readonly ok: true; readonly statement: TravellingStatement } | UnusableStatement;

/**
 * Returns the key under which a signed file is stored: for a pass, the content of the gate; for a waiver, the identity
 * of the finding.
 */
export function statementKey(statement: TravellingStatement): string {
  return statement.kind === 'pass' ? statement.content : statement.finding;
}

/**
 * Returns a pass or waiver as bytes: an in-toto Statement v1 in one line of JSON, with fields in a fixed order. Fails
 * if `readStatement` would refuse the bytes, for example because they are too long.
 */
export function writeStatement(
  statement: TravellingStatement,
): { readonly ok: true; readonly bytes: Buffer } | UnusableStatement {
  const document = {
    _type: STATEMENT_TYPE,
    subject: [{ name: subjectName(statement), digest: { sha256: statementKey(statement) } }],
    predicateType: predicateType(statement),
    predicate: renameKeys(statement.kind === 'pass' ? passFields(statement) : withKeyOrder(statement, WAIVER), toSnake),
  };
  const bytes = Buffer.from(`${JSON.stringify(document)}\n`);
  const result = readStatement(bytes);
  return result.ok ? { ok: true, bytes } : result;
}

function predicateType(statement: TravellingStatement): string {
  const isOlder = statement.kind === 'pass' && !isWholeSubject(statement);
  return isOlder ? OLDER_PASS_TYPE : PREDICATE_TYPES[statement.kind];
}

function passFields(statement: PassStatement) {
  return {
    ...(isWholeSubject(statement) ? withKeyOrder(statement, PASS) : withKeyOrder(statement, OLDER_PASS)),
    files: statement.files.map((file) => withKeyOrder(file, FILE)),
    usage: statement.usage === null ? null : withKeyOrder(statement.usage, USAGE),
  };
}

function subjectName(statement: TravellingStatement): string {
  return statement.kind === 'pass' ? `${statement.gate}@${statement.slot}` : statement.gate;
}

/**
 * Parses a pass or waiver file. Apart from white space, the bytes must be exactly as `writeStatement` writes them; all
 * else is refused.
 */
export function readStatement(bytes: Uint8Array): ReadStatement {
  if (bytes.length > LARGEST_STATEMENT) return unusable('too-large');
  const text = decode(bytes);
  if (text === null) return unusable('not-utf8');
  const value = parse(text);
  if (value === undefined) return unusable('not-json');
  const twice = duplicateKey(text);
  if (twice !== null) return unusable('duplicate-key', twice);
  return readDocument(value);
}

function unusable(why: StatementProblem, field: string | null = null): UnusableStatement {
  return { ok: false, why, field };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type PredicateOf<S> = Omit<S, 'kind'>;

const isSubject = exactly({ name: isString, digest: exactly({ sha256: isDigest }) });

const ENVELOPE = { _type: isString, subject: isSubjects, predicateType: isString, predicate: isRecord };

function isSubjects(
  value: unknown,
): value is readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }] {
  return Array.isArray(value) && value.length === 1 && value.every(isSubject);
}

function readDocument(value: unknown): ReadStatement {
  if (!isRecord(value) || value['_type'] !== STATEMENT_TYPE) return unusable('not-a-statement');
  const envelope = readExactly<Shaped<typeof ENVELOPE>>(value, ENVELOPE);
  if (!envelope.ok) return envelope;
  const { subject, predicateType, predicate } = envelope.value;
  const result =
    predicateType === PREDICATE_TYPES.pass
      ? readPass(predicate, PASS)
      : predicateType === OLDER_PASS_TYPE
        ? readPass(predicate, OLDER_PASS)
        : predicateType === PREDICATE_TYPES.waiver
          ? readWaiver(predicate)
          : unusable('unknown-kind');
  if (!result.ok) return result;
  const { statement } = result;
  const isAbout = subject[0].name === subjectName(statement) && subject[0].digest.sha256 === statementKey(statement);
  if (!isAbout) return unusable('subject-differs', 'subject');
  if (statement.kind === 'pass' && filesDigest(statement.files) !== statement.content) {
    return unusable('subject-differs', 'files');
  }
  return result;
}

function readPass<T extends OlderPass>(predicate: unknown, shape: Shape<T>): ReadStatement {
  const result = readPredicate(predicate, shape);
  return result.ok ? { ok: true, statement: { kind: 'pass', ...result.value } } : result;
}

function readWaiver(predicate: unknown): ReadStatement {
  const result = readPredicate<PredicateOf<WaiverStatement>>(predicate, WAIVER);
  return result.ok ? { ok: true, statement: { kind: 'waiver', ...result.value } } : result;
}

type Read<T> = { readonly ok: true; readonly value: T } | UnusableStatement;

function readPredicate<T>(predicate: unknown, shape: Shape<T>): Read<T> {
  // Refuse camel case before the keys are renamed to camel case; otherwise a wrongly spelled field would pass as a
  // valid one.
  const foreign = foreignKey(predicate);
  if (foreign !== null) return unusable('unknown-field', foreign);
  return readExactly(renameKeys(predicate, toCamel), shape);
}

/** Reads an object that must have exactly the fields of `shape`, each with a valid value. */
function readExactly<T>(value: unknown, shape: Shape<T>): Read<T> {
  if (!isRecord(value)) return unusable('wrong-value');
  const unknownKey = Object.keys(value).find((key) => !Object.hasOwn(shape, key));
  if (unknownKey !== undefined) return unusable('unknown-field', toSnake(unknownKey));
  const missing = Object.keys(shape).find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return unusable('missing-field', toSnake(missing));
  const fields = readShape<T>(value, shape);
  if (fields !== null) return { ok: true, value: fields };
  const wrong = Object.entries<(field: unknown) => boolean>(shape).find(([key, check]) => !check(value[key]));
  return unusable('wrong-value', wrong === undefined ? null : toSnake(wrong[0]));
}

function exactly<T>(shape: Shape<T>): Guard<T> {
  const hasAll = hasShape(shape);
  return (value): value is T => hasAll(value) && Object.keys(value as object).length === Object.keys(shape).length;
}

const toSnake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toCamel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), renameKeys(item, rename)]));
}

/** Returns a key that is not in snake case; `null` if there is none. */
function foreignKey(value: unknown): string | null {
  const keys = isRecord(value) ? Object.keys(value) : [];
  const camelKey = keys.find((key) => /[A-Z]/.test(key));
  if (camelKey !== undefined) return camelKey;
  const inner = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return inner.map(foreignKey).find((key) => key !== null) ?? null;
}

const LONGEST_LINE = 300;

/** Whether a value is a non-empty text that can be shown on one line. */
function isLine(value: unknown): value is string {
  return isText(value) && value !== '' && value.length <= LONGEST_LINE && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value);
}

/** Whether a value is a text without unpaired surrogates, which UTF-8 cannot encode. */
function isText(value: unknown): value is string {
  return isString(value) && !/\p{Cs}/u.test(value);
}

function isReason(value: unknown): value is string {
  return isText(value) && value.trim() !== '';
}

function isGate(value: unknown): value is string {
  return isText(value) && value !== '' && !value.includes('\0');
}

function isDigest(value: unknown): value is string {
  return isString(value) && /^[0-9a-f]{64}$/.test(value);
}

function isDigests(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isDigest) && new Set(value).size === value.length;
}

function isBlob(value: unknown): value is string {
  return isString(value) && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

function isMode(value: unknown): value is string {
  return isString(value) && /^[0-7]{6}$/.test(value);
}

function isPath(value: unknown): value is string {
  return isText(value) && value !== '' && repoPath(value) === value;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

const MOST_SETTINGS = 100;

function isSettings(value: unknown): value is ReviewSubject['settings'] {
  return isRecord(value) && Object.keys(value).length <= MOST_SETTINGS && Object.values(value).every(isText);
}

/** Whether a value is a time exactly as `Date.toISOString` writes it. */
function isExactTime(value: unknown): value is string {
  if (!isString(value) || !/^\d{4}-/.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

const FILE: Shape<PassFile> = {
  path: isPath,
  mode: isMode,
  baseMode: orNull(isMode),
  baseBlob: orNull(isBlob),
  headBlob: orNull(isBlob),
};

function isFiles(value: unknown): value is readonly PassFile[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(exactly(FILE))) return false;
  return new Set(value.map(({ path }) => path)).size === value.length;
}

type WholePass = PredicateOf<PassStatement> & ReviewSubject;

type OlderPass = Omit<WholePass, 'referencesDigest' | 'contextDigest' | 'settings'>;

/** The fields of a pass that an older version signed. */
const OLDER_PASS: Shape<OlderPass> = {
  gate: isGate,
  slot: isOrdinal,
  content: isDigest,
  scope: isLine,
  promptDigest: isDigest,
  settingsDigest: isDigest,
  files: isFiles,
  agent: isLine,
  model: orNull(isLine),
  agentVersion: orNull(isLine),
  onceoverVersion: isLine,
  session: isOneOf(['new', 'resumed']),
  filesOpened: orNull(isTexts),
  usage: orNull(exactly(USAGE)),
  durationMs: isAmount,
  passedAt: isExactTime,
  transcriptDigest: isDigest,
  waived: isDigests,
};

const { gate, slot, content, scope, promptDigest, ...otherFields } = OLDER_PASS;

const PASS: Shape<WholePass> = {
  ...{ gate, slot, content, scope, promptDigest },
  referencesDigest: orNull(isDigest),
  contextDigest: orNull(isDigest),
  settings: isSettings,
  ...otherFields,
};

const WAIVER: Shape<PredicateOf<WaiverStatement>> = {
  gate: isGate,
  finding: isDigest,
  file: isPath,
  issue: isReason,
  why: isReason,
  by: isLine,
  onceoverVersion: isLine,
  waivedAt: isExactTime,
};
