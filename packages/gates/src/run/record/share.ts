import type { ShareEnd } from '../../gate-types.ts';
import { type SubjectOfGate, travellingStatements } from '../decide/travel.ts';
import type { RunFacts, RunPorts } from '../ports.ts';
import type { Receipt } from '../types.ts';

/**
 * Signs what this clone can share about the current gates, its passes and waivers, and sends it to other clones.
 * Returns `null` if nothing is new.
 */
export async function sharePasses(ports: RunPorts, facts: RunFacts, isAsked: boolean): Promise<ShareEnd | null> {
  const { scope } = facts.comparison;
  if (ports.shared == null || scope.kind === 'narrow') return null;
  const slots: (SubjectOfGate & { readonly receipt: Receipt })[] = [];
  for (const { gate, subject } of facts.reviews) {
    for (let slot = 1; slot <= gate.numReviews; slot++) {
      const receipt = await ports.receipts.find('review', { ...subject, slot, scope: scope.key });
      if (receipt !== null) slots.push({ gate, subject, receipt });
    }
  }
  const statements = travellingStatements(slots, facts.findings);
  if (statements.length === 0) return null;
  const end = await ports.shared.share(statements, isAsked);
  return end.kind !== 'not-shared' && end.passes + end.waivers === 0 ? null : end;
}
