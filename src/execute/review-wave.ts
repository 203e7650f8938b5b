import type { ReviewGate } from '../domain/gate.ts';
import type { DiffSection } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { ReviewPlan } from '../plan/decide-run.ts';
import type { Budget } from './budget.ts';
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
  return runSlots(await openWave(ports, request, facts, tree.value), plans, iteration, budget);
}

async function openWave(ports: RunPorts, request: RunRequest, facts: RunFacts, tree: Wave['tree']): Promise<Wave> {
  const reviewers = await ports.reviewers();
  const diffs = new Map<string, Promise<Result<readonly DiffSection[]>>>();
  const authored = request.authorAgents(new Set(facts.snapshot.entries.map(({ path }) => path)));
  return {
    ports,
    request,
    facts,
    reviewers,
    tree,
    authored,
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
