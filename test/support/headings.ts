/** Returns the headings of a Markdown text; code blocks do not count. */
export function headings(markdown: string): readonly string[] {
  const found: string[] = [];
  let open: string | null = null;
  for (const line of markdown.split('\n')) {
    const [, marks = '', rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === null && marks !== '') open = marks;
    else if (open !== null && marks.startsWith(open) && rest.trim() === '') open = null;
    else if (open === null && /^\s{0,3}#{1,6} /.test(line)) found.push(line);
  }
  return found;
}
