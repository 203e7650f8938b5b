import type { GateId } from '@onceover/base/kernel/ids';
import type { Model, ModelFinding } from './model.ts';
import type { Asked } from './observed.ts';
import type { Setup } from './setup.ts';
import type { ModelCheck, Stand } from './stand.ts';
import { checkKey, type GateStand, gateStand, orphansOf } from './states.ts';

/** The run that the definitions require. */
export type ModelPlan = {
  readonly iterates: boolean;
  readonly checks: readonly ModelCheck[];
  readonly gates: ReadonlyMap<GateId, SlotsPlan>;
};

/** The slots of a gate that run, and those that are skipped with the iteration of their pass. */
type SlotsPlan = { readonly run: readonly number[]; readonly rest: ReadonlyMap<number, number> };

/** The state of every gate and check of the run. */
export type Standings = {
  readonly stand: Stand;
  readonly gates: readonly GateStand[];
  readonly unmet: readonly ModelCheck[];
  readonly orphans: readonly ModelFinding[];
};

export function standings(model: Model, tree: number, stand: Stand): Standings {
  return {
    stand,
    gates: stand.gates.map((gate) => gateStand(model, tree, stand, gate)),
    unmet: stand.checks.filter(({ id, command }) => model.checks.get(checkKey(id, command, stand.tree)) !== true),
    orphans: orphansOf(model, stand),
  };
}

/** If every gate passes, nothing runs. Otherwise every review in the settings runs at least one reviewer. */
export function planRun(standing: Standings, setup: Setup, asked: Asked, isOn: boolean): ModelPlan {
  const { gates, unmet, stand } = standing;
  const isOver = (one: GateStand) => !one.holds && one.failing > setup.maxRetries;
  const needs = (one: GateStand) => {
    if (asked.fresh) return !isOver(one);
    if (asked.force) return one.slots.some(lacksPass);
    if (setup.unchangedGates === 'rest' && one.isSettled) return false;
    return !one.isCovered && !isOver(one);
  };
  const isNeeded = gates.some(needs) || unmet.length > 0 || (asked.fresh && stand.checks.length > 0);
  if (!isNeeded && !isOn) return setup.certify ? planCertify(standing) : NOTHING;
  const rests = setup.unchangedGates === 'rest' && !asked.fresh;
  const plans = new Map<GateId, SlotsPlan>();
  for (const one of gates) {
    const isLeftOut = rests || one.gate.kind === 'rule' || isOver(one);
    if (needs(one) || !isLeftOut) plans.set(one.gate.id, slotsOf(one, setup, asked));
  }
  return { iterates: true, checks: rests ? unmet : stand.checks, gates: plans };
}

const NOTHING: ModelPlan = { iterates: false, checks: [], gates: new Map() };

/** Before the run passes, skipped slots review. */
export function planCertify({ gates, unmet, orphans }: Standings): ModelPlan {
  const uncertified = gates.filter(({ holds, certified }) => holds && !certified);
  const canPass = gates.every(({ holds }) => holds) && unmet.length === 0 && orphans.length === 0;
  if (uncertified.length === 0 || !canPass) return NOTHING;
  return {
    iterates: true,
    checks: [],
    gates: new Map(
      uncertified.map(({ gate, slots }) => [
        gate.id,
        {
          run: slots.filter(({ covers }) => covers === 'rests').map(({ slot }) => slot),
          rest: new Map(
            slots.flatMap(({ slot, covers, passedIn }) =>
              covers === 'rests' || passedIn === null ? [] : [[slot, passedIn]],
            ),
          ),
        },
      ]),
    ),
  };
}

function lacksPass({ covers }: GateStand['slots'][number]): boolean {
  return covers === null || covers === 'rests';
}

/** The rule of RUN-SLOTS, and the user's options beyond it. */
function slotsOf({ slots, holds, gate, heldBefore }: GateStand, setup: Setup, asked: Asked): SlotsPlan {
  const all = slots.map(({ slot }) => slot);
  const notPassed = slots.filter(({ passedIn }) => passedIn === null).map(({ slot }) => slot);
  const forced = asked.force ? slots.filter(lacksPass).map(({ slot }) => slot) : [];
  // A slot that is waived on this content runs only if no other does.
  const waived = slots.filter(({ covers }) => covers === 'waived').map(({ slot }) => slot);
  const wanted = all.filter((slot) => (notPassed.includes(slot) && !waived.includes(slot)) || forced.includes(slot));
  const run = () => {
    if (asked.fresh || gate.count === 1) return all;
    if (setup.afterPass === 'all' && !holds && heldBefore) return all;
    return wanted.length > 0 ? wanted : [waived.find((slot) => notPassed.includes(slot)) ?? 1];
  };
  const runs = run();
  return {
    run: runs,
    rest: new Map(
      slots.flatMap(({ slot, passedIn }) => (runs.includes(slot) || passedIn === null ? [] : [[slot, passedIn]])),
    ),
  };
}
