import { findRepository } from '@onceover/repo/git/locate';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { gatherCases } from '../../src/read/gather.ts';
import { loadParsers } from '../../src/read/parsers.ts';
import type { CaseSource, ProofCase } from '../../src/types.ts';

const SOURCE = `export function NAME(list: number[], most: number): number[] {
  if (list.length === 0) return [];
  copy(list, most);
  return list.slice(0, most);
}
`;

/** Makes a repository with two commits that each add a function. Its lines can contain bugs of several kinds. */
async function repository() {
  const repo = repoWith({ 'README.md': 'Read me.\n' });
  for (const name of ['first', 'second']) {
    repo.write(`src/${name}.ts`, SOURCE.replace('NAME', name));
    repo.commit(`Add ${name}`);
  }
  const result = await findRepository(repo.root);
  if (!result.ok) throw new Error(result.failure.kind);
  return result.value;
}

async function casesOf(sources: readonly CaseSource[], bugsPerChange: number, seed = 1): Promise<readonly ProofCase[]> {
  const parsers = loadParsers(import.meta.dirname);
  const options = { repository: await repository(), parsers, seed, most: 20, sources, bugsPerChange };
  const cases = await gatherCases({ ...options, covers: () => true });
  if (!cases.ok) throw new Error(cases.failure.kind);
  return cases.value;
}

const fileOf = ({ planted }: ProofCase) => planted?.places[0]?.file;
const mutantsIn = (cases: readonly ProofCase[]) => cases.filter(({ source }) => source === 'mutant');

test('each real change offers one bug, and with checks further bugs that come last', async () => {
  const firstMutants = mutantsIn(await casesOf([], 1));
  expect(firstMutants.map(fileOf).sort()).toEqual(['src/first.ts', 'src/second.ts']);
  const cases = await casesOf([], 3);
  const mutants = mutantsIn(cases);
  expect(mutants).toHaveLength(6);
  expect(mutants.slice(0, 2).map(fileOf).sort()).toEqual(['src/first.ts', 'src/second.ts']);
  expect(cases.slice(-4)).toEqual(mutants.slice(-4));
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(6);
});

test('the same seed gives the same cases, and another seed gives others', async () => {
  const titles = async (seed: number) =>
    mutantsIn(await casesOf(['mutant'], 3, seed)).map(({ title }) => title.replace(/ in [0-9a-f]{10}/, ''));
  expect(await titles(5)).toEqual(await titles(5));
  expect(await titles(6)).not.toEqual(await titles(5));
});
