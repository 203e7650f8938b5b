/** The object that a text answers with: the last one in it, in a fence of its own or not. */
export type LastObject =
  | { readonly kind: 'object'; readonly text: string }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'none' };

/** Finds the last object that stands by itself; one that never closes makes the whole answer truncated. */
export function lastObject(text: string): LastObject {
  let last: string | null = null;
  let patience = MOST_LOOKED_AT;
  for (let at = text.indexOf('{'); at !== -1; ) {
    const begins = beginsAt(text, at);
    const end = begins === 'prose' ? null : endOfObject(text, at);
    // Braces in prose and code before the answer do not matter; an answer that is cut off does.
    if (end === null && begins === 'object') return { kind: 'truncated' };
    // Each brace before a comment is followed to the end: of too many, nobody knows which was to be the answer.
    if (end === null && begins === 'commented') patience -= text.length - at;
    if (patience < 0) return { kind: 'truncated' };
    if (end !== null) last = text.slice(at, end);
    at = text.indexOf('{', end ?? at + 1);
  }
  return last === null ? { kind: 'none' } : { kind: 'object', text: last };
}

const MOST_LOOKED_AT = 50_000_000;

const OBJECT = /\{\s*(?:"|'|\}|[A-Za-z_]+\s*:)/y;
const COMMENTED = /\{\s*\/[/*]/y;

/** What a brace is by what follows it; with a comment behind it, it may as well be code. */
function beginsAt(text: string, at: number): 'object' | 'commented' | 'prose' {
  OBJECT.lastIndex = at;
  if (OBJECT.test(text)) return 'object';
  COMMENTED.lastIndex = at;
  return COMMENTED.test(text) ? 'commented' : 'prose';
}

/** Where the object that begins at `start` ends; null if it does not. */
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

/** Whether a text begins here; other quotes than JSON's own may be apostrophes, unless a key or a value is due. */
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
