import type { KnownFinding } from '../domain/finding.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';

/** Confirms what was said of a finding, and what that changes. */
export function tellResolved(finding: KnownFinding): string {
  if (finding.resolution?.how === 'skipped') {
    return `${finding.id} is waived: ${showUnseen(finding.resolution.why)}\nIt no longer keeps ${quoteName(finding.gate)} from holding, and reviewers are told why it stays.`;
  }
  return `${finding.id} is said to be fixed. It stays open until @${finding.slot} of ${quoteName(finding.gate)} confirms it: run "onceover run".`;
}
