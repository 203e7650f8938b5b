import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { Selection } from '@onceover/base/kernel/repository';
import type { RunOutcome } from '@onceover/gates/result/types';
import type { SlotRecord } from '@onceover/gates/run/record-types';
import { expect } from 'vitest';
import { type Ground, newModel } from './model.ts';
import type { Asked, ObservedRun } from './observed.ts';
import { standings } from './plan.ts';
import { PATHS, REVIEWS, type Setup, TEXTS } from './setup.ts';
import { standAt } from './stand.ts';
import type { RunStep, Step } from './steps.ts';
import { verifyRun, verifyStatus } from './verify.ts';
import { openWorld, type World } from './world.ts';

/** Counts of steps, runs, slots that ran, runs that passed something, and skipped slots. */
export type Played = { steps: number; runs: number; looks: number; passed: number; rested: number };

/** Plays the steps, and compares every run with the model. */
export async function play(setup: Setup, steps: readonly Step[]): Promise<Played> {
  const world = openWorld();
  const model = newModel();
  let now = setup;
  const played: Played = { steps: steps.length, runs: 0, looks: 0, passed: 0, rested: 0 };
  for (const [i, step] of steps.entries()) {
    const ground: Ground = { model, clone: world.clone, tree: world.index(), setup: now };
    try {
      if (step.do === 'run') count(played, await playRun(world, ground, step));
      else if (step.do === 'prompt' || step.do === 'count') now = changed(now, step);
      else if (step.do === 'settings') now = { ...now, ...step.change };
      else if (step.do === 'security') now = { ...now, hasSecurity: !now.hasSecurity };
      else if (step.do === 'status') await playStatus(world, ground, askedOf(now, step));
      else await playStep(world, ground, step);
    } catch (error) {
      if (error instanceof Error) error.message = `step ${i + 1} of ${steps.length}: ${error.message}`;
      throw error;
    }
  }
  return played;
}

function count(played: Played, { outcome, waves, writes }: ObservedRun): void {
  played.runs++;
  played.looks += waves.flatMap(({ looks }) => looks).length;
  if (outcome?.exitCode === 0 && outcome.gates.length > 0) played.passed++;
  played.rested += writes.filter((one) => one.kind === 'slot' && one.record.status === 'skipped_prior_pass').length;
}

function changed(
  setup: Setup,
  { do: what, review, value }: { do: 'prompt' | 'count'; review: number; value: number },
): Setup {
  const put = (list: readonly number[], one: number) => list.map((old, i) => (i === review % list.length ? one : old));
  return what === 'prompt'
    ? { ...setup, prompts: put(setup.prompts, value) }
    : { ...setup, counts: put(setup.counts, value + 1) };
}

async function playRun(world: World, ground: Ground, step: RunStep): Promise<ObservedRun> {
  const { setup } = ground;
  const asked = askedOf(setup, step, step.how);
  const run = await world.run(setup, asked, step);
  verifyRun(ground, run);
  if (run.outcome === null) return run;
  const again = await playStatus(world, ground, { ...asked, force: false, fresh: false });
  // An error leaves work to do. A check that failed may have left the tree that passed before, or no change.
  const hasFailedCheck = run.waves.some(({ checks }) => checks.some(({ passed }) => !passed));
  if (run.outcome.exitCode !== 3 && !hasFailedCheck)
    expect(again?.exitCode, 'the exit code of status after the run').toBe(run.outcome.exitCode);
  return run;
}

async function playStatus(world: World, ground: Ground, asked: Asked): Promise<RunOutcome | null> {
  const outcome = await world.status(ground.setup, asked);
  const stand = standAt(ground, world.here().git.now(), asked);
  if (outcome !== null) verifyStatus(ground, outcome, standings(ground.model, ground.tree, stand));
  return outcome;
}

const ALL: Asked = {
  selection: { kind: 'change', base: null },
  gates: [],
  paths: [],
  force: false,
  fresh: false,
  all: false,
};

function askedOf(
  { hasSecurity }: Setup,
  { what, which }: Pick<RunStep, 'what' | 'which'>,
  how: RunStep['how'] = 'plainly',
): Asked {
  const named = REVIEWS[which % REVIEWS.length] ?? '';
  const selections: Partial<Record<RunStep['what'], Selection>> = {
    uncommitted: { kind: 'uncommitted' },
    commit: { kind: 'commit', commit: 'HEAD' },
    base: { kind: 'change', base: 'side' },
    files: {
      kind: 'files',
      files: [['src', 'docs'], ['src/a.ts'], ['packages']][which % 3] as RepoPath[],
      base: null,
    },
  };
  return {
    ...ALL,
    selection: selections[what] ?? ALL.selection,
    gates: what === 'gate' ? [named === 'security' && !hasSecurity ? 'quality' : named] : [],
    paths: what === 'path' ? [['src', 'src/a.ts', 'packages/one', 'docs'][which % 4] ?? ''] : [],
    force: how === 'force',
    fresh: how === 'fresh',
    all: how === 'all',
  };
}

