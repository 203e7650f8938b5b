import { setMaxListeners } from 'node:events';
import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { RunOutcome } from '@onceover/gates/result/types';
import type { RunPorts, RunRequest } from '@onceover/gates/run/ports';
import { executeRun, previewRun } from '@onceover/gates/run/run';
import type { Event } from '@onceover/web/progress/state';
import { memoryChecks } from '../memory/checks.ts';
import { memoryContents } from '../memory/contents.ts';
import { memoryCoolings } from '../memory/coolings.ts';
import { memoryFindings } from '../memory/findings.ts';
import { type MemoryWorktree, memoryClone, memoryWorktree } from '../memory/git.ts';
import { memoryLedger } from '../memory/ledger.ts';
import { memoryOpenings } from '../memory/openings.ts';
import { memoryPasses } from '../memory/passes.ts';
import { memoryReceipts } from '../memory/receipts.ts';
import { memoryRecords } from '../memory/records.ts';
import { memoryReviewers, type ScriptedAgent } from '../memory/reviewers.ts';
import { memorySnapshots } from '../memory/snapshots.ts';
import type { Asked, ObservedAsk, ObservedCheck, ObservedRun, Write } from './observed.ts';
import { Death, type Trouble, tellingStores, troubled } from './ports.ts';
import { answerAs, type Verdict } from './reviewer.ts';
import { AGENTS, CHECKS, PATHS, REVIEWS, rubricsOf, rulesOf, type Setup, settingsOf, TEXTS } from './setup.ts';

export type CheckPlan = {
  readonly passes: boolean;
  readonly edit: { readonly path: number; readonly text: number } | null;
};

/** The actions of everyone during a run, and the failures. */
export type Script = {
  readonly verdicts: readonly Verdict[];
  readonly checks: readonly CheckPlan[];
  readonly trouble: Trouble | null;
  /** The check or call at which the user interrupts the run. */
  readonly stopAt: number | null;
};

/** A clone with two worktrees, its stores, and observed runs in it. */
export type World = ReturnType<typeof openWorld>;

export function openWorld() {
  const clone = memoryClone(Object.fromEntries(PATHS.map((path) => [path, 'one\n'])));
  const first = clone.branches.get('main') ?? fail();
  clone.setBranch('side', first);
  const trees = ['work', 'other'].map((branch) => {
    const git = memoryWorktree(clone, branch, first);
    return { git, snapshots: memorySnapshots(clone, git), records: memoryRecords() };
  });
  const shared = {
    receipts: memoryReceipts(),
    findings: memoryFindings(),
    sessionPrompts: memoryOpenings(),
    cooldowns: memoryCoolings(),
    passes: memoryPasses(),
  };
  let at = 0;
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  let issues = 0;
  const here = () => trees[at] ?? fail();
  const clock = {
    now() {
      time += 1;
      return new Date(time);
    },
  };
  const basics = () => ({
    ...shared,
    snapshots: here().snapshots,
    records: here().records,
    contents: () =>
      memoryContents(Object.fromEntries([...here().git.now().files].map(([path, { text }]) => [path, text]))),
    references: () => memoryContents({}),
    clock,
    ledger: memoryLedger(),
  });

  async function run(setup: Setup, asked: Asked, script: Script): Promise<ObservedRun> {
    const { git } = here();
    const start = git.now();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const seen = watchRun(git, script, stop, () => `issue ${++issues}`);
    const { on, died } = troubled(script.trouble);
    const stores = tellingStores(basics(), seen.wrote);
    const reviewers = on(memoryReviewers(Object.fromEntries(AGENTS.map((name) => [name, seen.agent(setup)]))));
    const ports: RunPorts = {
      ...stores,
      snapshots: on(stores.snapshots),
      records: on(stores.records),
      receipts: on(stores.receipts),
      findings: on(stores.findings),
      sessionPrompts: on(stores.sessionPrompts),
      cooldowns: on(stores.cooldowns),
      passes: on(stores.passes),
      checks: on(seen.checks),
      reporter: { tell: seen.heard },
      reviewers: async () => reviewers,
    };
    let outcome: RunOutcome | null = null;
    try {
      const ended = await Promise.race([executeRun(ports, requestOf(setup, asked, stop.signal)), died]);
      if (ended.ok) outcome = ended.value;
      else if (!EXPECTED.includes(ended.failure.kind))
        throw new Error(`the run failed: ${JSON.stringify(ended.failure)}`);
    } catch (error) {
      if (!(error instanceof Death)) throw error;
    }
    return {
      asked,
      start,
      end: git.now(),
      waves: seen.waves,
      writes: seen.writes,
      outcome,
      isStopped: stop.signal.aborted,
    };
  }

  async function status(setup: Setup, asked: Asked): Promise<RunOutcome | null> {
    const ports: RunPorts = {
      ...basics(),
      checks: memoryChecks({}),
      reporter: { tell: () => {} },
      reviewers: () => fail(),
    };
    const ended = await previewRun(ports, requestOf(setup, asked, null));
    if (ended.ok) return ended.value.outcome;
    if (!EXPECTED.includes(ended.failure.kind)) throw new Error(`status failed: ${JSON.stringify(ended.failure)}`);
    return null;
  }

  return {
    clone,
    shared,
    clock,
    here,
    /** The index of the worktree. */
    index: () => at,
    goToOther() {
      at = 1 - at;
    },
    wait(ms: number) {
      time += ms;
    },
    now: () => time,
    run,
    status,
  };
}

