import type { GateId } from '../domain/gate.ts';
import type { GateOutcome } from '../domain/run.ts';

/** What a person asks about. */
export type Subject =
  | { readonly kind: 'finding'; readonly id: string }
  | { readonly kind: 'gate'; readonly gate: GateOutcome }
  | { readonly kind: 'slot'; readonly gate: GateOutcome; readonly slot: number }
  /** Several gates have the name. */
  | { readonly kind: 'ambiguous'; readonly gates: readonly GateOutcome[] };

/** The finding, gate or slot that a name means: a gate by its id, or by the last part of it where only one has that. */
export function subjectOf(name: string, gates: readonly GateOutcome[]): Subject | null {
  const text = name.trim();
  if (/^f[1-9]\d*$/i.test(text)) return { kind: 'finding', id: text.toUpperCase() };
  const whole = gatesNamed(text, gates);
  if (whole.length > 0) return oneOf(whole, (gate) => ({ kind: 'gate', gate }));
  const [, stem = '', slot = ''] = /^(.+)@(\d{1,4})$/.exec(text) ?? [];
  // A check has no slots, so it cannot be meant.
  const reviews = gates.filter(({ kind }) => kind !== 'check');
  return oneOf(stem === '' ? [] : gatesNamed(stem, reviews), (gate) => ({ kind: 'slot', gate, slot: Number(slot) }));
}

/** The gate with nothing to look at that a name, also of one of its slots, means; null where it is none, or several. */
export function idleGateOf(name: string, configured: readonly GateId[]): GateId | null {
  const text = name.trim();
  for (const one of [text, text.replace(/@\d{1,4}$/, '')]) {
    const exact = configured.filter((id) => id === one);
    const [only, ...others] = exact.length > 0 ? exact : configured.filter((id) => id.endsWith(`:${one}`));
    if (only !== undefined) return others.length === 0 ? only : null;
  }
  return null;
}

function gatesNamed(name: string, gates: readonly GateOutcome[]): readonly GateOutcome[] {
  const exact = gates.filter(({ id }) => id === name);
  return exact.length > 0 ? exact : gates.filter(({ id }) => id.endsWith(`:${name}`));
}

function oneOf(gates: readonly GateOutcome[], subject: (gate: GateOutcome) => Subject): Subject | null {
  const [only] = gates;
  if (only === undefined) return null;
  return gates.length === 1 ? subject(only) : { kind: 'ambiguous', gates };
}
