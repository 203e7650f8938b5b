/** Whether a value is an object, but not an array or `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON objects that were found in a model's answer, as texts. A list of objects counts as one text. */
type JsonTexts =
  | { readonly kind: 'found'; readonly texts: readonly [string, ...string[]] }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'none' };

/**
 * Finds the outermost JSON objects, and lists of objects, in a model's answer. If one of them is not closed, the answer
 * was cut off.
 */
export function objectsIn(text: string): JsonTexts {
  const texts: string[] = [];
  let budget = MOST_SCANNED;
  for (let at = nextOpening(text, 0); at !== -1; ) {
    const begins = beginsAt(text, at);
    const end = begins === 'prose' ? null : endOfValue(text, at);
    // Prose or code may contain an unclosed bracket, but an unclosed JSON object means that the answer was cut off.
    if (end === null && begins === 'object') return { kind: 'truncated' };
    // Looking for a missing closing bracket may read to the end of the text. The budget limits how often this happens,
    // so that many unclosed brackets do not make the loop quadratic.
    if (end === null && begins === 'unsure') budget -= text.length - at;
    if (budget < 0) return { kind: 'truncated' };
    if (end !== null && text.slice(at, end).includes('{')) texts.push(text.slice(at, end));
    at = nextOpening(text, end ?? at + 1);
  }
  const [first, ...moreTexts] = texts;
  return first === undefined ? { kind: 'none' } : { kind: 'found', texts: [first, ...moreTexts] };
}

const MOST_SCANNED = 10_000_000;

const OPENING = /[{[]/g;

function nextOpening(text: string, from: number): number {
  OPENING.lastIndex = from;
  return OPENING.exec(text)?.index ?? -1;
}

// Matches the start of a JSON object. Models sometimes add invisible characters, commas or typographic quotes there.
const OBJECT = /(?:\[[\s,]*){0,9}\{[\s,\p{Cf}]*(?:["'“‘}]|[\p{L}_$][\p{L}\p{N}_$-]*\s*:)/uy;

const UNSURE = /\{\s*\/[/*]|\[\s*["'[]/y;

/**
 * Returns what the bracket at `at` starts, judging by the text after it. `unsure`: JSON, or code such as `{ // …` or
 * `["a"]`.
 */
function beginsAt(text: string, at: number): 'object' | 'unsure' | 'prose' {
  OBJECT.lastIndex = at;
  if (OBJECT.test(text)) return 'object';
  UNSURE.lastIndex = at;
  return UNSURE.test(text) ? 'unsure' : 'prose';
}

/** Returns the position after the JSON object or list that begins at `start`; `null` if it is not closed. */
function endOfValue(text: string, start: number): number | null {
  const closers: string[] = [];
  let before = '';
  for (let i = start; i < text.length; i++) {
    const char = text[i] as string;
    if (opensString(char, before)) {
      const end = endOfString(text, i);
      if (end === null) return null;
      i = end;
    } else if (char === '{') closers.push('}');
    else if (char === '[') closers.push(']');
    else if (char === '}' || char === ']') {
      if (closers.pop() !== char) return null;
      if (closers.length === 0) return i + 1;
    }
    if (char.trim() !== '') before = char;
  }
  return null;
}

/**
 * Whether `char` begins a string. A single quote or backtick may be an apostrophe, so it counts only after `{`, `[`,
 * `,` or `:`.
 */
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

/** Returns a key that occurs twice in one object of a valid JSON text; `null` if there is none. */
export function duplicateKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token.endsWith(':')) {
      const key = String(JSON.parse(token.slice(0, -1)));
      const keys = open.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return null;
}

/** Rounds an amount to six decimals, because sums of floating-point numbers have rounding errors in later digits. */
export function money(usd: number): number {
  return Number(usd.toFixed(6));
}
