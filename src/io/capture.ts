import type { Readable } from 'node:stream';

/** What a program printed: all of it, or its beginning and end where it was too much for memory. */
export type Captured = {
  readonly text: string;
  /** Where in the text it goes on after what was left out; null: nothing was. */
  readonly cut: number | null;
};

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 8 * 1024 * 1024;
const LONGEST_LINE = 8 * 1024 * 1024;

export type CaptureOptions = {
  heard(): void;
  onLine?(line: string): void;
};

/** Reads a stream to its end with bounded memory; the returned function gives what came so far. */
export function capture(stream: Readable, options: CaptureOptions): () => Captured {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  const lines = options.onLine === undefined ? null : lineReader(options.onLine);
  stream.on('data', (chunk: Buffer) => {
    options.heard();
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
    const left = bytes - headBytes - tailBytes;
    if (left === 0) return { text: Buffer.concat([...head, ...tail]).toString('utf8'), cut: null };
    const before = `${Buffer.concat(head).toString('utf8')}\n[… ${left} bytes left out …]\n`;
    return { text: before + Buffer.concat(tail).toString('utf8'), cut: before.length };
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
