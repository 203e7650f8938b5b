/** One element of a path segment in a glob: `*`, `?`, a literal character or a class such as `[a-z]`. */
type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** One path segment of a glob: plain text, `**`, or a mix of literal characters and wildcards. */
type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'globstar' }
  | { readonly kind: 'wild'; readonly tokens: readonly Token[] };

/** Returns the segments of a glob without braces. If the glob is invalid, returns an error message instead. */
function readSegments(text: string): readonly Segment[] | string {
  const parts = readTokens(text);
  if (typeof parts === 'string') return parts;
  const segments: Segment[] = [];
  for (const part of parts) {
    const segment = segmentOf(part);
    if (segment.kind === 'literal' && (segment.text === '' || segment.text === '.')) continue;
    if (segment.kind === 'literal' && segment.text === '..') return 'reaches above its folder with ".."';
    if (segment.kind === 'globstar' && segments.at(-1)?.kind === 'globstar') continue;
    segments.push(segment);
  }
  if (segments.length === 0) return 'is empty';
  // A glob with a final slash, such as "src/", matches everything in that folder.
  if (text.endsWith('/') && segments.at(-1)?.kind !== 'globstar') segments.push({ kind: 'globstar' });
  return segments;
}

function readTokens(text: string): Token[][] | string {
  const chars = Array.from(text);
  let part: Token[] = [];
  const parts = [part];
  const startPart = () => {
    part = [];
    parts.push(part);
  };
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === '\\') {
      const next = chars[++i];
      if (next === undefined) return 'ends with a lone "\\"';
      if (next === '/') startPart();
      else part.push({ kind: 'char', char: next });
    } else if (char === '/') startPart();
    else if (char === '*') part.push({ kind: 'star' });
    else if (char === '?') part.push({ kind: 'any' });
    else if (char === '[') {
      const end = endOfClass(chars, i);
      if (end === -1) return 'has a "[" without "]" (write "\\[" for the character itself)';
      part.push(readClass(chars.slice(i + 1, end)));
      i = end;
    } else part.push({ kind: 'char', char });
  }
  return parts;
}

/** Returns the position of the `]` that closes a class such as `[a-z]`; -1 if there is none. */
function endOfClass(chars: ArrayLike<string>, open: number): number {
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
  const isNegated = inside[0] === '!' || inside[0] === '^';
  const body: string[] = [];
  const dashes = new Set<number>();
  for (let i = isNegated ? 1 : 0; i < inside.length; i++) {
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
  return { kind: 'class', negated: isNegated, ranges };
}

function segmentOf(tokens: readonly Token[]): Segment {
  if (tokens.length === 2 && tokens.every((token) => token.kind === 'star')) return { kind: 'globstar' };
  if (tokens.every((token) => token.kind === 'char')) return { kind: 'literal', text: literalText(tokens) };
  // Drop repeated stars: inside one path segment, `**` matches the same as `*`.
  return {
    kind: 'wild',
    tokens: tokens.filter((token, i) => token.kind !== 'star' || tokens[i - 1]?.kind !== 'star'),
  };
}

/** Returns the characters of literal tokens as one string. */
function literalText(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'char' ? token.char : '')).join('');
}

const MOST_ALTERNATIVES = 1000;

/** Expands `{a,b}` into separate globs. If the pattern is invalid, returns an error message instead. */
function expandBraces(source: string): readonly string[] | string {
  const expandedGlobs: string[] = [];
  const todo = [source];
  while (todo.length > 0) {
    const text = todo.pop() as string;
    const group = firstGroup(text);
    if (group === 'open') return 'has a "{" without "}" (write "\\{" for the character itself)';
    if (group === null) expandedGlobs.push(text);
    else
      for (const choice of [...group.choices].reverse())
        todo.push(text.slice(0, group.from) + choice + text.slice(group.to));
    if (expandedGlobs.length + todo.length > MOST_ALTERNATIVES)
      return `stands for more than ${MOST_ALTERNATIVES} globs`;
  }
  return expandedGlobs;
}

type BraceGroup = { readonly from: number; readonly to: number; readonly choices: readonly string[] };

function firstGroup(text: string): BraceGroup | 'open' | null {
  let from = -1;
  let depth = 0;
  let starts: number[] = [];
  let hasUnclosedClass = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '[') {
      const end = hasUnclosedClass ? -1 : endOfClass(text, i);
      // `readTokens` reports the unclosed class later. Remember here that there is one, so that the loop looks for a
      // missing `]` only once and stays linear.
      if (end === -1) hasUnclosedClass = true;
      else i = end;
    } else if (char === '{') {
      if (depth++ === 0) {
        from = i;
        starts = [i + 1];
      }
    } else if (char === ',' && depth === 1) starts.push(i + 1);
    else if (char === '}' && depth > 0 && --depth === 0) {
      const choices = starts.map((start, n) => text.slice(start, (starts[n + 1] ?? i + 1) - 1));
      // Braces without a comma, such as "{a}", are literal characters, as in shells.
      if (choices.length === 1) return { from, to: i + 1, choices: [`\\{${text.slice(from + 1, i)}\\}`] };
      return { from, to: i + 1, choices };
    }
  }
  return depth > 0 ? 'open' : null;
}

/** A compiled glob, which matches paths relative to the repository's root. */
export type Glob = { readonly alternatives: readonly Alternative[] };

