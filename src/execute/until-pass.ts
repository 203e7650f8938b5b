import type { LoopEnd, LoopOutcome, LoopRound } from '../domain/loop.ts';
import type { Proof } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunNotice, RunOutcome } from '../domain/run.ts';
import { loopEnd, type RoundFacts } from '../plan/loop-end.ts';
import { loopOutcome, loopRound, roundFacts } from '../plan/loop-round.ts';
import { ratchetBelow } from '../plan/ratchet.ts';
import { isSameMeasure } from '../plan/same-measure.ts';
import type { FixerSession } from './ask-fixer.ts';
import { openBudget } from './budget.ts';
import { type Loop, look, type Sight, takeTurn } from './fix-turn.ts';
import { checkFixer } from './fixers.ts';
import { openLoopMemory } from './loop-memory.ts';
import { executeRun } from './run.ts';
import type { RatchetHolder, RunPorts, RunRequest } from './run-ports.ts';

export type LoopRequest = {
  readonly fixer: string;
  /** Null: as many as the settings allow a gate to fail, and one. */
  readonly mostIterations: number | null;
  /** New findings must be ever graver to fail a gate. */
  readonly ratchet: boolean;
  readonly proof: Proof;
  /** Whether settings, rules, prompts and agents are still those that the loop began with. */
  isSameConfig(): Promise<boolean>;
};

/** Review, fix, review: until every gate holds, or going on would be no use. */
export async function untilPass(given: RunPorts, asked: RunRequest, wish: LoopRequest): Promise<Result<LoopOutcome>> {
  const ratchet: RatchetHolder = { now: { below: null, letBe: new Set() } };
  const request = wish.ratchet ? { ...asked, ratchet } : asked;
  const reviewers = await given.reviewers();
  const able = await checkFixer(reviewers, wish.fixer);
  if (!able.ok) return able;
  const memory = openLoopMemory(given);
  const { ports } = memory;
  const budget = openBudget(request.settings.budget);
  const loop: Loop = { ports, request, reviewers, budget, ...wish };
  const most = wish.mostIterations ?? request.settings.maxRetries + 1;
  const rounds: LoopRound[] = [];
  const facts: RoundFacts[] = [];
  const notices: RunNotice[] = [];
  const ended = (end: LoopEnd, run: RunOutcome) =>
    done(loopOutcome(end, rounds, run, { dispatches: budget.dispatches(), notices }));
  const first = await look(loop);
  if (!first.ok) return first;
  let sight: Sight = first.value;
  let session: FixerSession | null = null;
  for (;;) {
    ratchet.now = { ...ratchet.now, below: ratchetBelow(rounds.length + 1) };
    const before = budget.dispatches();
    const ran = await executeRun(ports, request, budget);
    if (!ran.ok) return ran;
    const run = ran.value;
    facts.push(roundFacts(run, sight.tree));
    const round = loopRound(run, rounds.at(-1) ?? null, {
      dispatches: budget.dispatches() - before,
      letBe: ratchet.now.letBe,
    });
    rounds.push(round);
    const end = request.stop?.aborted === true ? 'interrupted' : loopEnd(facts, most);
    if (end === 'passed') return ended((await isPassStill(loop, first.value)) ? 'passed' : 'gate-changed', run);
    if (end !== null) return ended(end, run);
    memory.close();
    const turn = await takeTurn(loop, run, { round: rounds.length, session });
    if (!turn.ok) return turn;
    rounds.splice(-1, 1, { ...round, fix: turn.value.fix });
    notices.push(...turn.value.notices);
    if (turn.value.end !== null) return ended(turn.value.end, run);
    ({ session, after: sight } = turn.value);
  }
}

/** Whether what passed is what the loop began with: a fixer may have left something behind that goes on working. */
async function isPassStill({ ports, request }: Loop, first: Sight): Promise<boolean> {
  const now = await ports.snapshots.compare(request.selection, request.settings.base);
  return now.ok && isSameMeasure(first.comparison, now.value);
}
