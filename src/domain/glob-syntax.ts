/** One thing that a glob asks of a name. */
export type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** What a glob asks of one part of a path. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'globstar' }
  | { readonly kind: 'wild'; readonly tokens: readonly Token[] };

/** The segments of a glob without braces, or what is wrong with it. */
export function readSegments(text: string): readonly Segment[] | string {
  const tokens = readTokens(text);
  if (typeof tokens === 'string') return tokens;
  const segments: Segment[] = [];
  for (const part of splitAtSlashes(tokens)) {
    const segment = segmentOf(part);
    if (segment.kind === 'literal' && (segment.text === '' || segment.text === '.')) continue;
    if (segment.kind === 'literal' && segment.text === '..') return 'reaches above its folder with ".."';
    if (segment.kind === 'globstar' && segments.at(-1)?.kind === 'globstar') continue;
    segments.push(segment);
  }
  if (segments.length === 0) return 'is empty';
  // "src/" means everything in src.
  if (text.endsWith('/') && segments.at(-1)?.kind !== 'globstar') segments.push({ kind: 'globstar' });
  return segments;
}

type RawToken = Token | { readonly kind: 'slash' };

function readTokens(text: string): RawToken[] | string {
  const chars = Array.from(text);
  const tokens: RawToken[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === '\\') {
      const next = chars[++i];
      if (next === undefined) return 'ends with a lone "\\"';
      tokens.push(next === '/' ? { kind: 'slash' } : { kind: 'char', char: next });
    } else if (char === '/') tokens.push({ kind: 'slash' });
    else if (char === '*') tokens.push({ kind: 'star' });
    else if (char === '?') tokens.push({ kind: 'any' });
    else if (char === '[') {
      const end = endOfClass(chars, i);
      if (end === -1) return 'has a "[" without "]" (write "\\[" for the character itself)';
      tokens.push(readClass(chars.slice(i + 1, end)));
      i = end;
    } else tokens.push({ kind: 'char', char });
  }
  return tokens;
}

/** Where the class that opens there ends; -1: nowhere. */
export function endOfClass(chars: ArrayLike<string>, open: number): number {
  let i = open + 1;
  if (chars[i] === '!' || chars[i] === '^') i++;
  if (chars[i] === ']') i++;
  for (; i < chars.length; i++) {
    if (chars[i] === '\\') i++;
    else if (chars[i] === '/') return -1;
    else if (chars[i] === ']') return i;
  }
  return -1;
}

function readClass(inside: readonly string[]): Token {
  const negated = inside[0] === '!' || inside[0] === '^';
  const body: string[] = [];
  const dashes = new Set<number>();
  for (let i = negated ? 1 : 0; i < inside.length; i++) {
    const char = inside[i] as string;
    if (char === '\\' && i + 1 < inside.length) body.push(inside[++i] as string);
    else {
      if (char === '-') dashes.add(body.length);
      body.push(char);
    }
  }
  const ranges: [string, string][] = [];
  for (let i = 0; i < body.length; i++) {
    const from = body[i] as string;
    const to = body[i + 2];
    if (dashes.has(i + 1) && to !== undefined) {
      ranges.push([from, to]);
      i += 2;
    } else ranges.push([from, from]);
  }
  return { kind: 'class', negated, ranges };
}

function splitAtSlashes(tokens: readonly RawToken[]): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'slash') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function segmentOf(tokens: readonly Token[]): Segment {
  if (tokens.length === 2 && tokens.every((token) => token.kind === 'star')) return { kind: 'globstar' };
  if (tokens.every((token) => token.kind === 'char')) return { kind: 'literal', text: literalText(tokens) };
  // Several stars side by side say no more than one.
  return {
    kind: 'wild',
    tokens: tokens.filter((token, i) => token.kind !== 'star' || tokens[i - 1]?.kind !== 'star'),
  };
}

/** The text of tokens that stand for themselves. */
export function literalText(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'char' ? token.char : '')).join('');
}