export type Alternative = {
  /** The first path segment that every match has; `null` if that segment contains wildcards. */
  readonly first: string | null;
  /** The file extension, with its dot, that every match has; `null` if the glob does not determine it. */
  readonly extension: string | null;
  /** Whether the path matches. `nameAt` is the position in the path at which the file name starts. */
  matches(path: string, nameAt: number): boolean;
};

type CompiledGlob = { readonly ok: true; readonly glob: Glob } | { readonly ok: false; readonly said: string };

const LONGEST_GLOB = 4096;

/**
 * Compiles a glob relative to `folder` ('' is the root). Supports `**`, `*`, `?`, classes, braces and `\` escapes;
 * wildcards match dotfiles too. Matching a path takes at most (length of the path × length of the glob) steps.
 */
export function compileGlob(source: string, folder: string): CompiledGlob {
  if (source.length > LONGEST_GLOB) return { ok: false, said: `is longer than ${LONGEST_GLOB} characters` };
  if (source.startsWith('!')) return { ok: false, said: 'starts with "!"; put what is left out under exclude' };
  const globs = expandBraces(source);
  if (typeof globs === 'string') return { ok: false, said: globs };
  const prefix: Segment[] =
    folder === '' ? [] : folder.split('/').map((name) => ({ kind: 'literal', text: name }) as const);
  const alternatives: Alternative[] = [];
  for (const text of globs) {
    const segments = readSegments(text);
    if (typeof segments === 'string') return { ok: false, said: segments };
    alternatives.push(alternative([...prefix, ...segments]));
  }
  return { ok: true, glob: { alternatives } };
}

/** Whether the path matches any alternative of the glob. */
export function globMatches(glob: Glob, path: string): boolean {
  const nameAt = path.lastIndexOf('/') + 1;
  return glob.alternatives.some((alternative) => alternative.matches(path, nameAt));
}

function alternative(segments: readonly Segment[]): Alternative {
  const head = segments[0];
  const literals = segments.findIndex((segment) => segment.kind !== 'literal');
  return {
    first: head?.kind === 'literal' ? head.text : null,
    extension: extensionOf(segments.at(-1)),
    matches: matcher(segments, literals === -1 ? segments.length : literals),
  };
}

function extensionOf(last: Segment | undefined): string | null {
  const { tail } = endsOf(last);
  const dot = tail.lastIndexOf('.');
  return dot === -1 ? null : tail.slice(dot);
}

/** Returns the literal characters at the beginning and at the end of a glob's last path segment. */
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

// Returns the function that matches a path. For the most common globs (plain paths, "a/**" and "a/**/*.ts"), the path
// need not be split into segments.
function matcher(segments: readonly Segment[], literals: number): Alternative['matches'] {
  const literalNames = segments.slice(0, literals).map((segment) => (segment.kind === 'literal' ? segment.text : ''));
  if (literals === segments.length) {
    const whole = literalNames.join('/');
    return (path) => path === whole;
  }
  const prefix = literalNames.length === 0 ? '' : `${literalNames.join('/')}/`;
  const segmentsAfterPrefix = segments.slice(literals);
  if (segmentsAfterPrefix[0]?.kind === 'globstar') {
    if (segmentsAfterPrefix.length === 1) return (path) => path.length > prefix.length && path.startsWith(prefix);
    const last = segmentsAfterPrefix[1];
    if (segmentsAfterPrefix.length === 2 && last?.kind === 'wild' && last.tokens[0]?.kind === 'star') {
      const tail = literalTail(last.tokens);
      const plain = last.tokens.length === 1 + Array.from(tail).length;
      if (plain) {
        return (path) => path.length >= prefix.length + tail.length && path.endsWith(tail) && path.startsWith(prefix);
      }
    }
  }
  const { head, tail } = endsOf(segmentsAfterPrefix.at(-1));
  return (path, nameAt) =>
    path.startsWith(head, nameAt) &&
    path.endsWith(tail) &&
    path.startsWith(prefix) &&
    matchSegments(segmentsAfterPrefix, path.slice(prefix.length).split('/'));
}

// A final `**` must match at least one name, so "a/**" matches the files in a, but not a itself.
function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchEach(segments, names, (segment) => segment.kind === 'globstar', matchName) === segments.length;
}

/**
 * Returns how many parts of a pattern match the whole list; -1 if the list does not match. A star matches any number of
 * items. After a mismatch only the last star is extended by one item, because extending an earlier star cannot help.
 */
function matchEach<Part>(
  parts: readonly Part[],
  items: ArrayLike<string>,
  isStar: (part: Part) => boolean,
  matches: (part: Part, item: string) => boolean,
): number {
  let p = 0;
  let i = 0;
  let star = -1;
  let resume = 0;
  while (i < items.length) {
    const part = parts[p];
    if (part !== undefined && isStar(part)) {
      star = p++;
      resume = i;
    } else if (part !== undefined && matches(part, items[i] as string)) {
      p++;
      i++;
    } else if (star !== -1) {
      p = star + 1;
      i = ++resume;
    } else return -1;
  }
  return p;
}

function matchName(segment: Segment, name: string): boolean {
  if (segment.kind === 'literal') return segment.text === name;
  if (segment.kind === 'globstar') return true;
  return matchTokens(segment.tokens, /[\ud800-\udfff]/.test(name) ? Array.from(name) : name);
}

function matchTokens(tokens: readonly Token[], chars: ArrayLike<string>): boolean {
  const matchedCount = matchEach(tokens, chars, (token) => token.kind === 'star', matchChar);
  return matchedCount !== -1 && tokens.slice(matchedCount).every((token) => token.kind === 'star');
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
