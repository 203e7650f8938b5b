import type { Settings } from '../../config/settings.ts';
import type { GateId, RepoPath } from '../../kernel/ids.ts';
import { isAtOrBelow } from '../../kernel/paths.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Rule } from '../../rules/types.ts';
import type { GateOutcome } from '../run-types.ts';
import type { Gate } from '../types.ts';
import { gateIds } from './gate-list.ts';

/** The gates that a user selects. An empty list selects all gates. */
export type GateRequest = {
  readonly gates: readonly string[];
  /** Selects gates with changes at or below one of these paths. */
  readonly paths: readonly RepoPath[];
  readonly settings: Pick<Settings, 'gates'>;
  readonly rules: readonly Rule[];
};

/** Returns the selected gates. An unknown name is an error; a configured gate without changes is not. */
export function selectGates(gates: readonly Gate[], request: GateRequest): Result<readonly Gate[]> {
  const { settings, rules, paths } = request;
  const configured = [
    ...settings.gates.flatMap((entry) => [...Object.keys(entry.checks), ...Object.keys(entry.reviews)]),
    ...rules.map(({ name }) => name),
  ];
  const isGateId = gateIds(settings.gates, rules);
  for (const gate of request.gates) {
    const isKnown = configured.includes(gate) || gates.some(({ id }) => id === gate);
    if (!isKnown && !isGateId(gate)) {
      return err({ kind: 'unknown-gate', gate, known: [...new Set(configured)] });
    }
  }
  return ok(
    gates.filter(
      ({ id, name, entries }) =>
        (request.gates.length === 0 || request.gates.some((wanted) => wanted === id || wanted === name)) &&
        (paths.length === 0 || entries.some((entry) => isAtOrBelow(entry.path, paths))),
    ),
  );
}

/** The finding, gate or slot that a user names; `ambiguous` if several gates have the name. */
export type Subject =
  | { readonly kind: 'finding'; readonly id: string }
  | { readonly kind: 'gate'; readonly gate: GateOutcome }
  | { readonly kind: 'slot'; readonly gate: GateOutcome; readonly slot: number }
  | { readonly kind: 'ambiguous'; readonly gates: readonly GateOutcome[] };

/** Returns the finding, gate or slot that a text names. A gate is named by its id or, if unique, by the id's end. */
export function subjectOf(name: string, gates: readonly GateOutcome[]): Subject | null {
  const text = name.trim();
  if (/^f[1-9]\d*$/i.test(text)) return { kind: 'finding', id: text.toUpperCase() };
  const whole = named(text, gates);
  if (whole.length > 0) return oneOf(whole, (gate) => ({ kind: 'gate', gate }));
  const [, stem = '', slot = ''] = /^(.+)@(\d{1,4})$/.exec(text) ?? [];
  const reviews = gates.filter(({ kind }) => kind !== 'check');
  return oneOf(stem === '' ? [] : named(stem, reviews), (gate) => ({ kind: 'slot', gate, slot: Number(slot) }));
}

/**
 * Returns the gate that a text such as `quality` or `quality@2` names. It may be idle, which means that none of its
 * files changed. Returns `null` if no configured gate has this name, or more than one.
 */
export function idleGateOf(name: string, configured: readonly GateId[]): GateId | null {
  const text = name.trim();
  const gates = configured.map((id) => ({ id }));
  for (const one of [text, text.replace(/@\d{1,4}$/, '')]) {
    const [only, ...others] = named(one, gates);
    if (only !== undefined) return others.length === 0 ? only.id : null;
  }
  return null;
}

function named<T extends { readonly id: GateId }>(name: string, gates: readonly T[]): readonly T[] {
  const exact = gates.filter(({ id }) => id === name);
  return exact.length > 0 ? exact : gates.filter(({ id }) => id.endsWith(`:${name}`));
}

function oneOf(gates: readonly GateOutcome[], subject: (gate: GateOutcome) => Subject): Subject | null {
  const [only] = gates;
  if (only === undefined) return null;
  return gates.length === 1 ? subject(only) : { kind: 'ambiguous', gates };
}
