/** Whether an untrusted value is an object and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The last JSON object in the answer of a model, in a code block or not. */
type LastObject =
  | { readonly kind: 'object'; readonly text: string }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'none' };

/** Finds the last top-level object. An object that never closes makes the whole answer truncated. */
export function lastObject(text: string): LastObject {
  let last: string | null = null;
  let budget = MOST_SCANNED;
  for (let at = text.indexOf('{'); at !== -1; ) {
    const begins = beginsAt(text, at);
    const end = begins === 'prose' ? null : endOfObject(text, at);
    // Unclosed braces in prose or code before the answer are ignored. An unclosed object is a truncated answer.
    if (end === null && begins === 'object') return { kind: 'truncated' };
    // A brace before a comment is scanned to the end of the text, so the total work is limited.
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

/** Classifies a brace by the text that follows. A brace before a comment may be an object or code. */
function beginsAt(text: string, at: number): 'object' | 'commented' | 'prose' {
  OBJECT.lastIndex = at;
  if (OBJECT.test(text)) return 'object';
  COMMENTED.lastIndex = at;
  return COMMENTED.test(text) ? 'commented' : 'prose';
}

/** Returns the position after the object that begins at `start`; null if it never closes. */
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

/** Whether a string begins here. Single quotes and backticks count only where a key or a value is expected. */
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

/** Rounds an amount to six decimals, because sums of floating-point numbers have meaningless digits. */
export function money(usd: number): number {
  return Number(usd.toFixed(6));
}
