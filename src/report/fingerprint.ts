import { digestOf } from '../domain/digest.ts';
import type { Finding } from '../domain/finding.ts';
import type { GateId } from '../domain/gate.ts';

/**
 * What a finding is known by from run to run: gate, file, the text that it points at and which occurrence of it; never its
 * line, and never what is said of it. One that points at nothing is known by its id.
 */
export function findingFingerprint(finding: Finding): string {
  const { gate, slot, file, anchor, id } = finding;
  const what =
    anchor === null ? ['unanchored', String(slot), id] : ['anchored', anchor.text, String(anchor.occurrence)];
  return digest([gate, file ?? '', ...what]);
}

/** What a gate that failed or could not be judged is known by. */
export function gateFingerprint(gate: GateId | null): string {
  return digest(['gate', gate ?? '']);
}

function digest(parts: readonly string[]): string {
  return digestOf(parts).slice(0, 32);
}
