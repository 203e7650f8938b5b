import { randomBytes } from 'node:crypto';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { escapeControls } from '@onceover/base/kernel/escape';
import { type FileBytes, LARGEST_ESCAPED, LARGEST_READABLE, readableForm } from '@onceover/base/kernel/readable';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const file = (path: string, bytes: Buffer, mode = '100644'): FileBytes => ({
  path,
  mode,
  bytes: bytes.subarray(0, LARGEST_READABLE),
  size: bytes.length,
});

const bytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const NOISE = randomBytes(40_000);
const SOURCE = 'export function run(input: string) {\n  return evil(input);\n}\n';
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('how a file is shown', () => {
  test.each<[string, FileBytes, string]>([
    ['source with a NUL in a comment', file('a.js', bytes('/* \0 */ evil()\n')), 'text'],
    ['source with many control bytes', file('a.js', bytes(SOURCE.repeat(40), '\0'.repeat(200))), 'text'],
    ['source whose name says image', file('a.png', bytes('\x89PNG\r\n\x1a\n\0', SOURCE.repeat(100))), 'text'],
    ['UTF-16 with a mark', file('a.ps1', bytes([0xff, 0xfe], Buffer.from(SOURCE, 'utf16le'))), 'text'],
    ['UTF-16, big-endian, with a mark', file('a.sql', bytes([0xfe, 0xff], utf16be(SOURCE))), 'text'],
    ['UTF-16 without a mark', file('a.rc', Buffer.from(SOURCE, 'utf16le')), 'text'],
    ['UTF-16, big-endian, without a mark', file('a.rc', utf16be(SOURCE)), 'text'],
    [
      'UTF-16 of Chinese text, with a mark',
      file('a.txt', bytes([0xff, 0xfe], Buffer.from('漢字\n', 'utf16le'))),
      'text',
    ],
    ['Latin-1 with a NUL', file('a.txt', bytes('stra\xdfe \0\n'.repeat(20))), 'text'],
    ['PNG', file('logo.png', bytes('\x89PNG\r\n\x1a\n', NOISE)), 'media'],
    ['JPEG with an upper-case name', file('A.JPG', bytes([0xff, 0xd8, 0xff, 0xe0], NOISE)), 'media'],
    ['GIF', file('a.gif', bytes('GIF89a', NOISE)), 'media'],
    ['WebP', file('a.webp', bytes('RIFF....WEBP', NOISE)), 'media'],
    ['icon', file('favicon.ico', bytes([0, 0, 1, 0], NOISE)), 'media'],
    ['web font', file('a.woff2', bytes('wOF2', NOISE)), 'media'],
    ['TrueType font', file('a.ttf', bytes([0, 1, 0, 0], NOISE)), 'media'],
    ['MP3', file('a.mp3', bytes('ID3', NOISE)), 'media'],
    ['MP4', file('a.mp4', bytes([0, 0, 0, 0x20], 'ftypisom', NOISE)), 'media'],
    ['a large video', file('a.mp4', bytes([0, 0, 0, 0x20], 'ftypisom', randomBytes(LARGEST_READABLE))), 'media'],
    ['an image named as source', file('a.js', bytes('GIF89a', NOISE)), 'opaque'],
    ['an image named as another kind', file('a.mp3', bytes('GIF89a', NOISE)), 'opaque'],
    ['an image that may be executed', file('a.gif', bytes('GIF89a', NOISE), '100755'), 'opaque'],
    ['noise named as an image', file('a.png', NOISE), 'opaque'],
    ['an archive', file('a.tgz', gzipSync(NOISE)), 'opaque'],
    ['a compressed file', file('a.bin', deflateRawSync(NOISE)), 'opaque'],
    ['a small archive', file('a.tgz', gzipSync(SOURCE)), 'text'],
    ['a large text with a NUL', file('a.txt', bytes(SOURCE.repeat(1 + LARGEST_READABLE / 40), '\0')), 'opaque'],
    ['an empty file', file('a', Buffer.alloc(0)), 'text'],
  ])('%s', (_, version, expected) => {
    expect(readableForm(version).kind).toBe(expected);
  });

  test('a text keeps every readable line', () => {
    const shown = readableForm(file('a.js', bytes(SOURCE, '/* \0\x1b */\n')));
    expect(shown).toMatchObject({ kind: 'text', text: `${SOURCE}/* \\x00\\x1b */\n` });
    expect(readableForm(file('a.rc', bytes([0xff, 0xfe], Buffer.from(SOURCE, 'utf16le'))))).toMatchObject({
      text: SOURCE,
    });
  });

  test('two different versions of up to 16 KiB never look the same', () => {
    const piece = fc.constantFrom('\0', '\\', 'x00', 'x0', '\\x00', '\n', '\r', 'a', '\xe4', '\x1b', 'é', '\t');
    const content = fc.array(piece, { maxLength: 12 }).map((pieces) => bytes(...pieces));
    fc.assert(
      fc.property(content, content, (a, b) => {
        const [first, second] = [readableForm(file('a', a)), readableForm(file('a', b))];
        const isShown = first.kind === 'text' && second.kind === 'text';
        return !isShown || a.equals(b) || first.text !== second.text || first.note !== second.note;
      }),
      { numRuns: 2000 },
    );
  });

  test('code in any place of a file is shown, or the file is not taken for an image', () => {
    const noise = fc.integer({ min: 0, max: LARGEST_ESCAPED }).map((length) => NOISE.subarray(0, length));
    fc.assert(
      fc.property(
        noise,
        noise,
        fc.constantFrom('a.js', 'a.sh', 'Makefile', 'a.tgz', 'a.png'),
        (before, after, path) => {
          const shown = readableForm(file(path, bytes(before, '\0', SOURCE, after)));
          return shown.kind === 'opaque' || (shown.kind === 'text' && shown.text.includes('return evil(input);'));
        },
      ),
    );
  });
});

test.each([
  ['plain\ttext\r\n', 'plain\ttext\r\n'],
  ['a\0b', 'a\\x00b'],
  ['red \x1b[31m', 'red \\x1b[31m'],
  ['a\rb\n', 'a\\x0db\n'],
  ['\\x00 stays', '\\x00 stays'],
  ['\\x00 and \0', '\\\\x00 and \\x00'],
  ['\\\0', '\\\\\\x00'],
])('control characters of %j become %j', (text, expected) => {
  expect(escapeControls(text)).toBe(expected);
});
