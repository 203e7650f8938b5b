import type { RepoPath } from '@onceover/base/kernel/ids.ts';
import { SUBMODULE } from '@onceover/base/kernel/repository.ts';
import { entry } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { hiddenByFix, type SeenFiles } from '../../src/trust/hidden-by-fix.ts';

const seen = (prints: Readonly<Record<string, string>>, differs: Partial<SeenFiles> = {}): SeenFiles => ({
  entries: [entry({ path: 'src/a.ts' as RepoPath, headBlob: 'h' })],
  dirty: [],
  visibility: { settings: 's', unseen: new Map(Object.entries(prints)) },
  ...differs,
});

const BEFORE = seen({ 'src/a.ts': '1', 'build/a.js': '1' });

const fixing = (path: string, text: string) => [{ paths: [path as RepoPath], text }];

describe('what a fix hid', () => {
  test.each<[string, SeenFiles, readonly (string | null)[]]>([
    ['nothing, if only a reviewed file changed', seen({ 'src/a.ts': '2', 'build/a.js': '1' }), []],
    ['nothing, if a hidden file was removed', seen({ 'src/a.ts': '1' }), []],
    ['a new file that no reviewer sees', seen({ 'build/a.js': '1', 'build/b.js': '1' }), ['build/b.js']],
    ['a hidden file that changed', seen({ 'build/a.js': '2' }), ['build/a.js']],
    ['a reviewed file that no reviewer sees any more', seen({ 'src/a.ts': '1' }, { entries: [] }), ['src/a.ts']],
    ['nothing, if a tool wrote to its cache', seen({ 'lib/__pycache__/a.pyc': '1', 'web/coverage/x.json': '1' }), []],
    ['nothing, if onceover wrote instructions', seen({ '.deepwork/tmp/review_instructions/a.md': '1' }), []],
    ['another file where onceover keeps its own', seen({ '.deepwork/tmp/a.ts': '1' }), ['.deepwork/tmp/a.ts']],
    [
      'a new repository inside the repository',
      seen({}, { entries: [entry({ path: 'inner' as RepoPath, mode: SUBMODULE, headBlob: 'c' })] }),
      ['inner'],
    ],
    ['an edit in such a repository', seen({}, { dirty: [{ path: 'inner' as RepoPath, print: '2' }] }), ['inner/']],
    ["git's own settings", seen({}, { visibility: { settings: 't', unseen: new Map() } }), [null]],
  ])('is %s', (_title, after, paths) => {
    expect(hiddenByFix(BEFORE, after, [])).toEqual(paths);
  });

  test.each(['.gitignore', 'src/.gitattributes', '.gitmodules'])('is a rule of git in %s', (path) => {
    expect(hiddenByFix(BEFORE, BEFORE, fixing(path, '+*'))).toEqual([path]);
  });

  test('is a file in the cache of a tool, if the fix mentions the cache', () => {
    const after = seen({ 'coverage/a.ts': '1' });
    expect(hiddenByFix(BEFORE, after, fixing('src/a.ts', "-x\n+import '../coverage/a';"))).toEqual(['coverage/a.ts']);
    expect(hiddenByFix(BEFORE, after, fixing('src/a.ts', '-coverage\n+x'))).toEqual([]);
  });
});
