/** The text as a block that nothing in it can close. */
export function fence(text: string, label = ''): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

/** The text with a code block that it leaves open closed, so that it cannot swallow what follows. */
export function closeFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      if (marks !== '' && !(marks.startsWith('`') && rest.includes('`'))) open = marks;
    } else if (marks.startsWith(open) && rest.trim() === '') open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}
