/** The object that a text answers with: the last one in it, in a fence of its own or not. */
export type LastObject =
  | { readonly kind: 'object'; readonly text: string }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'none' };

/** Finds the last object that stands by itself; one that never closes makes the whole answer truncated. */
export function lastObject(text: string): LastObject {
  let last: string | null = null;
  for (let at = text.indexOf('{'); at !== -1; ) {
    const end = endOfObject(text, at);
    if (end === null) {
      // Braces in prose before the answer do not matter; an answer that is cut off does.
      if (/^\{\s*(?:"|'|\}|[A-Za-z_]+\s*:)/.test(text.slice(at, at + 200))) return { kind: 'truncated' };
      at = text.indexOf('{', at + 1);
      continue;
    }
    const found = text.slice(at, end);
    if (looksLikeObject(found)) last = found;
    at = text.indexOf('{', looksLikeObject(found) ? end : at + 1);
  }
  return last === null ? { kind: 'none' } : { kind: 'object', text: last };
}

function looksLikeObject(text: string): boolean {
  return /^\{\s*(?:"|'|\}|[A-Za-z_]+\s*:|\/[/*])/.test(text);
}

/** Where the object that begins at `start` ends; null if it does not. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      const end = endOfString(text, i);
      if (end === null) return null;
      i = end;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return i + 1;
    }
  }
  return null;
}

function endOfString(text: string, start: number): number | null {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return null;
}
