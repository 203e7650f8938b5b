import { expandBraces } from './glob-braces.ts';
import { literalText, readSegments, type Segment, type Token } from './glob-syntax.ts';

/** A glob, ready to be asked; `segments` are relative to the repository's root. */
export type Glob = { readonly alternatives: readonly Alternative[] };

export type Alternative = {
  /** The first folder or name, where the glob fixes it. */
  readonly first: string | null;
  /** The last extension with its dot, where the glob fixes it. */
  readonly extension: string | null;
  /** `nameAt` is where the path's last name begins: known to whoever asks many globs about one path. */
  matches(path: string, nameAt: number): boolean;
};

export type CompiledGlob = { readonly ok: true; readonly glob: Glob } | { readonly ok: false; readonly said: string };

const LONGEST_GLOB = 4096;

/**
 * Reads a glob relative to `folder` ('' is the root): `**`, `*`, `?`, classes, braces, `\` escapes; dotfiles match.
 * Matching takes time proportional to the lengths of path and glob, whatever the glob.
 */
export function compileGlob(source: string, folder: string): CompiledGlob {
  if (source.length > LONGEST_GLOB) return { ok: false, said: `is longer than ${LONGEST_GLOB} characters` };
  if (source.startsWith('!')) return { ok: false, said: 'starts with "!"; put what is left out under exclude' };
  const expanded = expandBraces(source);
  if (typeof expanded === 'string') return { ok: false, said: expanded };
  const prefix: Segment[] =
    folder === '' ? [] : folder.split('/').map((name) => ({ kind: 'literal', text: name }) as const);
  const alternatives: Alternative[] = [];
  for (const text of expanded) {
    const segments = readSegments(text);
    if (typeof segments === 'string') return { ok: false, said: segments };
    alternatives.push(alternative([...prefix, ...segments]));
  }
  return { ok: true, glob: { alternatives } };
}

/** Whether the path matches any alternative of the glob. */
export function globMatches(glob: Glob, path: string): boolean {
  const nameAt = path.lastIndexOf('/') + 1;
  return glob.alternatives.some((one) => one.matches(path, nameAt));
}

function alternative(segments: readonly Segment[]): Alternative {
  const head = segments[0];
  const literals = segments.findIndex((segment) => segment.kind !== 'literal');
  const last = segments.at(-1);
  return {
    first: head?.kind === 'literal' ? head.text : null,
    extension: last === undefined ? null : extensionOf(last),
    matches: matcher(segments, literals === -1 ? segments.length : literals),
  };
}

function extensionOf(segment: Segment): string | null {
  const tail = segment.kind === 'literal' ? segment.text : segment.kind === 'wild' ? literalTail(segment.tokens) : '';
  const dot = tail.lastIndexOf('.');
  return dot === -1 ? null : tail.slice(dot);
}

/** What a name that the last segment matches must begin and end with. */
function endsOf(last: Segment | undefined): { readonly head: string; readonly tail: string } {
  if (last?.kind === 'literal') return { head: last.text, tail: last.text };
  if (last?.kind !== 'wild') return { head: '', tail: '' };
  const plain = last.tokens.findIndex((token) => token.kind !== 'char');
  return { head: literalText(last.tokens.slice(0, plain)), tail: literalTail(last.tokens) };
}

function literalTail(tokens: readonly Token[]): string {
  const from = tokens.findLastIndex((token) => token.kind !== 'char') + 1;
  return literalText(tokens.slice(from));
}

// The shapes that nearly every glob has are answered without taking the path apart.
function matcher(segments: readonly Segment[], literals: number): Alternative['matches'] {
  const fixed = segments.slice(0, literals).map((segment) => (segment.kind === 'literal' ? segment.text : ''));
  if (literals === segments.length) {
    const whole = fixed.join('/');
    return (path) => path === whole;
  }
  const prefix = fixed.length === 0 ? '' : `${fixed.join('/')}/`;
  const rest = segments.slice(literals);
  if (rest[0]?.kind === 'globstar') {
    if (rest.length === 1) return (path) => path.length > prefix.length && path.startsWith(prefix);
    const last = rest[1];
    if (rest.length === 2 && last?.kind === 'wild' && last.tokens[0]?.kind === 'star') {
      const tail = literalTail(last.tokens);
      const plain = last.tokens.length === 1 + Array.from(tail).length;
      if (plain) {
        return (path) => path.length >= prefix.length + tail.length && path.endsWith(tail) && path.startsWith(prefix);
      }
    }
  }
  const { head, tail } = endsOf(rest.at(-1));
  return (path, nameAt) =>
    path.startsWith(head, nameAt) &&
    path.endsWith(tail) &&
    path.startsWith(prefix) &&
    matchSegments(rest, path.slice(prefix.length).split('/'));
}

// Going back to the last `**` alone is enough, so this never takes more than (segments × names) steps.
function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let s = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < names.length) {
    const segment = segments[s];
    if (segment?.kind === 'globstar') {
      star = s++;
      resume = n;
    } else if (segment !== undefined && matchName(segment, names[n] as string)) {
      s++;
      n++;
    } else if (star !== -1) {
      s = star + 1;
      n = ++resume;
    } else return false;
  }
  // A `**` at the end is only reached with a name left, so "a/**" is what is in a, not a itself.
  return s === segments.length;
}

function matchName(segment: Segment, name: string): boolean {
  if (segment.kind === 'literal') return segment.text === name;
  if (segment.kind === 'globstar') return true;
  return matchTokens(segment.tokens, /[\ud800-\udfff]/.test(name) ? Array.from(name) : name);
}

function matchTokens(tokens: readonly Token[], chars: ArrayLike<string>): boolean {
  let t = 0;
  let c = 0;
  let star = -1;
  let resume = 0;
  while (c < chars.length) {
    const token = tokens[t];
    if (token?.kind === 'star') {
      star = t++;
      resume = c;
    } else if (token !== undefined && matchChar(token, chars[c] as string)) {
      t++;
      c++;
    } else if (star !== -1) {
      t = star + 1;
      c = ++resume;
    } else return false;
  }
  while (tokens[t]?.kind === 'star') t++;
  return t === tokens.length;
}

function matchChar(token: Token, char: string): boolean {
  switch (token.kind) {
    case 'any':
    case 'star':
      return true;
    case 'char':
      return token.char === char;
    case 'class': {
      const code = char.codePointAt(0) ?? 0;
      const inside = token.ranges.some(
        ([from, to]) => code >= (from.codePointAt(0) ?? 0) && code <= (to.codePointAt(0) ?? 0),
      );
      return inside !== token.negated;
    }
  }
}
