import type { RepoPath } from '@onceover/base/kernel/ids';
import { SUBMODULE } from '@onceover/base/kernel/repository';
import { entry } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { hiddenByFix, type SeenFiles } from '../../src/trust/hidden-by-fix.ts';

const seenFiles = (prints: Readonly<Record<string, string>>, differs: Partial<SeenFiles> = {}): SeenFiles => ({
  entries: [entry({ path: 'src/a.ts' as RepoPath, headBlob: 'h' })],
  dirty: [],
  visibility: { settings: 's', unseen: new Map(Object.entries(prints)) },
  ...differs,
});

const BEFORE = seenFiles({ 'src/a.ts': '1', 'build/a.js': '1' });

const fixing = (path: string, text: string) => [{ paths: [path as RepoPath], text }];

describe('what a fix hid', () => {
  test.each<[string, SeenFiles, readonly (string | null)[]]>([
    ['nothing, if only a reviewed file changed', seenFiles({ 'src/a.ts': '2', 'build/a.js': '1' }), []],
    ['nothing, if a hidden file was removed', seenFiles({ 'src/a.ts': '1' }), []],
    ['a new file that no reviewer sees', seenFiles({ 'build/a.js': '1', 'build/b.js': '1' }), ['build/b.js']],
    ['a hidden file that changed', seenFiles({ 'build/a.js': '2' }), ['build/a.js']],
    ['a reviewed file that no reviewer sees any more', seenFiles({ 'src/a.ts': '1' }, { entries: [] }), ['src/a.ts']],
    [
      'nothing, if a tool wrote to its cache',
      seenFiles({ 'lib/__pycache__/a.pyc': '1', 'web/coverage/x.json': '1' }),
      [],
    ],
    ['nothing, if onceover wrote instructions', seenFiles({ '.deepwork/tmp/review_instructions/a.md': '1' }), []],
    ['another file where onceover keeps its own', seenFiles({ '.deepwork/tmp/a.ts': '1' }), ['.deepwork/tmp/a.ts']],
    [
      'a new repository inside the repository',
      seenFiles({}, { entries: [entry({ path: 'inner' as RepoPath, mode: SUBMODULE, headBlob: 'c' })] }),
      ['inner'],
    ],
    ['an edit in such a repository', seenFiles({}, { dirty: [{ path: 'inner' as RepoPath, print: '2' }] }), ['inner/']],
    ["git's own settings", seenFiles({}, { visibility: { settings: 't', unseen: new Map() } }), [null]],
  ])('is %s', (_title, after, paths) => {
    expect(hiddenByFix(BEFORE, after, [])).toEqual(paths);
  });

  test.each(['.gitignore', 'src/.gitattributes', '.gitmodules'])('is a rule of git in %s', (path) => {
    expect(hiddenByFix(BEFORE, BEFORE, fixing(path, '+*'))).toEqual([path]);
  });

  test('is a file that the fix made unreadable', () => {
    const paths = ['src/a.ts' as RepoPath];
    expect(hiddenByFix(BEFORE, BEFORE, [{ paths, text: '', unseen: 'opaque' }])).toEqual(paths);
    expect(hiddenByFix(BEFORE, BEFORE, [{ paths, text: '', unseen: 'media' }])).toEqual([]);
  });

  test('is a file in the cache of a tool, if the fix mentions the cache', () => {
    const after = seenFiles({ 'coverage/a.ts': '1' });
    expect(hiddenByFix(BEFORE, after, fixing('src/a.ts', "-x\n+import '../coverage/a';"))).toEqual(['coverage/a.ts']);
    expect(hiddenByFix(BEFORE, after, fixing('src/a.ts', '-coverage\n+x'))).toEqual([]);
  });
});
