import type { FindingDocument, RunDocument } from '@onceover/gates/result/json';
import { codeSpan } from './describe-text.ts';

export type { FindingDocument };

/** Returns the gate and the reviewer that reported a finding, as Markdown. */
export function findingWords({ gate, slot, agent, state }: FindingDocument): string {
  const claimNote = state === 'fixed_claimed' ? ', marked as fixed, not confirmed yet' : '';
  return `${codeSpan(gate)}, reviewer ${slot} (${codeSpan(agent)})${claimNote}`;
}

/** Returns the file and line of a finding as a Markdown code span; an empty text if the finding has no file. */
export function placeWords({ file, line, mark }: FindingDocument): string {
  if (file === null) return '';
  return codeSpan(line === null || mark === 'no-such-line' ? file : `${file}:${line}`);
}

/**
 * Returns the part of the change that a run covers, if it is not the whole change since the target branch: chosen files,
 * uncommitted changes, one commit, or the change since another base. Returns null for the whole change.
 */
export function partOfChange({ scope }: Pick<RunDocument, 'scope'>): string | null {
  return scope === 'full' || scope === '' ? null : scope;
}

export function isOpenFinding({ state }: FindingDocument): boolean {
  return state === 'open' || state === 'fixed_claimed';
}
