/** The text as a block that nothing in it can close. */
export function fence(text: string, label = ''): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}
