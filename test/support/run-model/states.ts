import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { BranchContext, Entry } from '@onceover/base/kernel/repository';
import type { FindingState } from '@onceover/gates/findings/types';
import { differences, type MemoryTree, treeId } from '../memory/git.ts';
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
  /** The time at which it failed the current content with the current prompt, if that is its latest record. */
  readonly failedAt: number | null;
  /** The whole tree that its latest review saw; `null` if unknown. */
  readonly sawTree: string | null;
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
  /** Every slot that would run has failed the current content, and no open finding was claimed as fixed since. */
  readonly isSettled: boolean;
  /** Failing iterations without progress since the gate last passed, and the first one. */
  readonly failing: number;
  /** The gate passed other content, and no review failed or ended in an error since. */
  readonly heldBefore: boolean;
};

/** A slot's record in the current cycle. */
type CycleLook = ModelLook & Pick<ModelRecord, 'iteration'>;

/** Returns the state of a gate, by the definitions. */
export function gateStand(model: Model, tree: number, stand: Stand, gate: ModelGate): GateStand {
  const standing = standingOf(model, stand, gate.id);
  const looks = cycleLooks(model, tree, stand, gate);
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
    isSettled: isSettled(model, stand, gate, { slots, standing }),
    failing: failingIterations(model, stand, gate, looks),
    heldBefore: heldBefore(model, stand, gate, looks),
  };
}

function isSettled(
  model: Model,
  stand: Stand,
  gate: ModelGate,
  { slots, standing }: Pick<GateStand, 'slots' | 'standing'>,
): boolean {
  const claimed = standing
    .filter(({ state }) => state === 'fixed_claimed')
    .map(({ finding }) => model.resolved.get(finding.id) ?? 0);
  const waiting = slots.filter(({ covers, passedIn }) => covers === null && passedIn === null);
  // The fix of a finding in another file may be anywhere.
  const isOutside = standing.some(
    ({ finding: { file }, state }) => isOpen(state) && file !== null && !gate.entries.some(({ path }) => path === file),
  );
  return (
    waiting.length > 0 &&
    waiting.every(
      ({ failedAt, sawTree }) =>
        failedAt !== null && claimed.every((moment) => moment < failedAt) && (!isOutside || sawTree === stand.tree),
    )
  );
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
  const mine = looks.filter((look) => look.slot === slot);
  const last = newest(mine).at(-1);
  const isFailure =
    last?.status === 'fail' &&
    last.own?.content === gate.content &&
    last.own.prompt === gate.prompt &&
    last.own.warnsBelow === stand.warnsBelow.join();
  const failedAt = isFailure ? last.moment : null;
  const seen = last?.own?.files ?? null;
  const sawTree = seen === null ? null : treeId(seen);
  if (own.some(({ state }) => isOpen(state))) return { slot, covers: null, passedIn: null, failedAt, sawTree };
  // A slot with warnings passes its content, but is never skipped.
  const isRestless = own.some(({ state }) => state === 'warning');
  const failed = receipt?.verdict === 'fail' && !waived;
  const passedIn = isRestless ? null : passOf(mine, { gate, failed });
  const rests = newest(mine).some(({ status }) => status === 'skipped_prior_pass');
  const covers = receipt?.verdict === 'pass' ? 'ran' : waived ? 'waived' : rests && passedIn !== null ? 'rests' : null;
  return { slot, covers, passedIn, failedAt, sawTree };
}

type PassFacts = { readonly gate: ModelGate; readonly failed: boolean };

