import { commitOf } from '@onceover/testing/forges/world.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Authority,
  type AuthorityFacts,
  decideAuthority,
  decidingFiles,
} from '../../src/standing/decide-authority.ts';
import { decideConfirmers, describeConfirmation } from '../../src/standing/decide-confirmation.ts';
import type { ForgeComment, PullAuthors } from '../../src/types.ts';

const OWN: AuthorityFacts = {
  ...{ maker: 'this-job', workflow: 'change', isFork: false, edits: [], ranCommands: true },
  ...{ isDeclaredUntrusted: false, confirmedBy: null },
};
const FORK = { isFork: true };
const EDITS = { edits: ['.github/workflows/review.yml'] };
const BASE_JOB = { workflow: 'base' } as const;

describe('who may say that a change passes', () => {
  test.each<[string, Partial<AuthorityFacts>, Extract<Authority, { counts: true }>['by'] | 'no one']>([
    ['the job of a branch of the repository', {}, 'own-branch'],
    ['two jobs of such a branch', { maker: 'other-job' }, 'own-branch'],
    ['a file of such a branch, in a publisher that it does not control', { maker: 'other-job', ...BASE_JOB }, 'no one'],
    ['the job of a fork', FORK, 'no one'],
    ['two jobs of a fork', { ...FORK, maker: 'other-job' }, 'no one'],
    ['a file of a fork, in a second workflow', { ...FORK, ...BASE_JOB, maker: 'other-job' }, 'no one'],
    ['a job of the target branch that runs code of a fork', { ...FORK, ...BASE_JOB }, 'no one'],
    [
      'a job of the target branch that only reviews a fork',
      { ...FORK, ...BASE_JOB, ranCommands: false },
      'isolated-job',
    ],
    ['the job of a branch that edits its workflow', EDITS, 'no one'],
    ['two jobs of such a branch', { ...EDITS, maker: 'other-job' }, 'no one'],
    ['a job of the target branch that only reviews it', { ...EDITS, ...BASE_JOB, ranCommands: false }, 'isolated-job'],
    ['the server, for a fork', { ...FORK, ...BASE_JOB, maker: 'server' }, 'server'],
    ['the server, for a branch that edits its workflow', { ...EDITS, ...BASE_JOB, maker: 'server' }, 'server'],
    ['the merge queue', { ...EDITS, maker: 'merge-queue' }, 'merge-queue'],
    ['a person, for a fork', { ...FORK, confirmedBy: 'ann' }, 'person'],
    ['a person, for a branch that edits its workflow', { ...EDITS, confirmedBy: 'ann' }, 'person'],
    ['a job that says that its author controls it', { isDeclaredUntrusted: true }, 'no one'],
    ['a person, for such a job', { isDeclaredUntrusted: true, confirmedBy: 'ann' }, 'person'],
  ])('%s', (_title, differs, by) => {
    const authority = decideAuthority({ ...OWN, ...differs });
    expect(authority.counts ? authority.by : 'no one').toBe(by);
  });

  test('a fork never vouches for itself, nor does a change of how changes are judged', () => {
    const facts: fc.Arbitrary<AuthorityFacts> = fc.record({
      maker: fc.constantFrom('this-job', 'other-job'),
      workflow: fc.constantFrom('change', 'base'),
      isFork: fc.boolean(),
      edits: fc.constantFrom([], EDITS.edits),
      ranCommands: fc.boolean(),
      isDeclaredUntrusted: fc.boolean(),
      confirmedBy: fc.constant(null),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const authority = decideAuthority(given);
        const isAuthors = given.isFork || given.edits.length > 0 || given.isDeclaredUntrusted;
        if (authority.counts && isAuthors) expect(authority.by).toBe('isolated-job');
      }),
    );
  });

  test.each([
    ['onceover.yml', true],
    ['onceover.yaml', true],
    ['docs/onceover.yml', false],
    ['.onceover/reviews/a.md', true],
    ['.deepreview', true],
    ['src/deep/.deepreview', true],
    ['.github/workflows/ci.yml', true],
    ['.GitHub/Workflows/ci.yml', true],
    ['.github/actions/x/action.yml', true],
    ['.github/ISSUE_TEMPLATE/bug.md', false],
    ['.github/dependabot.yml', false],
    ['.gitlab-ci.yml', true],
    ['.gitlab/ci/x.yml', true],
    ['src/.gitlab-ci.yml', false],
    ['.gitignore', false],
    ['src/workflows/a.ts', false],
    ['package.json', false],
  ])('%s decides how changes are judged: %s', (path, isDeciding) => {
    expect(decidingFiles([{ path, oldPath: path }])).toEqual(isDeciding ? [path] : []);
    expect(decidingFiles([{ path: 'x', oldPath: path }])).toEqual(isDeciding ? [path] : []);
  });
});

describe('a person confirms', () => {
  const change = { head: commitOf(1), base: 'main' };
  const own = { accounts: ['mallory'], isKnown: true };
  const authors: PullAuthors = { author: 'mallory', commits: [own] };
  const comment = (differs: Partial<ForgeComment> = {}): ForgeComment => ({
    ...{ id: '1', body: describeConfirmation(change), isOwn: false, isHidden: false, isEdited: false },
    author: { name: 'ann', isPerson: true },
    ...differs,
  });

  test.each<[string, Partial<ForgeComment>, Partial<PullAuthors>, boolean]>([
    ['exactly this commit and branch', {}, {}, true],
    ['with more text below', { body: `${describeConfirmation(change)}\r\nLooks good.` }, {}, true],
    ['another commit', { body: describeConfirmation({ ...change, head: commitOf(2) }) }, {}, false],
    ['another branch', { body: describeConfirmation({ ...change, base: 'release' }) }, {}, false],
    ['the beginning of the commit', { body: '/onceover confirm 0000000 main' }, {}, false],
    ['in a quotation', { body: `> ${describeConfirmation(change)}` }, {}, false],
    ['below other text', { body: `Yes:\n${describeConfirmation(change)}` }, {}, false],
    ['in a comment that was edited', { isEdited: true }, {}, false],
    ['as a program', { author: { name: 'helper', isPerson: false } }, {}, false],
    ['as an account that was deleted', { author: null }, {}, false],
    ['as the author', { author: { name: 'mallory', isPerson: true } }, {}, false],
    ['as the author in other letters', { author: { name: 'Mallory', isPerson: true } }, {}, false],
    ['as the author of a commit', {}, { commits: [own, { accounts: ['Ann'], isKnown: true }] }, false],
    [
      'as one of several authors of a commit',
      {},
      { commits: [{ accounts: ['mallory', 'ann'], isKnown: true }] },
      false,
    ],
    ['a pull request with a commit of an unknown author', {}, { commits: [{ accounts: [], isKnown: false }] }, false],
    ['a pull request of a deleted account', {}, { author: null }, false],
    [
      'a pull request of a program',
      {},
      { author: 'renovate', commits: [{ accounts: ['renovate[bot]'], isKnown: true }] },
      true,
    ],
  ])('%s', (_title, differs, wrote, counts) => {
    expect(decideConfirmers([comment(differs)], change, { ...authors, ...wrote })).toEqual(counts ? ['ann'] : []);
  });
});
