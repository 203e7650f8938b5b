import { setMaxListeners } from 'node:events';
import type { AgentFailure } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { PhaseName, RoleName } from '@onceover/base/kernel/review-loops';
import type { PhaseOutcome, PhaseRequest } from '@onceover/loops/phases/run-types';
import type { LoopAnswer } from '@onceover/loops/src/phases/types.ts';
import type { Settings } from '@onceover/repo/config/settings';
import { expect } from 'vitest';
import { fails } from '../memory/reviewers.ts';
import { Crash, crashing } from './crash.ts';
import { at, CODE, FEATURE, garbage, openScene, type PlayPorts, type Put, type Scene } from './scene.ts';

/** The start of a story; random numbers choose its events. */
export type Story = {
  readonly phase: PhaseName;
  readonly mending: 'fixer' | 'caller' | 'caller with sessions' | 'nobody';
  readonly agents: 1 | 2;
  readonly canResume: boolean;
  readonly mostIterations: number | null;
  readonly acceptWithNotes: boolean;
  readonly commits: boolean;
  readonly preparations: PhaseRequest['preparations'];
  readonly settings: Partial<Settings>;
  readonly choices: readonly number[];
};

/** The end of a story, and the events on the way. */
export type Told = { readonly end: string; readonly met: readonly string[] };

/** A reviewer's last verdict and the content it is about. */
type Word = { readonly passes: boolean; readonly content: string; readonly looks: number };

const FAILURES: readonly AgentFailure[] = [
  { kind: 'agent-error', said: 'boom' },
  { kind: 'session-lost', said: 'gone' },
  { kind: 'no-tokens' },
  { kind: 'timeout', seconds: 1 },
  { kind: 'limit', said: 'enough', resetAt: new Date('2026-03-01T12:10:00.000Z') },
];

const DOMAIN: Readonly<Partial<Record<PhaseName, RoleName>>> = {
  specify: 'spec-reviewer',
  'create-tasks': 'task-reviewer',
};
const CODE_ROLES: readonly RoleName[] = ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer'];
const DOCUMENTS = ['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'];
const MOST_CALLS = 40;
const HOUR_MS = 3_600_000;
const MOST_CRASHES = 3;

