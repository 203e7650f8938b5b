import type { ReviewGate } from '../domain/gate.ts';
import { leftOut } from '../domain/left-out.ts';
import type { DiffSection } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { ReviewPlan } from '../plan/decide-run.ts';
import type { Budget } from './budget.ts';
import { openPrefixes } from './prefixes.ts';
import type { Wave } from './prepare-slot.ts';
import type { RunFacts } from './read-run.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';
import { type RanSlots, runSlots } from './run-slots.ts';

/** Has the planned slots look at what is there now: the snapshot is kept, the agents are found, the slots run. */
export async function reviewWave(
  ports: RunPorts,
  request: RunRequest,
  facts: RunFacts,
  plans: readonly Extract<ReviewPlan, { kind: 'run' }>[],
  iteration: number,
  budget: Budget,
): Promise<Result<RanSlots>> {
  const tree = facts.comparison.headTree === null ? await facts.snapshot.tree() : done(facts.comparison.headTree);
  if (!tree.ok) return tree;
  const kept = await ports.snapshots.keep(tree.value);
  if (!kept.ok) return kept;
  const authored = await authoredAgents(ports, request, facts);
  if (!authored.ok) return authored;
  return runSlots(await openWave(ports, request, facts, tree.value, authored.value), plans, iteration, budget);
}

async function openWave(
  ports: RunPorts,
  request: RunRequest,
  facts: RunFacts,
  tree: Wave['tree'],
  authored: Wave['authored'],
): Promise<Wave> {
  const reviewers = await ports.reviewers();
  const diffs = new Map<string, Promise<Result<readonly DiffSection[]>>>();
  return {
    ports,
    request,
    facts,
    reviewers,
    tree,
    authored,
    prefixes: openPrefixes(),
    diff(from, contextLines) {
      const key = `${from} ${contextLines}`;
      const made = diffs.get(key) ?? ports.snapshots.sections(from, tree, contextLines);
      diffs.set(key, made);
      return made;
    },
    async available(gate: ReviewGate) {
      const cooling = await ports.coolings.all(ports.clock.now());
      const wanted = (gate.agents ?? reviewers.names).filter(
        (name) => reviewers.found.includes(name) && !authored.has(name),
      );
      const isCooling = (name: string) => cooling.some(({ agent }) => agent === name);
      return {
        names: wanted.filter((name) => !isCooling(name)),
        cooling: cooling.filter(({ agent }) => wanted.includes(agent)),
      };
    },
  };
}

/** Agents that the author has written to, by everything that is changed, also where the run is about a part of it. */
async function authoredAgents(
  ports: RunPorts,
  { authorAgents, settings }: RunRequest,
  facts: RunFacts,
): Promise<Result<Wave['authored']>> {
  if (authorAgents === null) return done(new Map());
  const pathsOf = (entries: RunFacts['snapshot']['entries']) => entries.map(({ path }): string => path);
  const own = pathsOf(facts.snapshot.entries);
  if (facts.comparison.scope.kind === 'full') return done(authorAgents(new Set(own)));
  const whole = await ports.snapshots.compare({ kind: 'change', base: null }, settings.base);
  if (!whole.ok) return whole;
  const snapshot = await ports.snapshots.take(whole.value, leftOut(settings));
  return snapshot.ok ? done(authorAgents(new Set([...pathsOf(snapshot.value.entries), ...own]))) : snapshot;
}
