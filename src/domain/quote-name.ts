// Variation selectors stay: they belong to emoji.
const UNSEEN = /(?![\ufe00-\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
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
    const hex = (char.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
  });
}

/** The text in one line, however it was wrapped. */
export function foldLines(text: string): string {
  return showUnseen(text.replace(/\s+/g, ' ').trim());
}
