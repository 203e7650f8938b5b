import type { GateId } from '@onceover/base/kernel/ids';
import type { GateOutcome } from '../result/types.ts';

/**
 * The thing that a user means by a name: a finding, a gate, or one reviewer (slot) of a gate. `ambiguous`: several
 * gates have the name.
 */
export type Subject =
  | { readonly kind: 'finding'; readonly id: string }
  | { readonly kind: 'gate'; readonly gate: GateOutcome }
  | { readonly kind: 'slot'; readonly gate: GateOutcome; readonly slot: number }
  | { readonly kind: 'ambiguous'; readonly gates: readonly GateOutcome[] };

/**
 * Returns the finding, gate or reviewer that a name means. The end of a gate's id is enough if no other gate's id ends
 * with it.
 */
export function subjectOf(name: string, gates: readonly GateOutcome[]): Subject | null {
  const text = name.trim();
  if (/^f[1-9]\d*$/i.test(text)) return { kind: 'finding', id: text.toUpperCase() };
  const gatesWithName = gatesNamed(text, gates);
  if (gatesWithName.length > 0) return oneOf(gatesWithName, (gate) => ({ kind: 'gate', gate }));
  const [, stem = '', slot = ''] = /^(.+)@(\d{1,4})$/.exec(text) ?? [];
  const reviews = gates.filter(({ kind }) => kind !== 'check');
  return oneOf(stem === '' ? [] : gatesNamed(stem, reviews), (gate) => ({ kind: 'slot', gate, slot: Number(slot) }));
}

/**
 * Returns the configured gate that a text such as `quality` or `quality@2` means, even if none of its files changed.
 * Returns `null` if no gate has this name, or more than one has it.
 */
export function idleGateOf(name: string, configuredIds: readonly GateId[]): GateId | null {
  const text = name.trim();
  const gates = configuredIds.map((id) => ({ id }));
  for (const gateName of [text, text.replace(/@\d{1,4}$/, '')]) {
    const [only, ...otherGates] = gatesNamed(gateName, gates);
    if (only !== undefined) return otherGates.length === 0 ? only.id : null;
  }
  return null;
}

function gatesNamed<T extends { readonly id: GateId }>(name: string, gates: readonly T[]): readonly T[] {
  const exact = gates.filter(({ id }) => id === name);
  return exact.length > 0 ? exact : gates.filter(({ id }) => id.endsWith(`:${name}`));
}

function oneOf(gates: readonly GateOutcome[], subject: (gate: GateOutcome) => Subject): Subject | null {
  const [only] = gates;
  if (only === undefined) return null;
  return gates.length === 1 ? subject(only) : { kind: 'ambiguous', gates };
}
