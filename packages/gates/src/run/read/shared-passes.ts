import type { Acceptance, PassRequest } from '@onceover/passes/types';
import { changedAgents } from '@onceover/repo/trust/changed-agents';
import type { KnownFinding } from '../../findings/types.ts';
import type { ReviewGate, SlotNumber } from '../../gate-types.ts';
import { wantedPass, wantedWaivers, withSignedWaivers } from '../decide/travel.ts';
import type { RunPorts, RunRequest } from '../ports.ts';
import type { Receipt } from '../types.ts';

/** Each reviewer's verdict on a gate's current content, as stored in this clone. */
type OwnReceipts = ReadonlyMap<ReviewGate, ReadonlyMap<SlotNumber, Receipt>>;

type SharedScope = {
  readonly scope: { readonly key: string; readonly kind: 'full' | 'narrow' };
  /** The paths of all changed files, also of those that belong to no gate. */
  readonly changed: readonly string[];
};

type SharedDecisions = ReadonlyMap<ReviewGate, ReadonlyMap<SlotNumber, Acceptance>>;

/**
 * Decides for each reviewer without a verdict in this clone whether a pass of another clone counts. Asks once for all
 * reviewers, because each question may read a git ref or a store.
 */
export async function sharedDecisions(
  { shared }: Pick<RunPorts, 'shared'>,
  { settings, builtInAgents = [], root }: Pick<RunRequest, 'settings' | 'builtInAgents' | 'root'>,
  receiptsByGate: OwnReceipts,
  { scope, changed }: SharedScope,
): Promise<SharedDecisions> {
  const decisions = new Map<ReviewGate, Map<SlotNumber, Acceptance>>();
  if (shared == null) return decisions;
  const allowedAgents = { settings, builtIn: builtInAgents, changed: changedAgents(settings.agent, root, changed) };
  const wantedPasses: { readonly gate: ReviewGate; readonly pass: PassRequest }[] = [];
  for (const [gate, receipts] of receiptsByGate) {
    for (let slot = 1; slot <= gate.numReviews; slot++) {
      if (receipts.has(slot)) continue;
      wantedPasses.push({ gate, pass: wantedPass(gate, slot, scope.key, allowedAgents) });
    }
  }
  if (wantedPasses.length === 0) {
    // This clone has a verdict of every reviewer, so stop fetching.
    shared.close();
    return decisions;
  }
  const requests = wantedPasses.map(({ pass }) => pass);
  // A pass of another clone is about the whole change, so it does not answer a narrower request.
  const answers = scope.kind === 'narrow' ? requests.map(() => OTHER_SCOPE) : await shared.accept(requests);
  for (const [i, { gate, pass }] of wantedPasses.entries()) {
    const answer = answers[i];
    if (answer === undefined) continue;
    const ofGate = decisions.get(gate) ?? new Map<SlotNumber, Acceptance>();
    decisions.set(gate, ofGate.set(pass.subject.slot, answer));
  }
  return decisions;
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
