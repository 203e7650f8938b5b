import type { FindingState } from '../../../src/gates/types.ts';
import type { GateId } from '../../../src/kernel/ids.ts';
import type { BranchContext, Entry } from '../../../src/kernel/repository.ts';
import {
  isBelow,
  isOpen,
  type Model,
  type ModelFinding,
  type ModelLook,
  type ModelRecord,
  type Standing,
} from './model.ts';
import type { ModelGate, Stand } from './stand.ts';

type SlotStand = {
  readonly slot: number;
  /** Passed by a review of the current content, by a waiver, or by a skip; `null` if it has not passed. */
  readonly covers: 'ran' | 'waived' | 'rests' | null;
  /** The iteration of its pass, if the slot may be skipped. */
  readonly passedIn: number | null;
};

export type GateStand = {
  readonly gate: ModelGate;
  readonly slots: readonly SlotStand[];
  readonly standing: readonly Standing[];
  /** Every slot counts as passed on the current content, at least one by a review of it. */
  readonly isCovered: boolean;
  readonly holds: boolean;
  /** The gate passes without a skipped slot. */
  readonly certified: boolean;
  /** Failing iterations since the gate last passed. */
  readonly failing: number;
  /** The gate passed other content, and no review failed or ended in an error since. */
  readonly heldBefore: boolean;
};

/** A slot's record in the current cycle. */
type CycleLook = ModelLook & Pick<ModelRecord, 'iteration'>;

/** Returns the state of a gate, by the definitions. */
export function gateStand(model: Model, tree: number, stand: Stand, gate: ModelGate): GateStand {
  const standing = standingOf(model, stand, gate.id);
  const looks = cycleLooks(model, tree, stand, gate.id);
  const slots = Array.from({ length: gate.count }, (_, i) => slotStand(model, stand, gate, i + 1, standing, looks));
  const isCovered =
    slots.every(({ covers }) => covers !== null) && slots.some(({ covers }) => covers === 'ran' || covers === 'waived');
  const holds = isCovered && !standing.some(({ state }) => isOpen(state));
  const certified = holds && slots.every(({ covers }) => covers !== 'rests');
  return {
    gate,
    slots,
    standing,
    isCovered,
    holds,
    certified,
    failing: failingIterations(model, stand, gate, looks),
    heldBefore: heldBefore(model, stand, gate, looks),
  };
}

/** Whether the gate passed other content, and no review failed or ended in an error since. */
function heldBefore(model: Model, stand: Stand, gate: ModelGate, looks: readonly CycleLook[]): boolean {
  const held = model.held.get(heldKey(stand, gate.id));
  const isBroken = (look: CycleLook) =>
    held !== undefined && look.moment > held.moment && (look.fails || look.status === 'error');
  return held !== undefined && held.content !== gate.content && !looks.some(isBroken);
}

function slotStand(
  model: Model,
  stand: Stand,
  gate: ModelGate,
  slot: number,
  standing: readonly Standing[],
  looks: readonly CycleLook[],
): SlotStand {
  const own = standing.filter(({ finding }) => finding.slot === slot);
  const receipt = model.receipts.get(receiptKey(stand, gate, slot));
  const isWaived = (id: string) =>
    model.findings.some((one) => one.id === id && one.said === 'skipped' && one.kept !== 'closed');
  const waived = receipt?.verdict === 'fail' && receipt.findings.length > 0 && receipt.findings.every(isWaived);
  // A slot with an open finding of its own has not passed.
  if (own.some(({ state }) => isOpen(state))) return { slot, covers: null, passedIn: null };
  const mine = looks.filter((look) => look.slot === slot);
  // A slot with warnings passes its content, but is never skipped.
  const isRestless = own.some(({ state }) => state === 'warning');
  const failed = receipt?.verdict === 'fail' && !waived;
  const passedIn = isRestless ? null : passOf(mine, { gate, waived, failed });
  const rests = newest(mine).some(({ status }) => status === 'skipped_prior_pass');
  const covers = receipt?.verdict === 'pass' ? 'ran' : waived ? 'waived' : rests && passedIn !== null ? 'rests' : null;
  return { slot, covers, passedIn };
}

type PassFacts = { readonly gate: ModelGate; readonly waived: boolean; readonly failed: boolean };

