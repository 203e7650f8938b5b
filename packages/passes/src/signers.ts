import { createHash } from 'node:crypto';
import { readSsh, readSshKey } from './ssh-key.ts';
import { readBase64 } from './ssh-signature.ts';
import { SIGNATURE_NAMESPACE, type Signer, type SignerProblem, type Signers } from './types.ts';

/** The size limit of a signers file, in characters. */
const LARGEST_FILE = 1024 * 1024;

/**
 * Reads a signers file in OpenSSH's allowed_signers format. `revokedList` is a list of public keys, one per line, as
 * for `ssh-keygen -Y verify -r`; `null` if there is none. Binary revocation lists (KRL) are not supported. If a line of
 * `revokedList` is invalid, no signer counts, because the unreadable key could belong to any of them.
 */
export function readSigners(text: string, revokedList: string | null = null): Signers {
  const lines = readLines(text, 'signers', readSigner);
  const list = readLines(revokedList ?? '', 'revoked', readRevoked);
  return {
    signers: list.problems.length === 0 ? lines.items : [],
    revoked: new Set(list.items),
    problems: [...lines.problems, ...list.problems],
  };
}

type List = Signers['problems'][number]['list'];

type Lines<T> = { readonly items: readonly T[]; readonly problems: Signers['problems'] };

/** Reads each line that is neither empty nor a comment. `parse` returns the parsed line, or the problem with it. */
function readLines<T extends object | `SHA256:${string}`>(
  text: string,
  list: List,
  parse: (line: string, number: number) => T | SignerProblem,
): Lines<T> {
  if (text.length > LARGEST_FILE) return { items: [], problems: [{ list, line: 1, what: 'too-large' }] };
  const items: T[] = [];
  const problems: Signers['problems'][number][] = [];
  for (const [i, rawLine] of text.split('\n').entries()) {
    const line = rawLine.replace(/^[ \t]+|[ \t\r]+$/g, '');
    if (line === '' || line.startsWith('#')) continue;
    const result = parse(line, i + 1);
    if (isProblem(result)) problems.push({ list, line: i + 1, what: result });
    else items.push(result);
  }
  return { items, problems };
}

function isProblem<T extends object | `SHA256:${string}`>(result: T | SignerProblem): result is SignerProblem {
  return typeof result === 'string' && !result.startsWith('SHA256:');
}

/** Reads a line of the form `principals [options] key-type key [comment]`. */
function readSigner(line: string, number: number): Signer | SignerProblem {
  const [, names = '', optionsAndKey = ''] = /^([^ \t]+)[ \t]*(.*)$/s.exec(line) ?? [];
  const principals = readPrincipals(names);
  if (typeof principals === 'string') return principals;
  const options = KEY.test(optionsAndKey) ? NO_OPTIONS : readOptions(optionsAndKey);
  if (options === null) return KEY_TYPE.test(optionsAndKey) || optionsAndKey === '' ? 'no-key' : 'bad-option';
  const [, type = '', base64 = ''] = KEY.exec(optionsAndKey.slice(options.length).replace(/^[ \t]+/, '')) ?? [];
  if (type === '') return 'no-key';
  const key = readKey(type, base64);
  if (typeof key === 'string') return key;
  if (options.isAuthority) return 'cert-authority';
  if (!listMatches(options.namespaces, SIGNATURE_NAMESPACE)) return 'other-namespace';
  const { validAfter, validBefore } = options;
  return { line: number, principals, keyFingerprint: key.fingerprint, validAfter, validBefore };
}

const KEY_TYPE = /^(?:ssh|ecdsa|sk)-[!-~]*/;

const KEY = /^((?:ssh|ecdsa|sk)-[!-~]+)[ \t]+([A-Za-z0-9+/=]+)(?=[ \t]|$)/;

function readKey(type: string, base64: string) {
  const blob = readBase64(base64);
  if (blob === null || readSsh(blob).string().toString('latin1') !== type) return 'bad-key';
  const result = readSshKey(blob);
  return result.ok ? result.key : result.why;
}

/**
 * Returns the fingerprint of a revoked public key. The line has the form `key-type key [comment]`, with any type of
 * key.
 */
