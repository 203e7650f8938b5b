import type { GateId } from '@onceover/base/kernel/ids';
import type { Scope, Snapshot } from '@onceover/base/kernel/repository';
import { ok } from '@onceover/base/kernel/result';
import type { Acceptance } from '@onceover/passes/types';
import { patternsIn } from '@onceover/repo/config/protected-paths';
import { changedAgents } from '@onceover/repo/trust/changed-agents';
import type { KnownFinding } from '../../findings/types.ts';
import type { SlotNumber } from '../../gate-types.ts';
import { type AllowedAgents, wantedPass, wantedWaivers, withSignedWaivers } from '../decide/travel.ts';
import type { RunPorts, RunRequest } from '../ports.ts';
import type { ReviewPasses } from './receipts.ts';

type SharedDecisions = ReadonlyMap<GateId, ReadonlyMap<SlotNumber, Acceptance>>;

/**
 * Decides for each reviewer without a verdict in this clone whether a pass of another clone counts. Asks once for all
 * reviewers, because each question may read a git ref or a store.
 */
export async function sharedDecisions(
  ports: Pick<RunPorts, 'shared' | 'snapshots'>,
  request: Pick<RunRequest, 'settings' | 'builtInAgents' | 'root'>,
  reviews: readonly ReviewPasses[],
  { entries }: Pick<Snapshot, 'entries'>,
  scope: Scope,
): Promise<SharedDecisions> {
  const { shared } = ports;
  const decisions = new Map<GateId, Map<SlotNumber, Acceptance>>();
  if (shared == null) return decisions;
  const waiting = reviews.flatMap(({ gate, subject, receipts }) =>
    Array.from({ length: gate.numReviews }, (_, i) => i + 1)
      .filter((slot) => !receipts.has(slot))
      .map((slot) => ({ gate, subject, slot })),
  );
  if (waiting.length === 0) {
    // This clone has a verdict of every reviewer, so stop fetching.
    shared.close();
    return decisions;
  }
  const allowedAgents = await readAllowedAgents(ports, request, entries);
  const requests = waiting.map(({ slot, ...gate }) => wantedPass(gate, slot, scope.key, allowedAgents));
  // A pass of another clone is about the whole change, so it does not answer a narrower request.
  const answers = scope.kind === 'narrow' ? requests.map(() => OTHER_SCOPE) : await shared.accept(requests);
  for (const [i, { gate, slot }] of waiting.entries()) {
    const answer = answers[i];
    if (answer === undefined) continue;
    const ofGate = decisions.get(gate.id) ?? new Map<SlotNumber, Acceptance>();
    decisions.set(gate.id, ofGate.set(slot, answer));
  }
  return decisions;
}

/** Reads the facts that decide whose passes count and for which files. */
export async function readAllowedAgents(
  { snapshots }: Pick<RunPorts, 'snapshots'>,
  { settings, builtInAgents = [], root }: Pick<RunRequest, 'settings' | 'builtInAgents' | 'root'>,
  entries: Snapshot['entries'],
): Promise<AllowedAgents> {
  const changedPaths = entries.map(({ path }) => path);
  // Listing all files takes time, so it is done only for patterns that have to match one of them.
  const isProtecting = (settings.passes?.neverFor.length ?? 0) > 0;
  const files = isProtecting ? await snapshots.files() : ok([]);
  return {
    settings,
    builtIn: builtInAgents,
    changed: changedAgents(settings.agent, root, changedPaths),
    // Deleted files are among the changed ones. If the files cannot be listed, no pattern counts as matching.
    hasFile: files.ok ? patternsIn([...files.value, ...changedPaths]) : () => false,
  };
}

const OTHER_SCOPE: Acceptance = { kind: 'refused', why: 'other-scope', statement: null };

/** Returns the findings with the waivers of other clones applied to the open findings of these gates. */
export async function withWaiversOfOthers(
  { shared }: Pick<RunPorts, 'shared'>,
  findings: readonly KnownFinding[],
  gates: readonly { readonly id: string }[],
): Promise<readonly KnownFinding[]> {
  if (shared == null) return findings;
  const waiverRequests = wantedWaivers(findings, new Set(gates.map(({ id }) => id)));
  return waiverRequests.length === 0 ? findings : withSignedWaivers(findings, await shared.waivers(waiverRequests));
}
