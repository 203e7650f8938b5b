import { cells } from '@onceover/base/ui/layout';

/**
 * A terminal with the features that the live display needs: lines that wrap at its width, and a cursor that moves up.
 */
export function terminal(columns: number, rows = 1000) {
  // A line ends at a line break; the terminal shows it in as many rows as it needs.
  let lines: string[] = [''];
  let at = 0;
  let fresh = true;
  const self = {
    columns,
    rows,
    isTTY: true as const,
    written: [] as string[],
    write(text: string): boolean {
      self.written.push(text);
      for (const [part] of text.matchAll(/\u001b\[\??(\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/gu)) act(part);
      return true;
    },
    resize(to: number): void {
      self.columns = to;
    },
    /** Returns the visible text, without the empty end. */
    shown(): string[] {
      const end = lines.findLastIndex((line) => line !== '');
      return lines.slice(0, end + 1);
    },
  };
  const rowsOf = (line: string) => Math.max(1, Math.ceil(cells(plain(line)) / self.columns));
  function act(part: string): void {
    if (part === '\r') {
      fresh = true;
      return;
    }
    if (part === '\n') {
      at += 1;
      if (at === lines.length) lines.push('');
      fresh = true;
      return;
    }
    const control = /^\u001b\[(\??)(\d*)([A-Za-z])$/u.exec(part);
    if (control === null) {
      if (!fresh) throw new Error(`text was written in the middle of a line: ${part}`);
      lines[at] = part;
      fresh = false;
      return;
    }
    const [, priv, number = '', letter = ''] = control;
    if (priv === '?') return;
    if (letter === 'A') goUp(Number(number || '1'));
    else if (letter === 'K') return;
    else if (letter === 'J') {
      lines = [...lines.slice(0, at), ''];
    } else if (letter !== 'm') throw new Error(`unknown: ${JSON.stringify(part)}`);
  }
  function goUp(count: number): void {
    for (let left = count; left > 0; ) {
      if (at === 0) throw new Error('the cursor left the screen');
      at -= 1;
      left -= rowsOf(lines[at] ?? '');
      if (left < 0) throw new Error('the cursor is in the middle of a line that was broken');
    }
    fresh = true;
  }
  return self;
}

function plain(text: string): string {
  return text.replace(/\u001b\[[\d;?]*[A-Za-z]/gu, '');
}
