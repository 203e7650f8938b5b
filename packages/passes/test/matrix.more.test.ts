import type { RunDocument } from '@onceover/gates/result/json';
import { type Clone, FOLDERS, reviewedBranch, type Team, team } from '@onceover/testing/sharing.ts';
import { describe, expect, test } from 'vitest';

type Judged = RunDocument & { readonly code: number | null };

/** A history of a reviewed change, and the gates that must be reviewed again, each with its reason. */
type History = {
  readonly title: string;
  /** Changes the branch after the review on the laptop, pushes it, and returns the clone that judges it. */
  play(house: Team, laptop: Clone): Promise<Clone> | Clone;
  readonly again?: Readonly<Record<string, string>>;
};

/** Commits on main in a clone of a colleague. */
function onMain(house: Team, path: string, text: string): void {
  const otherClone = house.clone();
  otherClone.write(path, text);
  otherClone.commit(`main changes ${path}`);
  otherClone.git('push', '-q', 'origin', 'main');
}

const push = (laptop: Clone) => laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/work');

const HISTORIES: readonly History[] = [
  { title: 'CI judges the same commit', play: (house) => house.ci('work') },
  { title: 'a colleague checks out the branch', play: (house) => colleague(house) },
  {
    title: 'rebase on an unrelated base',
    play(house, laptop) {
      onMain(house, 'README.md', 'more\n');
      laptop.git('fetch', '-q', 'origin');
      laptop.git('rebase', '-q', 'origin/main');
      push(laptop);
      return house.ci('work');
    },
  },
  {
    title: 'two commits are squashed',
    play(house, laptop) {
      laptop.git('reset', '-q', '--soft', 'origin/main');
      laptop.commit('squashed');
      push(laptop);
      return house.ci('work');
    },
  },
  {
    title: 'the commit is amended with another message and date',
    play(house, laptop) {
      laptop.git('commit', '-q', '--amend', '-m', 'better words', '--date', '2020-01-01T00:00:00Z');
      push(laptop);
      return house.ci('work');
    },
  },
  {
    title: 'one commit becomes four in another order',
    play(house, laptop) {
      laptop.git('reset', '-q', 'origin/main');
      for (const folder of [...FOLDERS].reverse()) {
        laptop.git('add', folder);
        laptop.git('commit', '-q', '-m', folder);
      }
      push(laptop);
      return house.ci('work');
    },
  },
  {
    title: 'main is merged into the branch and touches no file of a gate that changed',
    play(house, laptop) {
      onMain(house, 'src/other.txt', 'new on main\n');
      laptop.git('fetch', '-q', 'origin');
      laptop.git('merge', '-q', '--no-edit', 'origin/main');
      push(laptop);
      return house.ci('work');
    },
  },
  {
    title: 'cherry-pick to a release branch',
    play(house, laptop) {
      laptop.git('push', '-q', 'origin', 'origin/main:refs/heads/release-1');
      laptop.git('fetch', '-q', 'origin');
      const commit = laptop.git('rev-parse', 'HEAD').trim();
      laptop.git('checkout', '-q', '-B', 'pick', 'origin/release-1');
      laptop.git('cherry-pick', commit);
      laptop.git('push', '-q', '-f', 'origin', 'pick');
      return house.ci('pick', { target: 'release-1' });
    },
  },
  { title: 'a shallow CI clone', play: (house) => house.ci('work', { args: ['--depth', '5', '--no-single-branch'] }) },
  { title: 'a partial CI clone without blobs', play: (house) => house.ci('work', { args: ['--filter=blob:none'] }) },
  {
    title: 'a merge commit of the pull request, as GitHub checks out',
    play(house, laptop) {
      laptop.git('checkout', '-q', '-B', 'merged', 'origin/main');
      laptop.git('merge', '-q', '--no-ff', '--no-edit', 'work');
      laptop.git('push', '-q', '-f', 'origin', 'merged');
      return house.ci('merged');
    },
  },
  {
    title: 'the merge queue with two other reviewed changes in front',
    async play(house, laptop) {
      // Each change has folders of its own. A gate that two changes touch gets their sum, which no one has reviewed.
      await reviewedBranch(laptop, 'work', ['src']);
      await reviewedBranch(laptop, 'first', ['api', 'docs']);
      await reviewedBranch(laptop, 'second', ['web']);
      house.forget();
      laptop.git('checkout', '-q', '-B', 'queue', 'origin/main');
      laptop.git('merge', '-q', '--no-edit', '--no-ff', 'first', '-m', 'first');
      laptop.git('merge', '-q', '--no-edit', '--no-ff', 'second', '-m', 'second');
      laptop.git('merge', '-q', '--no-edit', '--no-ff', 'work', '-m', 'work');
      laptop.git('push', '-q', '-f', 'origin', 'queue');
      return house.queue('queue');
    },
  },
  {
    title: 'main changes a file of one gate, and the branch is rebased',
    play(house, laptop) {
      onMain(house, 'docs/a.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n');
      laptop.git('fetch', '-q', 'origin');
      laptop.git('rebase', '-q', '-X', 'theirs', 'origin/main');
      push(laptop);
      return house.ci('work');
    },
    again: { docs: 'base-changed' },
  },
];

function colleague(house: Team): Clone {
  const clone = house.clone();
  clone.git('checkout', '-q', 'work');
  return clone;
}

const totals = { gates: 0, accepted: 0, calls: 0 };

describe.each(HISTORIES)('$title', ({ play, again = {} }) => {
  test('reviews again only what changed, and says why', { timeout: 120_000 }, async () => {
    const house = team();
    const laptop = house.clone({ key: 'dev@example.com' });
    expect((await reviewedBranch(laptop, 'work')).code).toBe(0);
    house.forget();
    const judge = await play(house, laptop);
    const run: Judged = await judge.run();
    const reasons = Object.fromEntries(
      FOLDERS.map((folder) => [`review:${folder}:${folder}-quality`, again[folder] ?? 'accepted']),
    );
    expect(await reasonsOf(judge, run)).toEqual(reasons);
    expect(run.code).toBe(0);
    expect(house.calls()).toBe(Object.keys(again).length);
    totals.gates += FOLDERS.length;
    totals.accepted += FOLDERS.length - Object.keys(again).length;
    totals.calls += house.calls();
    // A second look needs no network and says the same.
    expect((await judge.command('status')).code).toBe(0);
  });
});

/** Returns for each gate 'accepted', or the reason that `explain` gives why no pass counts. */
async function reasonsOf(judge: Clone, { gates }: Judged): Promise<Readonly<Record<string, string>>> {
  const reasons: Record<string, string> = {};
  for (const { id, why } of gates) {
    if (why === 'accepted') reasons[id] = why;
    else {
      const explanation = await judge.command('explain', id, '--json');
      const { gate } = JSON.parse(explanation.stdout) as { readonly gate: Judged['gates'][number] };
      reasons[id] = gate.slots[0]?.not_accepted?.why ?? why;
    }
  }
  return reasons;
}

test('at least 95 % of all gates were accepted', () => {
  expect(totals.gates).toBeGreaterThanOrEqual(HISTORIES.length * FOLDERS.length);
  expect(totals.accepted / totals.gates).toBeGreaterThanOrEqual(0.95);
  expect(totals.calls).toBe(totals.gates - totals.accepted);
});