/** The failures of a full disk and of an unknown path. */
const EXPECTED: readonly string[] = ['disk', 'unknown-path'];

/** Observes one run: plays every other actor in it, and records the events. */
function watchRun(git: MemoryWorktree, script: Script, stop: AbortController, nextIssue: () => string) {
  type Wave = ReturnType<typeof newWave>;
  const waves: Wave[] = [];
  const writes: Write[] = [];
  let asking: { readonly gate: GateId; readonly slot: number } | null = null;
  let checking: GateId | null = null;
  let ranChecks = 0;
  let deeds = 0;
  const newWave = (iteration: number) => ({
    iteration,
    begun: git.now(),
    checks: [] as ObservedCheck[],
    shown: git.now(),
    looks: [] as { gate: GateId; slot: number; asks: ObservedAsk[]; ended: ReturnType<typeof git.now> }[],
  });
  const wave = () => waves.at(-1) ?? fail();
  const edit = (path: number, text: number) =>
    git.write(PATHS[path % PATHS.length] ?? fail(), TEXTS[text % TEXTS.length] ?? '');
  return {
    waves,
    writes,
    wrote: (write: Parameters<Parameters<typeof tellingStores>[1]>[0]) => {
      writes.push({ ...write, wave: waves.length - 1 });
    },
    heard(event: Event) {
      if (event.kind === 'iteration-started') waves.push(newWave(event.iteration));
      if (event.kind === 'check-started') checking = event.gate;
      if (event.kind === 'slot-active') asking = { gate: event.gate, slot: event.slot };
    },
    checks: memoryChecks(
      Object.fromEntries(
        Object.values(CHECKS).map((command) => [
          command,
          () => {
            const plan = script.checks[ranChecks++ % Math.max(1, script.checks.length)] ?? { passes: true, edit: null };
            const before = git.now();
            if (plan.edit !== null) edit(plan.edit.path, plan.edit.text);
            const one = { gate: checking ?? fail(), before, after: git.now(), passed: plan.passes };
            wave().checks.push(one);
            wave().shown = git.now();
            if (++deeds === script.stopAt) stop.abort();
            return { exitCode: plan.passes ? 0 : 1, output: '' };
          },
        ]),
      ),
    ),
    agent: ({ concurrency, diffLimit }: Setup): ScriptedAgent => ({
      diffLimit,
      answer(question) {
        const { gate, slot } = asking ?? fail();
        const found = wave().looks.find((one) => one.gate === gate && one.slot === slot);
        const look = found ?? { gate, slot, asks: [], ended: git.now() };
        if (found === undefined) wave().looks.push(look);
        const parts = look.asks.filter(({ answer }) => answer !== null).length;
        const verdict = verdictFor(script.verdicts, gate, slot, waves.length - 1 + parts);
        // A slot that reviews at the same time may or may not see the edit, so the model cannot say what is right.
        if (verdict.edit !== null && concurrency === 1) {
          const path = PATHS[verdict.edit.path % PATHS.length] ?? fail();
          const same = git.now().files.get(path)?.text ?? '';
          git.write(path, verdict.edit.text === 'same' ? same : (TEXTS[verdict.edit.text % TEXTS.length] ?? ''));
        }
        const { ask, end } = answerAs(verdict, question, look.asks, nextIssue);
        look.asks.push(ask);
        look.ended = git.now();
        if (++deeds === script.stopAt) stop.abort();
        return end;
      },
    }),
  };
}

const PASS: Verdict = {
  kind: 'answer',
  status: 'pass',
  reports: [],
  repeats: false,
  words: [],
  meddles: false,
  edit: null,
};

function verdictFor(verdicts: readonly Verdict[], gate: GateId, slot: number, wave: number): Verdict {
  const review = REVIEWS.findIndex((name) => gate.endsWith(`:${name}`));
  return verdicts[(review * 3 + slot - 1 + wave * 5) % Math.max(1, verdicts.length)] ?? PASS;
}

function requestOf(setup: Setup, asked: Asked, stop: AbortSignal | null): RunRequest {
  return {
    ...asked,
    root: '/memory',
    settings: settingsOf(setup),
    rules: rulesOf(setup),
    rubrics: rubricsOf(setup),
    paths: asked.paths as readonly RepoPath[],
    pullRequest: null,
    startedBy: 'person',
    stop,
  };
}

function fail(): never {
  throw new Error('this cannot be');
}
