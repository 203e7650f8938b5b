// Matches invisible characters, except variation selectors, because emoji contain them.
const UNSEEN = /(?![\ufe00-\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const PLAIN = /^[^\s"'`\\<>|*]+$/u;

/** Returns a name on one line: unchanged if it is plain, otherwise in quotes and with invisible characters escaped. */
export function quoteName(name: string): string {
  if (PLAIN.test(name) && name.search(UNSEEN) === -1) return name;
  return `"${showInvisible(name.replace(/["\\]/g, '\\$&'))}"`;
}

/** Returns the text with invisible characters and line breaks replaced by escapes such as `\n`. */
export function showInvisible(text: string): string {
  return text.replace(UNSEEN, (char) => {
    if (char === '\n') return '\\n';
    if (char === '\t') return '\\t';
    const hex = (char.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
  });
}

/** Returns the text with invisible characters replaced by escapes. Line breaks and tabs stay as they are. */
export function showInvisibleInLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(showInvisible).join('\t'))
    .join('\n');
}

/** Returns the text on one line, with each run of whitespace replaced by one space and invisible characters escaped. */
export function foldLines(text: string): string {
  return showInvisible(text.replace(/\s+/g, ' ').trim());
}

/** Returns the text as a Markdown code block. The fence is longer than any run of backticks in the text. */
export function fence(text: string, label = ''): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

/** Returns the fenced code blocks of a Markdown text, each with its label (the word after the opening backticks). */
export function fencedBlocks(markdown: string): readonly { readonly label: string; readonly text: string }[] {
  const blocks = markdown.matchAll(/^(`{3,})([^`\n]*)\n([\s\S]*?)^\1$/gm);
  return [...blocks].map(([, , label = '', text = '']) => ({ label, text }));
}

/** Returns the text of the first code block with this label; an empty string if there is none. */
export function fencedBlock(markdown: string, label: string): string {
  return fencedBlocks(markdown).find((block) => block.label === label)?.text ?? '';
}

/** Closes a Markdown code block that the text leaves open, so that text appended later is outside the block. */
export function closeFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const [, marks = '', afterMarks = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      if (marks !== '' && !(marks.startsWith('`') && afterMarks.includes('`'))) open = marks;
    } else if (marks.startsWith(open) && afterMarks.trim() === '') open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}

const MOST_LINES = 20;

const MOST_CHARACTERS = 4000;

/** Returns the last lines of a program's output: at most 20 lines and at most 4000 characters. */
export function lastLines(output: string): string {
  const text = output.trimEnd().slice(-MOST_CHARACTERS);
  return text.split('\n').slice(-MOST_LINES).join('\n');
}

/** Returns a command of several lines as one line: joined with `; `, with invisible characters escaped. */
export function oneLine(text: string): string {
  return showInvisible(text.trim().replace(/\s*\n\s*/g, '; '));
}

/** Returns the text as one argument for a shell command, in quotes if needed. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const CONTROLS = '\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f';

const CONTROL = new RegExp(`[${CONTROLS}]|\\r(?!\\n|$)`);

const TO_ESCAPE = new RegExp(`(\\\\*)(?:(x[0-9a-f]{2})|([${CONTROLS}]|\\r(?!\\n|$)))`, 'g');

/**
 * Returns the text with control characters as `\x` and two digits; tabs and line ends stay. A text without them is
 * returned as it is. Two different texts with control characters never become the same: backslashes that stand before
 * an escape, or before what looks like one, are doubled.
 */
export function escapeControls(text: string): string {
  return CONTROL.test(text) ? escapeAllControls(text) : text;
}

/** Escapes like `escapeControls`, but doubles backslashes also in a text without control characters. */
export function escapeAllControls(text: string): string {
  return text.replace(
    TO_ESCAPE,
    (_, slashes: string, looksEscaped: string | undefined, control: string | undefined) => {
      return `${slashes}${slashes}${looksEscaped ?? escapedByte(control ?? '')}`;
    },
  );
}

/** Returns a character below U+0100 as `\x` and two digits. */
export function escapedByte(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
