import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { TreeFile } from '../../src/domain/ports.ts';
import { phaseContent } from '../../src/plan/phase-content.ts';
import { entry } from '../support/run-samples.ts';

const DOCUMENTS = ['docs/prd.md', 'docs/spec.md'] as RepoPath[];
const file = (id: string, mode = '100644'): TreeFile => ({ id, mode });
const tree = (files: Readonly<Record<string, TreeFile>>) => new Map(Object.entries(files) as [RepoPath, TreeFile][]);

const FILES = tree({ 'docs/prd.md': file('p1'), 'docs/spec.md': file('s1') });
const ENTRIES = [entry({ path: 'src/a.ts' }), entry({ path: 'src/b.ts' })];
const usual = phaseContent(DOCUMENTS, FILES, ENTRIES);

describe('is another', () => {
  test.each<[string, string]>([
    ['a document', phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p1'), 'docs/spec.md': file('s2') }), ENTRIES)],
    [
      'one that it rests on',
      phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p2'), 'docs/spec.md': file('s1') }), ENTRIES),
    ],
    [
      'the mode of one',
      phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p1'), 'docs/spec.md': file('s1', '120000') }), ENTRIES),
    ],
    ['one that is gone', phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('p1') }), ENTRIES)],
    [
      'two that changed places',
      phaseContent(DOCUMENTS, tree({ 'docs/prd.md': file('s1'), 'docs/spec.md': file('p1') }), ENTRIES),
    ],
    ['a document that is not asked for', phaseContent(['docs/spec.md' as RepoPath], FILES, ENTRIES)],
    [
      'code',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts', headBlob: 'h2' }), entry({ path: 'src/b.ts' })]),
    ],
    [
      'its mode',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts', mode: '100755' }), entry({ path: 'src/b.ts' })]),
    ],
    [
      'code that is gone',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts', headBlob: null }), entry({ path: 'src/b.ts' })]),
    ],
    [
      'code that is renamed',
      phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/c.ts' }), entry({ path: 'src/b.ts' })]),
    ],
    ['one file less', phaseContent(DOCUMENTS, FILES, [entry({ path: 'src/a.ts' })])],
    ['no code', phaseContent(DOCUMENTS, FILES, [])],
  ])('%s', (_title, content) => {
    expect(content).not.toBe(usual);
  });
});

describe('is the same', () => {
  test.each<[string, string]>([
    ['in another order', phaseContent(DOCUMENTS, FILES, [...ENTRIES].reverse())],
    ['beside other files', phaseContent(DOCUMENTS, new Map([...FILES, ['README' as RepoPath, file('r')]]), ENTRIES)],
    [
      'from another base',
      phaseContent(
        DOCUMENTS,
        FILES,
        ENTRIES.map((one) => ({ ...one, baseBlob: null })),
      ),
    ],
  ])('%s', (_title, content) => {
    expect(content).toBe(usual);
  });

  test('of a deleted file, whatever its mode was', () => {
    const gone = (mode: string) => phaseContent(DOCUMENTS, FILES, [entry({ headBlob: null, mode })]);
    expect(gone('100644')).toBe(gone('100755'));
  });
});

test('no name runs into the next', () => {
  const of = (...paths: string[]) =>
    phaseContent(
      [],
      new Map(),
      paths.map((path) => entry({ path })),
    );
  expect(of('a","b')).not.toBe(of('a', 'b'));
});
