import type { RepoPath } from '@onceover/base/kernel/ids';
import type { TreeFile } from '@onceover/base/kernel/repository';
import { entry } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { phaseContent } from '../../../src/phases/read/subject.ts';

const DOCUMENTS = ['docs/prd.md', 'docs/spec.md'] as RepoPath[];
const file = (id: string, mode = '100644'): TreeFile => ({ id, mode });
const tree = (files: Readonly<Record<string, TreeFile>>) => new Map(Object.entries(files) as [RepoPath, TreeFile][]);

const FILES = tree({ 'docs/prd.md': file('p1'), 'docs/spec.md': file('s1') });
const ENTRIES = [entry({ path: 'src/a.ts' }), entry({ path: 'src/b.ts' })];
const usual = phaseContent(DOCUMENTS, FILES, ENTRIES);

describe('changes', () => {
  test.each<[string, string]>([
    ['a document', phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p1'), 'docs/spec.md': file('s2') }), ENTRIES)],
    [
      'an upstream document',
      phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p2'), 'docs/spec.md': file('s1') }), ENTRIES),
    ],
    [
      'the mode of a document',
      phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p1'), 'docs/spec.md': file('s1', '120000') }), ENTRIES),
    ],
    ['a deleted document', phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p1') }), ENTRIES)],
    [
      'two swapped documents',
      phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('s1'), 'docs/spec.md': file('p1') }), ENTRIES),
    ],
    ['an optional document', phaseContent(['docs/spec.md' as RepoPath], FILES, ENTRIES)],
    [
      'code',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts', headBlob: 'h2' }), entry({ path: 'src/b.ts' })]),
    ],
    [
      'its mode',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts', mode: '100755' }), entry({ path: 'src/b.ts' })]),
    ],
    [
      'deleted code',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts', headBlob: null }), entry({ path: 'src/b.ts' })]),
    ],
    ['renamed code', phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/c.ts' }), entry({ path: 'src/b.ts' })])],
    ['one file less', phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts' })])],
    ['no code', phaseContent(DOCUMENTS, FILES, [])],
  ])('%s', (_title, content) => {
    expect(content).not.toBe(usual);
  });
});

describe('stays the same', () => {
  test.each<[string, string]>([
    ['in another order', phaseContent(DOCUMENTS, FILES, [...ENTRIES].reverse())],
    [
      'with other files changed',
      phaseContent(DOCUMENTS, new Map([...FILES, ['README' as RepoPath, file('r')]]), ENTRIES),
    ],
    [
      'with another base',
      phaseContent(
        DOCUMENTS,
        FILES,
        ENTRIES.map((file) => ({ ...file, baseBlob: null })),
      ),
    ],
  ])('%s', (_title, content) => {
    expect(content).toBe(usual);
  });

  test('of a deleted file, whatever its mode was', () => {
    const deletion = (mode: string) => phaseContent(DOCUMENTS, FILES, [entry({ headBlob: null, mode })]);
    expect(deletion('100644')).toBe(deletion('100755'));
  });
});

test('names are separated unambiguously', () => {
  const of = (...paths: string[]) =>
    phaseContent(
      [],
      new Map(),
      paths.map((path) => entry({ path })),
    );
  expect(of('a","b')).not.toBe(of('a', 'b'));
});
