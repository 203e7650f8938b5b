const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const PLAIN = /^[^\s"'`\\<>|*]+$/u;

/** A name in one line that cannot be taken for anything else: as it is where it is plain, else quoted and escaped. */
export function quoteName(name: string): string {
  if (PLAIN.test(name) && name.search(UNSEEN) === -1) return name;
  return `"${showUnseen(name.replace(/["\\]/g, '\\$&'))}"`;
}

/** The text with characters that no one sees, line breaks among them, written out. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, (char) => {
    if (char === '\n') return '\\n';
    if (char === '\t') return '\\t';
    return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
