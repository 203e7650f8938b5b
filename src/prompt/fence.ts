/** The text as a block that nothing in it can close. */
export function fence(text: string, label = ''): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}
