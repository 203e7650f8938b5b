import { sha256 } from '../domain/digest.ts';
import type { Gate, GateId } from '../domain/gate.ts';
import { grouped } from '../domain/grouped.ts';
import type { GateName } from '../domain/ports.ts';
import { safeName } from '../domain/safe-name.ts';

const LONGEST_STEM = 150;
const HASH_STEP = 6;

/**
 * How the files of each gate's records begin: its id, as far as a file's name allows. Ids that would share a name, also
 * where upper and lower case are the same, get a short hash each; so do long ones.
 */
export function gateNames(gates: readonly Pick<Gate, 'id' | 'kind'>[]): readonly GateName[] {
  const digits = new Map<GateId, number>();
  for (;;) {
    const names = gates.map(({ id, kind }) => ({ id, kind, stem: stemOf(id, kind, digits.get(id) ?? 0) }));
    const shared = sharing(names);
    if (shared.length === 0) return names;
    // A hash may make one name the same as another: then there is one more round.
    for (const id of shared) digits.set(id, (digits.get(id) ?? 0) + HASH_STEP);
  }
}

function stemOf(id: GateId, kind: Gate['kind'], digits: number): string {
  const stem = `${kind}_${safeName(id.slice(kind.length + 1))}`;
  if (digits === 0 && stem.length <= LONGEST_STEM) return stem;
  const hash = sha256(id);
  return `${stem.slice(0, LONGEST_STEM)}-${hash.slice(0, Math.max(digits, HASH_STEP))}`;
}

function sharing(names: readonly GateName[]): readonly GateId[] {
  const groups = [...grouped(names, ({ stem }) => stem.toLowerCase()).values()];
  return groups
    .map((own) => new Set(own.map(({ id }) => id)))
    .filter((ids) => ids.size > 1)
    .flatMap((ids) => [...ids]);
}