async function playStep(
  world: World,
  ground: Ground,
  step: Exclude<Step, { readonly do: 'run' | 'prompt' | 'count' | 'status' | 'settings' }>,
): Promise<void> {
  const { clone, shared } = world;
  const { git, snapshots, records } = world.here();
  const { model, tree } = ground;
  switch (step.do) {
    case 'write':
      return git.write(pathOf(step.path), textOf(step.text));
    case 'remove':
      return git.remove(pathOf(step.path));
    case 'chmod':
      return git.chmod(pathOf(step.path));
    case 'restore': {
      const base = clone.mergeBase(clone.branches.get('main') ?? git.now().commit, git.now().commit);
      const text = clone.treeOf(base).get(pathOf(step.path))?.text;
      return text === undefined ? git.remove(pathOf(step.path)) : git.write(pathOf(step.path), text);
    }
    case 'commit':
      return git.commit();
    case 'amend':
      return git.amend();
    case 'detach':
      return git.detach();
    case 'merge':
      return git.merge('main');
    case 'rebase':
      return git.rebase('main');
    case 'switch':
      return git.switchTo(world.index() === 0 ? step.branch : `${step.branch}-2`);
    case 'land':
      return clone.setBranch('main', git.now().commit);
    case 'advance': {
      const main = clone.branches.get('main') ?? git.now().commit;
      const files = new Map(clone.treeOf(main)).set(pathOf(step.path), { mode: '100644', text: textOf(step.text) });
      clone.commit(files, [main], 'main');
      return;
    }
    case 'worktree':
      return world.goToOther();
    case 'collect':
      return snapshots.collect();
    case 'wait':
      model.cooling.clear();
      return world.wait(2 * 60 * 60 * 1000);
    case 'security':
      return;
    case 'forget':
      await records.archive('all');
      model.records[tree === 0 ? 0 : 1] = [];
      return;
    case 'clean': {
      await records.archive('all');
      model.records[tree === 0 ? 0 : 1] = [];
      const known = await shared.findings.all();
      for (const { resolution: _said, ...finding } of known.ok ? known.value : []) {
        if (finding.kept !== 'closed') await shared.findings.update({ ...finding, cycleEnded: true });
      }
      model.findings = model.findings.map((one) => (one.kept === 'closed' ? one : { ...one, cycleEnded: true }));
      return;
    }
    case 'resolve':
      return resolve(world, ground, step);
    case 'foreign':
      return writeForeign(world, ground, step);
  }
}

async function resolve(
  world: World,
  { model }: Ground,
  { finding, how }: Extract<Step, { readonly do: 'resolve' }>,
): Promise<void> {
  const known = model.findings.filter(({ kept }) => kept !== 'closed');
  const one = known[known.length - 1 - (finding % Math.max(1, known.length))];
  if (one === undefined) return;
  const at = world.clock.now().toISOString();
  await world.shared.findings.resolve(one.id, {
    ...{ how, why: 'because', at, iteration: 1 },
    by: { kind: 'person', name: 'ann' },
    proposedBy: null,
  });
  model.findings = model.findings.map((old) => (old.id === one.id ? { ...old, said: how } : old));
  model.resolved.set(one.id, ++model.moments);
}

const GATES: readonly GateId[] = [
  'review:src:quality',
  'review:src:security',
  'review:packages/one:package',
  'rule:.:notes',
];

async function writeForeign(
  world: World,
  { model, tree }: Ground,
  { gate: which, slot, status, passIteration: since }: Extract<Step, { readonly do: 'foreign' }>,
): Promise<void> {
  const gate = GATES[which % GATES.length] ?? '';
  const own = model.records[tree] ?? [];
  const iteration = Math.max(0, ...own.filter((one) => one.isNumbered).map((one) => one.iteration)) + 1;
  const passIteration = status === 'skipped_prior_pass' ? (since ?? null) : null;
  const record: SlotRecord = {
    gate,
    slot,
    iteration,
    adapter: 'another',
    timestamp: world.clock.now().toISOString(),
    status,
    rawOutput: '',
    violations: [],
    passIteration,
    own: null,
  };
  await world
    .here()
    .records.writeSlot(record, { gate: { id: gate, kind: 'review', stem: gate }, agent: 'another' }, '');
  const look = {
    slot,
    status,
    violations: 0,
    passIteration,
    fails: status === 'fail',
    open: [],
    moment: ++model.moments,
    own: null,
  };
  model.records[tree === 0 ? 0 : 1] = [...own, { gate, iteration, where: null, look, isNumbered: true }];
}

function pathOf(path: number): RepoPath {
  return PATHS[path % PATHS.length] ?? ('README' as RepoPath);
}

function textOf(text: number): string {
  return TEXTS[text % TEXTS.length] ?? '';
}
