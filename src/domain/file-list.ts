/**
 * The names in a list that another program wrote: NUL between them if there is one, else a name a line, where a name in
 * double quotes is read as git writes it.
 */
export function readFileList(text: string): readonly string[] {
  if (text.includes('\0')) return text.split('\0').filter((name) => name !== '');
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line.trim() !== '')
    .map((line) => unquote(line) ?? line);
}

const SHORT_ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** A name that git quoted (`"\303\244.py"`), or null if it is not one. */
function unquote(line: string): string | null {
  if (!/^"(?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*"$/u.test(line)) return null;
  const bytes: number[] = [];
  const inner = line.slice(1, -1);
  for (let i = 0; i < inner.length; i++) {
    const char = inner[i] as string;
    if (char !== '\\') {
      const whole = String.fromCodePoint(inner.codePointAt(i) ?? 0);
      bytes.push(...new TextEncoder().encode(whole));
      i += whole.length - 1;
      continue;
    }
    const next = inner[++i] as string;
    const short = SHORT_ESCAPES[next];
    if (short !== undefined) bytes.push(short);
    else {
      bytes.push(Number.parseInt(inner.slice(i, i + 3), 8));
      i += 2;
    }
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes));
}
