import type { Readable } from 'node:stream';

/** What a program printed: all of it, or its beginning and end where it was too much. */
export type Captured = { readonly text: string; readonly bytes: number; readonly cut: boolean };

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 8 * 1024 * 1024;
const LONGEST_LINE = 8 * 1024 * 1024;

/** Reads a stream to its end with bounded memory; the returned function gives what came so far. */
export function capture(stream: Readable, heard: () => void, onLine?: (line: string) => void): () => Captured {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  const lines = onLine === undefined ? null : lineReader(onLine);
  stream.on('data', (chunk: Buffer) => {
    heard();
    bytes += chunk.length;
    lines?.add(chunk);
    if (tail.length === 0 && headBytes + chunk.length <= HEAD_BYTES) {
      head.push(chunk);
      headBytes += chunk.length;
      return;
    }
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * TAIL_BYTES) {
      const kept = Buffer.concat(tail);
      tail = [kept.subarray(kept.length - TAIL_BYTES)];
      tailBytes = TAIL_BYTES;
    }
  });
  stream.on('end', () => lines?.end());
  stream.on('error', () => {});
  return () => {
    const cut = bytes > headBytes + tailBytes;
    const parts = [
      ...head,
      ...(cut ? [Buffer.from(`\n[… ${bytes - headBytes - tailBytes} bytes left out …]\n`)] : []),
      ...tail,
    ];
    return { text: Buffer.concat(parts).toString('utf8'), bytes, cut };
  };
}

/** Splits chunks into lines; a line that is too long is left out. */
function lineReader(onLine: (line: string) => void): { add(chunk: Buffer): void; end(): void } {
  let open: Buffer[] = [];
  let length = 0;
  const close = (last: Buffer) => {
    if (length + last.length <= LONGEST_LINE) {
      const line = Buffer.concat([...open, last])
        .toString('utf8')
        .replace(/\r$/, '');
      if (line !== '') onLine(line);
    }
    open = [];
    length = 0;
  };
  return {
    add(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        close(chunk.subarray(from, at));
        from = at + 1;
      }
      const rest = chunk.subarray(from);
      length += rest.length;
      if (length <= LONGEST_LINE) open.push(rest);
      else open = [];
    },
    end() {
      if (length > 0) close(Buffer.alloc(0));
    },
  };
}
