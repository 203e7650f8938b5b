import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { memoryFeatureFiles } from '@onceover/testing/memory/feature-files.ts';
import { metaOf } from '@onceover/testing/phase/meta.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { FeatureFiles } from '../../../src/phases/record/store.ts';
import { openFeatureFiles } from '../../../src/phases/record/store.ts';

const FEATURE = 'docs/f' as RepoPath;

type Opened = {
  readonly files: FeatureFiles;
  write(name: string, text: string): void;
  read(name: string): string;
  remove(name: string): void;
  names(): readonly string[];
};

featureFilesContract('in memory', () => {
  const texts = new Map<string, string>();
  const store = {
    read: (path: string) => texts.get(path) ?? null,
    write: (path: string, text: string) => void texts.set(path, text),
    remove: (path: string) => void texts.delete(path),
  };
  return {
    files: memoryFeatureFiles(store, FEATURE),
    write: (name, text) => store.write(`${FEATURE}/${name}`, text),
    read: (name) => store.read(`${FEATURE}/${name}`) ?? '',
    remove: (name) => store.remove(`${FEATURE}/${name}`),
    names: () => [...texts.keys()].map((path) => path.slice(FEATURE.length + 1)).sort(),
  };
});

featureFilesContract('on disk', () => {
  const root = temporaryFolder();
  const folder = join(root, FEATURE);
  mkdirSync(folder, { recursive: true });
  return {
    files: openFeatureFiles(root, FEATURE),
    write: (name, text) => writeFileSync(join(folder, name), text),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    remove: (name) => rmSync(join(folder, name)),
    names: () => readdirSync(folder).sort(),
  };
});

/** The contract of every implementation of FeatureFiles. */
function featureFilesContract(name: string, open: () => Opened): void {
  const AT = new Date('2026-03-04T05:06:07.089Z');
  const ASIDE = '.meta.json.unreadable-20260304T050607089Z';
  const fine = { ok: true, value: undefined };

  describe(`feature files ${name}`, () => {
    test('a missing history is empty; written text is read back exactly', async () => {
      const { files, names } = open();
      expect(await files.history()).toEqual({ ok: true, value: '' });
      expect(names()).toEqual([]);
      const text = '## By a person\r\n\r\nä 日本 😀\tno end of line';
      expect(await files.writeHistory(text)).toEqual(fine);
      expect(await files.history()).toEqual({ ok: true, value: text });
      expect(names()).toEqual(['.review-history.md']);
    });

    test('a history by a person is read exactly, with its byte order mark and line ends', async () => {
      const { files, write } = open();
      write('.review-history.md', '\ufeff# Ours\r\n\r\nkept\r\n');
      expect(await files.history()).toEqual({ ok: true, value: '\ufeff# Ours\r\n\r\nkept\r\n' });
    });

    test.each([
      ['nothing', null, { source: null }],
      ['an empty file', '', { source: null }],
      ['an object', '{"id":"7"}', { source: null }],
      ['one with a source', '{"brainstorm_source":"docs/b.md"}', { source: 'docs/b.md' }],
      ['one with a byte order mark', '\ufeff{"brainstorm_source":"b.md"}\r\n', { source: 'b.md' }],
      ['an invalid source', '{"brainstorm_source":7}', { source: null }],
      ['a truncated file', '{"id":', null],
      ['a list', '[]', null],
    ])('.meta.json with %s', async (_title, text, expected) => {
      const { files, write, names } = open();
      if (text !== null) write('.meta.json', text);
      expect(await files.meta()).toEqual({ ok: true, value: expected });
      expect(names()).toEqual(text === null ? [] : ['.meta.json']);
    });

    test('writes a phase and keeps other fields', async () => {
      const { files, write, read, names } = open();
      write('.meta.json', '{\n    "id": "7",\n    "phases": { "design": { "owner": "me" } }\n}\n');
      expect(await files.writeMeta(metaOf({ phase: 'design' }), AT)).toEqual({ ok: true, value: null });
      expect(JSON.parse(read('.meta.json'))).toMatchObject({ id: '7', phases: { design: { owner: 'me' } } });
      expect(read('.meta.json')).toMatch(/^\{\n {4}"id"/);
      expect(names()).toEqual(['.meta.json']);
    });

    test('writes a phase to a new file', async () => {
      const { files, read } = open();
      expect(await files.writeMeta(metaOf({ phase: 'design' }), AT)).toEqual({ ok: true, value: null });
      expect(JSON.parse(read('.meta.json'))).toMatchObject({ phases: { design: {} } });
    });

    test.each([
      ['not JSON', '{"id": "7",, oh'],
      ['phases that are not an object', '{"phases": "all"}'],
    ])('%s: renames the file unchanged before writing', async (_title, corrupt) => {
      const { files, write, read, names } = open();
      write('.meta.json', corrupt);
      expect(await files.writeMeta(metaOf({ phase: 'design' }), AT)).toEqual({ ok: true, value: ASIDE });
      expect(read(ASIDE)).toBe(corrupt);
      expect(JSON.parse(read('.meta.json'))).toMatchObject({ phases: { design: {} } });
      expect(names()).toEqual(['.meta.json', ASIDE]);
    });

    test('renames the file without writing', async () => {
      const { files, write, read, names } = open();
      write('.meta.json', 'oh');
      expect(await files.putMetaAside(AT)).toEqual({ ok: true, value: ASIDE });
      expect([read(ASIDE), names()]).toEqual(['oh', [ASIDE]]);
      expect(await files.meta()).toEqual({ ok: true, value: { source: null } });
    });

    test('twice at the same moment: both files are kept', async () => {
      const { files, write, read, names } = open();
      for (const text of ['one', 'two']) {
        write('.meta.json', text);
        const aside = await files.putMetaAside(AT);
        expect(aside.ok && read(aside.value)).toBe(text);
      }
      expect(names().map(read).sort()).toEqual(['one', 'two']);
    });

    test('fails to rename a missing file', async () => {
      expect(await open().files.putMetaAside(AT)).toMatchObject({ ok: false, failure: { code: 'ENOENT' } });
    });
  });
}
