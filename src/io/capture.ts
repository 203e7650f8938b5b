import { closeSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** What a program printed: all of it, or its beginning and end where it was too much for memory. */
export type Captured = {
  readonly text: string;
  readonly bytes: number;
  readonly cut: boolean;
  /** Where the whole of it is, where it was too much and a file was given. */
  readonly file: string | null;
};

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 8 * 1024 * 1024;
const SPILL_BYTES = 256 * 1024 * 1024;
const LONGEST_LINE = 8 * 1024 * 1024;

export type CaptureOptions = {
  heard(): void;
  onLine?(line: string): void;
  /** Where to put what is too much for memory; null: nowhere. */
  readonly spill: string | null;
};

/** Reads a stream to its end with bounded memory; the returned function gives what came so far. */
export function capture(stream: Readable, options: CaptureOptions): () => Captured {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  const lines = options.onLine === undefined ? null : lineReader(options.onLine);
  const spill = options.spill === null ? null : spillTo(options.spill);
  stream.on('data', (chunk: Buffer) => {
    options.heard();
    bytes += chunk.length;
    lines?.add(chunk);
    if (tail.length === 0 && headBytes + chunk.length <= HEAD_BYTES) {
      head.push(chunk);
      headBytes += chunk.length;
      return;
    }
    if (tail.length === 0) for (const part of head) spill?.add(part);
    spill?.add(chunk);
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes > 2 * TAIL_BYTES) {
      const kept = Buffer.concat(tail);
      tail = [kept.subarray(kept.length - TAIL_BYTES)];
      tailBytes = TAIL_BYTES;
    }
  });
  stream.on('end', () => lines?.end());
  stream.on('close', () => spill?.close());
  stream.on('error', () => {});
  return () => {
    const left = bytes - headBytes - tailBytes;
    const note = left > 0 ? [Buffer.from(`\n[… ${left} bytes left out …]\n`)] : [];
    const text = Buffer.concat([...head, ...note, ...tail]).toString('utf8');
    return { text, bytes, cut: left > 0, file: spill?.file() ?? null };
  };
}

/** A file that is made when the first bytes come, and takes only so many of them. */
function spillTo(path: string): { add(chunk: Buffer): void; close(): void; file(): string | null } {
  let descriptor: number | null = null;
  let written = 0;
  let isThere = false;
  const close = () => {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
  };
  return {
    add(chunk) {
      if (written >= SPILL_BYTES) return;
      try {
        descriptor ??= openSync(path, 'wx', 0o600);
        isThere = true;
        writeSync(descriptor, chunk);
        written += chunk.length;
      } catch {
        // A full disk must not end the program that talks; what is in memory is still there.
        written = SPILL_BYTES;
      }
    },
    close,
    file: () => (isThere ? path : null),
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