function readRevoked(line: string): `SHA256:${string}` | SignerProblem {
  const [, type = '', base64 = ''] = KEY.exec(line) ?? [];
  if (type === '') return 'no-key';
  const blob = readBase64(base64);
  if (blob === null || readSsh(blob).string().toString('latin1') !== type) return 'bad-key';
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

const LONGEST_NAMES = 1000;

/** Returns the names and patterns that a line allows, without the names that the same line excludes with `!`. */
function readPrincipals(list: string): readonly string[] | SignerProblem {
  if (!/^[!-~]+$/.test(list) || /["\\]/.test(list) || list.length > LONGEST_NAMES) return 'bad-principal';
  const names = list.split(',');
  if (names.some((name) => name === '' || name === '!')) return 'bad-principal';
  const excludedPatterns = names.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  const allowedNames = names.filter(
    (name) => !name.startsWith('!') && !excludedPatterns.some((pattern) => matches(pattern, name)),
  );
  return allowedNames.length === 0 ? 'no-principal' : allowedNames;
}

type Options = {
  /** The number of characters of the options in the line. */
  readonly length: number;
  readonly isAuthority: boolean;
  readonly namespaces: string;
  readonly validAfter: number | null;
  readonly validBefore: number | null;
};

const NO_OPTIONS: Options = { length: 0, isAuthority: false, namespaces: '*', validAfter: null, validBefore: null };

const OPTION = /([A-Za-z-]+)(?:="([^"\\]*)")?(,|(?=[ \t]|$))/y;

/** Reads the options before a key; `null` if an option is unknown, repeated, or has an invalid value. */
function readOptions(text: string): Options | null {
  const values = new Map<string, string | undefined>();
  let at = 0;
  for (let isLast = false; !isLast; ) {
    OPTION.lastIndex = at;
    const match = OPTION.exec(text);
    if (match === null) return null;
    const [whole, name = '', value, comma] = match;
    const key = name.toLowerCase();
    if (values.has(key) || !OPTIONS.has(key) || (key === 'cert-authority') !== (value === undefined)) return null;
    values.set(key, value);
    at += whole.length;
    isLast = comma === '';
  }
  const validAfter = readTime(values.get('valid-after'), LATEST_ZONE_MS);
  const validBefore = readTime(values.get('valid-before'), EARLIEST_ZONE_MS);
  if (validAfter === undefined || validBefore === undefined) return null;
  if (validAfter !== null && validBefore !== null && validBefore <= validAfter) return null;
  const namespaces = values.get('namespaces') ?? '*';
  return { length: at, isAuthority: values.has('cert-authority'), namespaces, validAfter, validBefore };
}

const OPTIONS: ReadonlySet<string> = new Set(['cert-authority', 'namespaces', 'valid-after', 'valid-before']);

const HOUR_MS = 60 * 60 * 1000;

// ssh-keygen reads a time without `Z` as local time, and verifiers can be anywhere. So assume the time zones that make
// the validity shortest: UTC-12 for its beginning and UTC+14 for its end.
const LATEST_ZONE_MS = 12 * HOUR_MS;
const EARLIEST_ZONE_MS = -14 * HOUR_MS;

const TIME = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/;

/**
 * Returns a time such as `20260131Z` or `20260131120000Z` in milliseconds since 1970. For a time without `Z`, adds
 * `local` milliseconds. Returns `null` if there is no text, and `undefined` if the text is not a time.
 */
function readTime(text: string | undefined, local: number): number | null | undefined {
  if (text === undefined) return null;
  const [whole, year, month, day, hour = '00', minute = '00', second = '00', zone] = TIME.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = Date.parse(iso);
  // `Date.parse` accepts days such as February 31, so compare with the text.
  if (Number.isNaN(time) || new Date(time).toISOString() !== iso) return undefined;
  return zone === 'Z' ? time : time + local;
}

/** Whether a name matches a comma-separated list of patterns, in which `!` excludes names. */
function listMatches(list: string, name: string): boolean {
  const patterns = list.split(',');
  if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), name))) return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern, name));
}

/** Whether a name matches a pattern, in which `*` is any text and `?` any character. */
function matches(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < name.length; ) {
    if (pattern[at] === '*') {
      star = at++;
      resume = i;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[i])) {
      at++;
      i++;
    } else if (star === -1) return false;
    else {
      at = star + 1;
      i = ++resume;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/** Whether a key may sign passes: the names of its owner, or the reason why not. */
export type SignerAnswer =
  | { readonly ok: true; readonly principals: readonly string[] }
  | { readonly ok: false; readonly why: 'unknown-signer' | 'signer-revoked' | 'signer-expired' };

/**
 * Returns the names of a key's owner, if a line of the signers file lists the key and is valid at all of these times.
 */
export function findSigner(
  { signers, revoked }: Signers,
  keyFingerprint: string,
  times: readonly Date[],
): SignerAnswer {
  if (revoked.has(keyFingerprint)) return { ok: false, why: 'signer-revoked' };
  const lines = signers.filter((signer) => signer.keyFingerprint === keyFingerprint);
  if (lines.length === 0) return { ok: false, why: 'unknown-signer' };
  const valid = lines.filter((line) => times.every((time) => isValidAt(line, time.getTime())));
  if (valid.length === 0) return { ok: false, why: 'signer-expired' };
  return { ok: true, principals: valid.flatMap(({ principals }) => principals) };
}

function isValidAt({ validAfter, validBefore }: Signer, time: number): boolean {
  return (validAfter === null || time >= validAfter) && (validBefore === null || time <= validBefore);
}

/**
 * Whether two keys may belong to one person: they have a name in common, or a name of one key matches a pattern of the
 * other.
 */
export function maySharePrincipal(a: readonly string[], b: readonly string[]): boolean {
  const [ourNames, theirNames] = [a, b].map((names) => names.map((name) => name.toLowerCase())) as [string[], string[]];
  return ourNames.some((ourName) => theirNames.some((theirName) => overlaps(ourName, theirName)));
}

function overlaps(first: string, second: string): boolean {
  const isPattern = /[*?]/;
  if (isPattern.test(first) && isPattern.test(second)) return true;
  return matches(first, second) || matches(second, first);
}