/** Plays a story through the driver and checks the rules on the way. Without remaining choices, every step succeeds. */
export async function tellStory(story: Story): Promise<Told> {
  let used = 0;
  const pick = (of: number) => (story.choices[used++] ?? 0) % of;
  const met: string[] = [];
  const words = new Map<RoleName, Word>();
  let [texts, looks, taken, crashes, cutOffs] = [0, 0, '', 0, 0];
  const artifact = story.phase === 'implement' ? CODE : at(story.phase === 'specify' ? 'spec.md' : 'tasks.md');
  let stop = new AbortController();
  const newText = () => `# Text ${++texts}\n`;

  /** An edit by a person at a random moment. */
  const disturb = (scene: Scene) => {
    const what = pick(30);
    if (what === 29) scene.git.write(artifact, newText());
    if (what === 28) scene.git.write(at('prd.md'), newText());
    if (what === 27) scene.git.write('README.md' as RepoPath, newText());
    if (what === 26) scene.git.commit();
    if (what > 25) met.push('disturbed');
    if (pick(200) === 199) stop.abort();
  };

  const review = ({ role }: Put): object => {
    const kind = pick(8);
    const severity = (['suggestion', 'warning', 'blocker'] as const)[pick(3)] ?? 'blocker';
    const issues = kind < 4 ? [] : [{ severity, description: 'so' }];
    const answer: LoopAnswer = { approved: kind < 6, issues, summary: '' };
    const passes = answer.approved && issues.every((one) => one.severity === 'suggestion');
    words.set(role, { passes, content: taken, looks });
    return answer;
  };

  const write = (scene: Scene): object => {
    const kind = pick(12);
    if (kind < 7) scene.git.write(artifact, newText());
    if (kind === 9) scene.git.write(artifact, '# Text 1\n');
    if (kind === 10 && pick(3) === 2) scene.git.write('onceover.yml' as RepoPath, newText());
    if (kind === 11 && pick(3) === 2) scene.git.remove(artifact);
    if (pick(6) === 5) scene.git.commit();
    return { outlines: [], summary: `Fix ${texts}.` };
  };

  const answer = async (put: Put, scene: Scene): Promise<object> => {
    met.push(put.template);
    // Some calls take longer than others.
    for (let turns = pick(4); turns > 0; turns--) await null;
    disturb(scene);
    const odd = pick(14);
    if (odd === 13) return fails(FAILURES[pick(FAILURES.length)] ?? { kind: 'no-tokens' });
    const said = put.role.endsWith('-reviewer') ? review(put) : write(scene);
    if (odd !== 12) return said;
    words.delete(put.role);
    return garbage();
  };

  const roles = [
    ...CODE_ROLES,
    'spec-reviewer',
    'task-reviewer',
    'phase-reviewer',
    'implementer',
    'code-simplifier',
    'test-deepener-a',
  ];
  const agent = { canResume: async () => story.canResume };
  const scene = openScene({
    phase: story.phase,
    settings: story.settings,
    agents: story.agents === 1 ? { ann: agent } : { ann: agent, ben: agent },
    usually: Object.fromEntries(roles.map((role) => [role, answer])),
  });
  const relevant = () =>
    JSON.stringify(
      [...scene.git.now().files]
        .filter(([path]) => isRelevant(story.phase, path))
        .map(([path, { text }]) => [path, text])
        .sort(),
    );
  const ports: PlayPorts = {
    ...scene.ports,
    snapshots: {
      ...scene.ports.snapshots,
      async take(...args) {
        const snapshot = await scene.ports.snapshots.take(...args);
        looks += 1;
        taken = relevant();
        return snapshot;
      },
    },
    commits: {
      async commit(paths, message) {
        disturb(scene);
        for (const path of paths) expect(isRelevant(story.phase, path)).toBe(true);
        return pick(8) === 7 ? { kind: 'failed', said: 'no' } : scene.ports.commits.commit(paths, message);
      },
    },
  };

  /** Null: it crashed, or could not start. */
  const call = async (summary: string | null): Promise<PhaseOutcome | null> => {
    const isCaller = story.mending.startsWith('caller');
    const crashAt = isCaller && crashes < MOST_CRASHES && pick(4) === 3 ? pick(40) : Number.MAX_SAFE_INTEGER;
    const { mostIterations, acceptWithNotes, commits, preparations } = story;
    stop = new AbortController();
    setMaxListeners(0, stop.signal);
    try {
      const ended = await scene.try(
        {
          fixing: isCaller
            ? { by: 'caller', summary, keepSessions: story.mending === 'caller with sessions' }
            : story.mending === 'fixer'
              ? { by: 'fixer', agent: 'fay' }
              : { by: 'nobody' },
          ...{ mostIterations, acceptWithNotes, commits, preparations, stop: stop.signal },
        },
        crashing(ports, crashAt).ports,
      );
      if (ended.ok) return ended.value;
      expect(['no-reviewer', 'unusable-artifact', 'nothing-to-implement']).toContain(ended.failure.kind);
      met.push(ended.failure.kind);
      scene.wait(HOUR_MS);
      repair();
      return null;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashes += 1;
      met.push('crash');
      return null;
    }
  };

  /** Restores the files that are needed to start. */
  const repair = () => {
    if (!scene.git.now().files.has(artifact)) scene.git.write(artifact, newText());
    scene.git.write(CODE, newText());
  };

  /** Calls until the phase ends, and fixes the open issues in between. */
  const play = async (): Promise<PhaseOutcome | null> => {
    for (let calls = 0; calls < MOST_CALLS; calls++) {
      const kept = await scene.ports.loops.read(story.phase, FEATURE);
      const position = kept.ok && kept.value !== null && kept.value !== 'unreadable' ? kept.value.state.position : null;
      // The phase had ended, but the caller got no result.
      if (position?.at === 'ended') return null;
      const isWaiting = position?.at === 'waiting' && pick(5) !== 4;
      if (isWaiting) write(scene);
      const outcome = await call(isWaiting ? 'Fixed.' : null);
      if (outcome === null || outcome.end === null) continue;
      const isCutOff =
        outcome.end.status === 'error' || outcome.end.why === 'reviewer-failed' || outcome.end.why === 'budget';
      if (!story.mending.startsWith('caller') || !isCutOff || pick(2) === 0) return outcome;
      // The caller repeats a call without a result.
      cutOffs += 1;
      repair();
    }
    throw new Error('it does not end');
  };

  const outcome = await play();
  const asked = scene.puts.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect([scene.asking(), scene.puts.length]).toEqual([0, asked]);
  if (outcome === null) return { end: 'not reported', met };
  const { end, run, exitCode } = outcome;
  expect(run.rounds.map(({ entry }) => entry.round)).toEqual(run.rounds.map((_, n) => n + 1));
  expect(scene.history().match(/^## /gm) ?? []).toHaveLength(run.rounds.length);
  expect(exitCode === 0).toBe(end?.why === 'approved' || end?.why === 'accepted-with-notes');
  if (end?.why === 'accepted-with-notes') expect(story.acceptWithNotes).toBe(true);
  if (end?.why === 'approved') expectApproved();
  await expectLedger();
  return { end: end?.why ?? 'waiting', met };

  /** Every required reviewer approved the current content. */
  function expectApproved(): void {
    const now = relevant();
    const of = (role: RoleName | undefined) => words.get(role ?? 'implementer');
    if (story.phase === 'implement') {
      for (const role of CODE_ROLES) expect(of(role)).toMatchObject({ passes: true, content: now });
      const together = new Set(CODE_ROLES.map((role) => of(role)?.looks));
      if (story.settings.finalValidation !== 'changed') expect(together.size).toBe(1);
      return;
    }
    const domain = of(DOMAIN[story.phase]);
    expect(domain?.passes).toBe(true);
    if (story.settings.recheckDomain === true) expect(domain?.content).toBe(now);
    expect(of('phase-reviewer')).toMatchObject({ passes: true, content: now });
  }

  /** One entry per call; in total they match the number of calls. */
  async function expectLedger(): Promise<void> {
    const ledger = await scene.ledger();
    const isStopped = end?.why === 'budget' || end?.why === 'interrupted';
    if (crashes + cutOffs > 0 || isStopped) return;
    const dispatches = run.rounds.flatMap(({ entry, fix }) => [
      ...entry.looks,
      ...entry.errors.filter(({ spent }) => spent.asks > 0),
      ...(fix?.turn ? [fix.turn] : []),
    ]);
    const failed = end?.why === 'preparation-failed' ? 1 : 0;
    expect(ledger).toHaveLength(dispatches.length + run.preparations.length + failed);
    expect(ledger.reduce((sum, { asks }) => sum + asks, 0)).toBe(asked);
  }
}

/** The files under review, which may be committed. */
function isRelevant(phase: PhaseName, path: RepoPath): boolean {
  const own = path.startsWith(`${FEATURE}/`) ? path.slice(FEATURE.length + 1) : null;
  if (own !== null && !DOCUMENTS.includes(own)) return false;
  if (phase === 'implement') return path !== 'onceover.yml';
  if (own === null) return false;
  return phase === 'create-tasks' || own === 'prd.md' || own === 'spec.md';
}
