/** A line that a reviewer has been shown as added, where it stood then. */
export type SeenLine = { readonly file: string; readonly line: number; readonly text: string };

/** What is there as far as the reviewer was shown it: what it knew, less what the diff takes away, and what it adds. */
export function viewAfter(known: readonly SeenLine[], diff: string): readonly SeenLine[] {
  const view = [...known];
  let before = '';
  let file = '';
  let line = 0;
  for (const text of diff.split('\n')) {
    const header = /^(---|\+\+\+) (?:[ab]\/(.*)|\/dev\/null)$/.exec(text);
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (header !== null) {
      if (header[1] === '---') before = header[2] ?? '';
      file = header[2] ?? '';
    } else if (hunk !== null) line = Number(hunk[1]);
    else if (text.startsWith('+')) view.push({ file, line: line++, text: text.slice(1) });
    else if (text.startsWith(' ')) line += 1;
    else if (text.startsWith('-')) {
      const gone = view.findIndex((one) => one.file === before && one.text === text.slice(1));
      if (gone !== -1) view.splice(gone, 1);
    }
  }
  return view;
}
