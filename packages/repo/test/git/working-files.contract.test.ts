import { createHash } from 'node:crypto';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Contents } from '@onceover/base/kernel/repository';
import { memoryContents } from '@onceover/testing/memory/contents.ts';
import { emptyRepo } from '@onceover/testing/repo.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openContents } from '../../src/git/working-files.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

contentsContract('in memory', memoryContents);
contentsContract('on disk', (files) => {
  const repo = emptyRepo();
  for (const [path, content] of Object.entries(files)) repo.write(path, content);
  return openContents(repo.root);
});

/** The contract of Contents. */
function contentsContract(name: string, open: (files: Files) => Contents): void {
  const digest = (contents: Contents, ...paths: string[]) => contents.digest(paths as RepoPath[]);

  describe(`contents ${name}`, () => {
    test('hashes files in the given order', async () => {
      const contents = open({ 'a.txt': 'one', 'sub/b.txt': 'two' });
      expect(await digest(contents, 'sub/b.txt', 'a.txt')).toEqual({
        hash: sha256('twoone'),
        files: [
          { path: 'sub/b.txt', sha256: sha256('two'), link: null },
          { path: 'a.txt', sha256: sha256('one'), link: null },
        ],
      });
    });

    test('hashes any bytes in any order', async () => {
      const byteArrays = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(byteArrays, async (bytes) => {
          const files = Object.fromEntries(bytes.map((content, n) => [`f${n}`, content]));
          const order = Object.keys(files).reverse();
          const { hash } = await digest(open(files), ...order);
          expect(hash).toBe(sha256(Buffer.concat([...bytes].reverse())));
        }),
        { numRuns: 15 },
      );
    });

    test('a missing file and a folder count as MISSING [REVIEW-REQ-009.1.5]', async () => {
      const contents = open({ 'a.txt': 'one', 'sub/b.txt': 'two' });
      const { hash, files } = await digest(contents, 'a.txt', 'gone.txt', 'sub', 'sub/b.txt');
      expect(hash).toBe(sha256('oneMISSINGMISSINGtwo'));
      expect(files.map((file) => file.sha256)).toEqual([sha256('one'), null, null, sha256('two')]);
    });

    test('returns the hash of no bytes for no files', async () => {
      expect(await digest(open({}))).toEqual({ hash: sha256(''), files: [] });
    });

    test('gives the same result twice', async () => {
      const contents = open({ 'a.txt': 'one', 'b.txt': 'two' });
      const first = await digest(contents, 'a.txt', 'b.txt');
      await digest(contents, 'b.txt');
      expect(await digest(contents, 'a.txt', 'b.txt')).toEqual(first);
    });

    test.each([
      ['a.txt', 'file'],
      ['sub', 'folder'],
      ['sub/deep', 'folder'],
      ['sub/deep/b.txt', 'file'],
      ['gone', 'missing'],
      ['gone/b.txt', 'missing'],
      ['a', 'missing'],
      ['a.txt/b.txt', 'missing'],
    ])('exists %s: %s', async (path, exists) => {
      const contents = open({ 'a.txt': 'one', 'sub/deep/b.txt': 'two' });
      expect(await contents.exists(path as RepoPath)).toBe(exists);
    });

    test.each([
      ['whole', 'häh', 9, { kind: 'text', text: 'häh', bytes: 4, cut: false }],
      ['of just the limit', 'häh', 4, { kind: 'text', text: 'häh', bytes: 4, cut: false }],
      ['cut after a character', 'häh', 3, { kind: 'text', text: 'hä', bytes: 3, cut: true }],
      ['cut inside a character of two bytes', 'häh', 2, { kind: 'text', text: 'h', bytes: 1, cut: true }],
      ['cut inside a character of four bytes', 'a😀b', 4, { kind: 'text', text: 'a', bytes: 1, cut: true }],
      ['cut to nothing', 'häh', 0, { kind: 'text', text: '', bytes: 0, cut: true }],
      ['empty', '', 9, { kind: 'text', text: '', bytes: 0, cut: false }],
      ['not UTF-8', Buffer.from([0x68, 0xe4, 0x68]), 9, { kind: 'unusable', why: 'not-utf8' }],
      ['ending inside a character', Buffer.from([0x68, 0xc3]), 9, { kind: 'unusable', why: 'not-utf8' }],
      ['binary', Buffer.from([0x68, 0, 0x68]), 9, { kind: 'unusable', why: 'binary' }],
    ])('returns a text: %s', async (_, content, limit, fileText) => {
      expect(await open({ 'a.txt': content }).text('a.txt' as RepoPath, limit)).toEqual(fileText);
    });

    test('has no text for a path that is not a file', async () => {
      const contents = open({ 'sub/b.txt': 'two' });
      expect(await contents.text('gone.txt' as RepoPath, 9)).toEqual({ kind: 'unusable', why: 'missing' });
      expect(await contents.text('sub' as RepoPath, 9)).toEqual({ kind: 'unusable', why: 'not-a-file' });
    });
  });
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
