/** The names in NUL-separated output of git; names that are not UTF-8 are given apart, as a person may read them. */
export function readNulList(output: Buffer): { readonly names: string[]; readonly unnameable: string[] } {
  const text = output.toString('utf8');
  if (!text.includes('\ufffd')) return { names: split(text), unnameable: [] };
  const names: string[] = [];
  const unnameable: string[] = [];
  let from = 0;
  while (from < output.length) {
    const end = output.indexOf(0, from);
    const bytes = output.subarray(from, end === -1 ? output.length : end);
    from = from + bytes.length + 1;
    const name = bytes.toString('utf8');
    if (Buffer.from(name, 'utf8').equals(bytes)) names.push(name);
    else unnameable.push(bytes.toString('latin1'));
  }
  return { names: names.filter((name) => name !== ''), unnameable };
}

function split(text: string): string[] {
  if (text === '') return [];
  const names = text.split('\0');
  if (names.at(-1) === '') names.pop();
  return names;
}