/** Returns the iteration in which a slot passed, if its latest record is that pass or a skip. */
function passOf(mine: readonly CycleLook[], facts: PassFacts): number | null {
  const { gate, failed } = facts;
  // The slot failed the current content.
  if (failed) return null;
  const latest = newest(mine);
  const passes = latest.map((look): number | null => {
    if (look.own !== null && look.own.prompt !== gate.prompt) return null;
    switch (look.status) {
      case 'pass':
        return look.violations === 0 ? look.iteration : null;
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

/**
 * The gate's records made on this branch (detached: with this merge-base) or without a branch, since its cycle began.
 * Narrow runs have none.
 */
export function cycleLooks(model: Model, tree: number, stand: Stand, gate: ModelGate): readonly CycleLook[] {
  if (stand.scope.kind === 'narrow') return [];
  const start = cycleStart(model, tree, stand, gate);
  return (model.records[tree] ?? []).flatMap((record) => {
    const { look, iteration } = record;
    if (record.gate !== gate.id || look === null || iteration < start) return [];
    return look.own === null || isOwnHere(record, stand) ? [{ ...look, iteration }] : [];
  });
}

function isOwnHere({ look, where }: ModelRecord, stand: Stand): boolean {
  return look?.own?.scope === stand.scope.key && where !== null && isHere(where, stand.where);
}

/** A cycle ends when the change that it was about was merged, or is no longer part of the current one. */
export function cycleStart(model: Model, tree: number, stand: Stand, gate: ModelGate): number {
  const own = (model.records[tree] ?? []).filter((record) => record.gate === gate.id && isOwnHere(record, stand));
  const last = Math.max(0, ...own.map(({ iteration }) => iteration));
  const latest = own.filter(({ iteration }) => iteration === last);
  const [seen = latest[0]] = latest.filter(({ look }) => look?.own?.files != null);
  if (seen?.look?.own == null) return 0;
  return isContained(seen.look.own, seen.where, stand, gate) ? seen.look.own.start : last + 1;
}

function isContained(
  own: NonNullable<ModelLook['own']>,
  where: BranchContext | null,
  stand: Stand,
  gate: ModelGate,
): boolean {
  if (own.content === gate.content) return true;
  const { files, base } = own;
  if (files === null) return false;
  const before = differences(base, files);
  const isReviewed = gate.entries.some(({ path, baseBlob }) =>
    before.some((entry) => entry.path === path && entry.headBlob !== baseBlob),
  );
  if (!isReviewed || where?.mergeBase === stand.where.mergeBase) return isReviewed;
  // The base moved: at least half of the lines have to be the same.
  const paths = gate.entries.map(({ path }) => path);
  const left = changedLines(stand.base, stand.files, paths);
  const wanted = changedLines(base, files, paths);
  const kept = wanted.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
  return wanted.length > 0 && kept.length >= wanted.length / 2;
}

/** The lines of a diff in memory, which shows a changed file as a whole: first without, then with the change. */
function changedLines(from: MemoryTree, to: MemoryTree, paths: readonly RepoPath[]): string[] {
  return differences(from, to)
    .filter(({ path }) => paths.includes(path))
    .flatMap(({ path, baseBlob, headBlob }) => {
      const lines = [from, to].flatMap((tree, i) =>
        (tree.get(path)?.text ?? '').split('\n').map((line) => `${path} ${'-+'[i]}${line}`),
      );
      const worded = lines.filter((line) => /[-+].*\w/.test(line.slice(path.length)));
      return worded.length > 0 ? worded : [`${path} ${baseBlob}..${headBlob}`];
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
  // Only failing iterations without progress count: the same content and prompt as before, and no finding closed.
  const known = new Set<string>();
  let retries = 0;
  let failed = '';
  for (const iteration of [...new Set(looks.map((look) => look.iteration))].sort((a, b) => a - b)) {
    const these = looks.filter((look) => look.iteration === iteration && look.moment > since);
    // Iterations before the first failure are no attempts to fix it.
    if (these.length === 0 || (failed === '' && !these.some(({ fails }) => fails))) continue;
    const own = these.find((look) => look.own !== null)?.own ?? null;
    const what = own === null ? 'unknown' : JSON.stringify([own.content, own.prompt, own.warnsBelow]);
    const isNew = known.size === 0 || !known.has(what);
    known.add(what);
    if (!these.some(({ fails }) => fails)) continue;
    failed = what;
    if (!isNew && !these.some((look) => closesOne(look, looks, since))) retries++;
  }
  const isCurrent =
    failed === 'unknown' || failed === JSON.stringify([gate.content, gate.prompt, stand.warnsBelow.join()]);
  return isCurrent ? retries + 1 : 0;
}

/** Whether a review no longer has a finding open that the slot's review before it had. */
function closesOne(look: CycleLook, looks: readonly CycleLook[], since: number): boolean {
  const isVerdict = ({ status }: CycleLook) => status === 'pass' || status === 'fail';
  const [before] = looks
    .filter((one) => one.slot === look.slot && one.iteration < look.iteration && one.moment > since && isVerdict(one))
    .sort((a, b) => b.iteration - a.iteration);
  return isVerdict(look) && before?.open.some((id) => !look.open.includes(id)) === true;
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
  return JSON.stringify([gate.id, slot, gate.content, stand.scope.key, gate.prompt, stand.warnsBelow]);
}

export function checkKey(gate: GateId, command: string, tree: string): string {
  return JSON.stringify([gate, command, tree]);
}
