/** Whether a value is an object, but not an array or `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The result of a search for the last JSON object in a model's answer. */
type LastObject =
  | { readonly kind: 'object'; readonly text: string }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'none' };

/** Finds the last top-level JSON object in the text. If any object is not closed, the answer counts as truncated. */
export function lastObject(text: string): LastObject {
  let last: string | null = null;
  let budget = MOST_SCANNED;
  for (let at = text.indexOf('{'); at !== -1; ) {
    const begins = beginsAt(text, at);
    const end = begins === 'prose' ? null : endOfObject(text, at);
    // A brace in prose or code may stay unclosed, but an unclosed object means that the answer was cut off.
    if (end === null && begins === 'object') return { kind: 'truncated' };
    // For an unclosed brace with a comment after it, the scan went to the end of the text. The budget keeps many such
    // braces from making this loop quadratic.
    if (end === null && begins === 'commented') budget -= text.length - at;
    if (budget < 0) return { kind: 'truncated' };
    if (end !== null) last = text.slice(at, end);
    at = text.indexOf('{', end ?? at + 1);
  }
  return last === null ? { kind: 'none' } : { kind: 'object', text: last };
}

const MOST_SCANNED = 50_000_000;

const OBJECT = /\{\s*(?:"|'|\}|[A-Za-z_]+\s*:)/y;

const COMMENTED = /\{\s*\/[/*]/y;

/** Classifies a `{` by the text after it. A `{` before a comment may start an object or a block of code. */
function beginsAt(text: string, at: number): 'object' | 'commented' | 'prose' {
  OBJECT.lastIndex = at;
  if (OBJECT.test(text)) return 'object';
  COMMENTED.lastIndex = at;
  return COMMENTED.test(text) ? 'commented' : 'prose';
}

/** Returns the position after the object that begins at `start`; `null` if the object is not closed. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let before = '';
  for (let i = start; i < text.length; i++) {
    const char = text[i] as string;
    if (opensString(char, before)) {
      const end = endOfString(text, i);
      if (end === null) return null;
      i = end;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return i + 1;
    }
    if (char.trim() !== '') before = char;
  }
  return null;
}

/** Whether `char` begins a string. A single quote or backtick does so only if `before` is `{`, `[`, `,` or `:`. */
function opensString(char: string, before: string): boolean {
  if (char === '"') return true;
  return (char === "'" || char === '`') && '{[,:'.includes(before);
}

function endOfString(text: string, start: number): number | null {
  const quote = text[start];
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return null;
}

/** Rounds an amount to six decimals, because sums of floating-point numbers have rounding errors in later digits. */
export function money(usd: number): number {
  return Number(usd.toFixed(6));
}
