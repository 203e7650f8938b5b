import { escapeAllControls, escapedByte } from './escape.ts';

/** The form in which reviewers see a file that git does not take for text. */
export type Readable =
  /** Its text, with bytes that are no text escaped. `note` says how it was made. */
  | { readonly kind: 'text'; readonly text: string; readonly note: string }
  /** An image, audio, video or font file: no program reads it as code, so reviewers only get its name. */
  | { readonly kind: 'media' }
  /** Anything else. Nobody can say what it does without reading it. */
  | { readonly kind: 'opaque' };

/** A version of a file: the bytes of its beginning (of all of it up to `LARGEST_READABLE`), its size and its mode. */
export type FileBytes = {
  readonly path: string;
  readonly mode: string;
  readonly bytes: Uint8Array;
  readonly size: number;
};

/** Files above this size are not shown if they are not text. */
export const LARGEST_READABLE = 4 * 1024 * 1024;

/** Up to this size, a file is shown escaped whatever it contains: a larger one would only fill the prompt. */
export const LARGEST_ESCAPED = 16 * 1024;

// A text with a few bytes that are no text is still a text. Compressed data has about 60 % of such bytes.
const MOST_ODD_SHARE = 0.1;

/** Decides how a file that contains NUL bytes is shown. A file that may be a text is always shown as one. */
export function readableForm(file: FileBytes): Readable {
  const { bytes, size } = file;
  const isWhole = bytes.length === size;
  const utf16 = isWhole ? decodeUtf16(bytes) : null;
  if (utf16 !== null) return utf16;
  const isText = oddBytes(bytes) <= bytes.length * MOST_ODD_SHARE;
  if (isWhole && isText) return escaped(bytes);
  if (!isText && isMedia(file)) return { kind: 'media' };
  return isWhole && size <= LARGEST_ESCAPED ? escaped(bytes) : { kind: 'opaque' };
}

function escaped(bytes: Uint8Array): Readable {
  const note = oddBytes(bytes) === 0 ? 'text' : 'bytes that are not text are shown as \\x and two digits';
  return { kind: 'text', text: escapedText(bytes), note };
}

// Bytes that are not UTF-8 become one character each, which `escapeAllControls` leaves as it is, so escape these first.
function escapedText(bytes: Uint8Array): string {
  const text = decode('utf-8', bytes);
  if (text !== null) return escapeAllControls(text);
  const latin1 = Buffer.from(bytes).toString('latin1');
  return escapeAllControls(latin1).replace(/[\x80-\xff]/g, escapedByte);
}