/** Returns the iteration in which a slot passed, if its latest record is that pass or a skip. */
function passOf(mine: readonly CycleLook[], facts: PassFacts): number | null {
  const { gate, waived, failed } = facts;
  // The slot failed the current content.
  if (failed) return null;
  const latest = newest(mine);
  const passes = latest.map((look): number | null => {
    if (look.own !== null && look.own.prompt !== gate.prompt) return null;
    switch (look.status) {
      case 'pass':
        return look.violations === 0 ? look.iteration : null;
      case 'fail':
        return waived && look.own?.content === gate.content ? look.iteration : null;
      case 'skipped_prior_pass': {
        const before = mine.filter(({ iteration }) => iteration < look.iteration);
        const { passIteration: said } = look;
        if (said === null || said < 1 || said >= look.iteration) return passOf(before, facts);
        // A skip counts as the iteration that it names, if that is known.
        const isKnown = before.some(({ iteration }) => iteration === said);
        return isKnown
          ? passOf(
              before.filter(({ iteration }) => iteration <= said),
              facts,
            )
          : said;
      }
      default:
        return null;
    }
  });
  return passes.length > 0 && passes.every((one) => one !== null) ? Math.min(...passes) : null;
}

function newest(looks: readonly CycleLook[]): readonly CycleLook[] {
  const last = Math.max(0, ...looks.map(({ iteration }) => iteration));
  return looks.filter(({ iteration }) => iteration === last);
}

/** The gate's records made on this branch (detached: with this merge-base) or without a branch. Narrow runs have none. */
export function cycleLooks(model: Model, tree: number, stand: Stand, gate: GateId): readonly CycleLook[] {
  if (stand.scope.kind === 'narrow') return [];
  return (model.records[tree] ?? []).flatMap((record) => {
    const { look, where, iteration } = record;
    if (record.gate !== gate || look === null) return [];
    const isOurs =
      look.own === null || (look.own.scope === stand.scope.key && where !== null && isHere(where, stand.where));
    return isOurs ? [{ ...look, iteration }] : [];
  });
}

export function isHere(made: BranchContext, where: BranchContext): boolean {
  return where.branch !== null
    ? made.branch === where.branch
    : made.branch === null && made.mergeBase === where.mergeBase;
}

function failingIterations(model: Model, stand: Stand, gate: ModelGate, looks: readonly CycleLook[]): number {
  const resolved = model.findings
    .filter((finding) => finding.gate === gate.id)
    .map(({ id }) => model.resolved.get(id) ?? 0);
  const since = Math.max(model.held.get(heldKey(stand, gate.id))?.moment ?? 0, ...resolved);
  const failing = looks.filter((look) => look.fails && look.moment > since);
  return new Set(failing.map(({ iteration }) => iteration)).size;
}

export function heldKey({ where }: Stand, gate: GateId): string {
  return JSON.stringify([gate, where.branch ?? ['detached', where.mergeBase]]);
}

/** Findings of removed gates stay open while their entries are unchanged. */
export function orphansOf(model: Model, stand: Stand): readonly ModelFinding[] {
  return model.findings.filter(
    (finding) =>
      !stand.ids.has(finding.gate) &&
      stand.isAskedAbout(finding.file) &&
      isOpen(stateOf({ ...finding, cycleEnded: true }, stand)),
  );
}

/** Returns the gate's findings with their current states. */
function standingOf(model: Model, stand: Stand, gate: GateId): readonly Standing[] {
  return model.findings
    .filter((finding) => finding.gate === gate)
    .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
    .map((finding) => ({ finding, state: stateOf(finding, stand) }));
}

function stateOf(finding: ModelFinding, stand: Stand): FindingState {
  if (finding.kept === 'closed') return 'closed';
  const { entry } = finding;
  const now = entry === null ? undefined : stand.entries.find(({ path }) => path === entry.path);
  if (entry !== null && now === undefined) return 'gone';
  if (finding.said === 'skipped') return 'waived';
  if (finding.scope !== stand.scope.key) return 'gone';
  // An open finding outlives its cycle while its entry is unchanged.
  const isOfCycle = isHere(finding.where, stand.where) && !finding.cycleEnded;
  if (!isOfCycle && !isSame(entry, now)) return 'gone';
  const [failOn, rerun] = stand.warnsBelow;
  const isSpared = isBelow(finding.priority, failOn) || (finding.isOfRerun && isBelow(finding.priority, rerun));
  if (finding.kept === 'warning' && isSpared) return 'warning';
  return finding.said === 'fixed' ? 'fixed_claimed' : 'open';
}

function isSame(a: Entry | null, b: Entry | undefined): boolean {
  return a !== null && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

export function receiptKey(stand: Stand, gate: ModelGate, slot: number): string {
  return JSON.stringify([gate.id, slot, gate.content, stand.scope.key, gate.prompt]);
}

export function checkKey(gate: GateId, command: string, tree: string): string {
  return JSON.stringify([gate, command, tree]);
}
