import type { GateOutcome } from '../domain/run.ts';

/** What a person asks about. */
export type Subject =
  | { readonly kind: 'finding'; readonly id: string }
  | { readonly kind: 'gate'; readonly gate: GateOutcome }
  | { readonly kind: 'slot'; readonly gate: GateOutcome; readonly slot: number };

/** The finding, gate or slot that a name means: a gate by its id, or by the last part of it where only one has that. */
export function subjectOf(name: string, gates: readonly GateOutcome[]): Subject | null {
  const text = name.trim();
  if (/^f[1-9]\d*$/i.test(text)) return { kind: 'finding', id: text.toUpperCase() };
  const whole = gateNamed(text, gates);
  if (whole !== null) return { kind: 'gate', gate: whole };
  const [, stem = '', slot = ''] = /^(.+)@(\d{1,4})$/.exec(text) ?? [];
  const gate = stem === '' ? null : gateNamed(stem, gates);
  return gate === null ? null : { kind: 'slot', gate, slot: Number(slot) };
}

function gateNamed(name: string, gates: readonly GateOutcome[]): GateOutcome | null {
  const exact = gates.find(({ id }) => id === name);
  if (exact !== undefined) return exact;
  const [only, another] = gates.filter(({ id }) => id.endsWith(`:${name}`));
  return only !== undefined && another === undefined ? only : null;
}