function decode(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Counts the bytes that do not occur in texts. */
function oddBytes(bytes: Uint8Array): number {
  const isUtf8 = decode('utf-8', bytes) !== null;
  let count = 0;
  for (const byte of bytes) {
    const isControl = byte < 0x20 ? byte < 9 || byte === 11 || byte > 13 : byte === 0x7f;
    if (isControl || (byte >= 0x80 && !isUtf8)) count++;
  }
  return count;
}

/** Returns the text of a UTF-16 file, with or without a byte order mark; `null` if it is none. */
function decodeUtf16(bytes: Uint8Array): Readable | null {
  if (bytes.length < 2 || bytes.length % 2 === 1) return null;
  const encoding = markedEncoding(bytes) ?? likelyEncoding(bytes);
  const text = encoding === null ? null : decode(encoding, bytes);
  if (encoding === null || text === null) return null;
  const hasMark = text.startsWith('\ufeff');
  const note = `decoded from ${encoding.toUpperCase()} ${hasMark ? 'with' : 'without'} a byte order mark`;
  return { kind: 'text', text: escapeAllControls(hasMark ? text.slice(1) : text), note };
}

function markedEncoding(bytes: Uint8Array): string | null {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : null;
}

// In UTF-16 of a western text, one half of nearly all pairs of bytes is zero, and the other half never is.
function likelyEncoding(bytes: Uint8Array): string | null {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = bytes.length * 0.35;
  if (odd >= most && even === 0) return 'utf-16le';
  return even >= most && odd === 0 ? 'utf-16be' : null;
}

/** A format of images, audio, video or fonts: bytes that its files have at a position, and the endings of their names. */
type Format = { readonly at: number; readonly bytes: readonly number[] | string; readonly endings: string };

// Only formats that begin with bytes that no programming language allows there, or that hold more than text.
const FORMATS: readonly Format[] = [
  { at: 0, bytes: '\x89PNG\r\n\x1a\n', endings: 'png apng' },
  { at: 0, bytes: [0xff, 0xd8, 0xff], endings: 'jpg jpeg jpe' },
  { at: 0, bytes: 'GIF87a', endings: 'gif' },
  { at: 0, bytes: 'GIF89a', endings: 'gif' },
  { at: 8, bytes: 'WEBP', endings: 'webp' },
  { at: 8, bytes: 'WAVE', endings: 'wav' },
  { at: 8, bytes: 'AVI ', endings: 'avi' },
  { at: 4, bytes: 'ftyp', endings: 'avif heic heif mp4 m4a m4v mov 3gp' },
  { at: 0, bytes: 'II*\0', endings: 'tif tiff' },
  { at: 0, bytes: 'MM\0*', endings: 'tif tiff' },
  { at: 0, bytes: [0, 0, 1, 0], endings: 'ico' },
  { at: 0, bytes: [0, 0, 2, 0], endings: 'cur' },
  { at: 0, bytes: 'icns', endings: 'icns' },
  { at: 0, bytes: 'BM', endings: 'bmp' },
  { at: 0, bytes: '8BPS', endings: 'psd' },
  { at: 0, bytes: [0xff, 0x0a], endings: 'jxl' },
  { at: 4, bytes: 'JXL ', endings: 'jxl' },
  { at: 0, bytes: 'wOFF', endings: 'woff' },
  { at: 0, bytes: 'wOF2', endings: 'woff2' },
  { at: 0, bytes: [0, 1, 0, 0], endings: 'ttf' },
  { at: 0, bytes: 'true', endings: 'ttf' },
  { at: 0, bytes: 'OTTO', endings: 'otf' },
  { at: 0, bytes: 'ttcf', endings: 'ttc otc' },
  { at: 34, bytes: 'LP', endings: 'eot' },
  { at: 0, bytes: 'ID3', endings: 'mp3' },
  { at: 0, bytes: [0xff, 0xfb], endings: 'mp3' },
  { at: 0, bytes: [0xff, 0xf3], endings: 'mp3' },
  { at: 0, bytes: [0xff, 0xf2], endings: 'mp3' },
  { at: 0, bytes: [0xff, 0xf1], endings: 'aac' },
  { at: 0, bytes: [0xff, 0xf9], endings: 'aac' },
  { at: 0, bytes: 'OggS', endings: 'ogg oga ogv opus' },
  { at: 0, bytes: 'fLaC', endings: 'flac' },
  { at: 8, bytes: 'AIFF', endings: 'aif aiff' },
  { at: 0, bytes: 'MThd', endings: 'mid midi' },
  { at: 0, bytes: [0x1a, 0x45, 0xdf, 0xa3], endings: 'webm mkv mka' },
  { at: 0, bytes: [0, 0, 1, 0xba], endings: 'mpg mpeg' },
  { at: 0, bytes: 'FLV\x01', endings: 'flv' },
];

/** Whether the name and the bytes agree that a file is an image, audio, video or font, and no program can run it. */
function isMedia({ path, mode, bytes }: FileBytes): boolean {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return (
    mode === '100644' && FORMATS.some((format) => format.endings.split(' ').includes(ending) && begins(bytes, format))
  );
}

function begins(bytes: Uint8Array, format: Format): boolean {
  const signature =
    typeof format.bytes === 'string' ? [...format.bytes].map((char) => char.charCodeAt(0)) : format.bytes;
  return signature.every((byte, i) => bytes[format.at + i] === byte);
}
