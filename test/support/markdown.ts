/** The structure that a Markdown reader sees: headings outside of code blocks, and the text of the blocks. */
export type Outline = {
  readonly headings: readonly string[];
  readonly blocks: readonly { readonly info: string; readonly text: string }[];
  /** Whether the last block is never closed, so that it swallows the rest of the text. */
  readonly isOpen: boolean;
};

/** Reads headings with `#` and both kinds of fences, as CommonMark does. */
export function outline(markdown: string): Outline {
  const headings: string[] = [];
  const blocks: { info: string; text: string }[] = [];
  let open: { readonly marks: string; readonly block: { info: string; text: string } } | null = null;
  for (const [, line = '', ending = ''] of markdown.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
    if (open !== null) {
      if (marks.startsWith(open.marks) && rest.trim() === '') open = null;
      else open.block.text += line + ending;
    } else if (marks !== '' && !(marks.startsWith('`') && rest.includes('`'))) {
      open = { marks, block: { info: rest.trim(), text: '' } };
      blocks.push(open.block);
    } else if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) headings.push(line);
  }
  return { headings, blocks, isOpen: open !== null };
}
