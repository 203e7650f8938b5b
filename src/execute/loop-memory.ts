import { isSameWord, type KnownFinding, refuted } from '../domain/finding.ts';
import type { Findings, Passes, Receipts, Records } from '../domain/ports.ts';
import type {
  CheckReceipt,
  CheckReceiptKey,
  HeldReceipt,
  HeldReceiptKey,
  Receipt,
  ReceiptKey,
} from '../domain/receipt.ts';
import type { CheckRecord, SlotRecord } from '../domain/record.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunPorts } from './run-ports.ts';

/** Stores that a loop can trust although somebody else may write to their files. */
export type LoopMemory = {
  readonly ports: RunPorts;
  /** From now on only what was read before, and what the loop itself writes, counts: a fixer is about to work. */
  close(): void;
};

/** Wraps the stores that passes and findings are known from; everything is still written to them. */
export function openLoopMemory(ports: RunPorts): LoopMemory {
  let closed = false;
  const isClosed = () => closed;
  return {
    ports: {
      ...ports,
      receipts: ownReceipts(ports.receipts, isClosed),
      records: ownRecords(ports.records, isClosed),
      findings: ownFindings(ports.findings, isClosed),
      passes: ownPasses(ports.passes, isClosed),
    },
    close() {
      closed = true;
    },
  };
}

function ownReceipts(under: Receipts, isClosed: () => boolean): Receipts {
  const reviews = new Map<string, Receipt>();
  const checks = new Map<string, CheckReceipt>();
  const held = new Map<string, HeldReceipt>();
  const keyOf = ({ gate, slot, content, scope, promptDigest }: ReceiptKey) =>
    JSON.stringify([gate, slot, content, scope, promptDigest]);
  const checkKey = ({ gate, command, tree }: CheckReceiptKey) => JSON.stringify([gate, command, tree]);
  const heldKey = ({ gate, branch, mergeBase }: HeldReceiptKey) => JSON.stringify([gate, branch, mergeBase]);

  async function find<T>(known: Map<string, T>, key: string, look: () => Promise<T | null>): Promise<T | null> {
    if (isClosed()) return known.get(key) ?? null;
    const found = await look();
    if (found !== null) known.set(key, found);
    return found;
  }

  return {
    find: (key) => find(reviews, keyOf(key), () => under.find(key)),
    findCheck: (key) => find(checks, checkKey(key), () => under.findCheck(key)),
    findHeld: (key) => find(held, heldKey(key), () => under.findHeld(key)),
    async write(receipt) {
      reviews.set(keyOf(receipt), receipt);
      return under.write(receipt);
    },
    async writeCheck(receipt) {
      checks.set(checkKey(receipt), receipt);
      return under.writeCheck(receipt);
    },
    async writeHeld(receipt) {
      held.set(heldKey(receipt), receipt);
      return under.writeHeld(receipt);
    },
  };
}

function ownRecords(under: Records, isClosed: () => boolean): Records {
  const slots = new Map<string, SlotRecord>();
  const checks = new Map<string, CheckRecord>();
  const put = (record: SlotRecord) => {
    const { gate, slot, iteration, adapter } = record;
    slots.set(JSON.stringify([gate, slot, iteration, adapter]), record);
  };
  const putCheck = (record: CheckRecord) => {
    checks.set(JSON.stringify([record.gate, record.iteration]), record);
  };
  return {
    ...under,
    async read(gates, tracked) {
      const past = await under.read(gates, tracked);
      if (!past.ok) return past;
      if (!isClosed()) {
        past.value.slots.forEach(put);
        past.value.checks.forEach(putCheck);
        return past;
      }
      const ids = new Set(gates.map(({ id }) => id));
      return done({
        ...past.value,
        slots: [...slots.values()].filter(({ gate }) => ids.has(gate)),
        checks: [...checks.values()].filter(({ gate }) => ids.has(gate)),
      });
    },
    async writeSlot(record, file, log) {
      put(record);
      return under.writeSlot(record, file, log);
    },
    async writeCheck(record, gate, log) {
      putCheck(record);
      return under.writeCheck(record, gate, log);
    },
    async archive(which) {
      for (const known of [slots, checks]) {
        for (const [key, { gate, iteration }] of known) {
          if (which === 'all' || which.some((one) => one.gate === gate && one.iteration === iteration))
            known.delete(key);
        }
      }
      return under.archive(which);
    },
  };
}

function ownFindings(under: Findings, isClosed: () => boolean): Findings {
  const known = new Map<string, KnownFinding>();

  /** Puts back what somebody has removed; gives what there was before. */
  async function restore(): Promise<Result<readonly KnownFinding[]>> {
    const all = await under.all();
    if (!all.ok) return all;
    const isThere = new Set(all.value.map(({ id }) => id));
    for (const { resolution: _said, ...finding } of known.values()) {
      if (isThere.has(finding.id)) continue;
      const kept = await under.update(finding);
      if (!kept.ok) return kept;
    }
    return all;
  }

  return {
    async all() {
      const all = await under.all();
      if (!all.ok) return all;
      if (!isClosed()) {
        for (const finding of all.value) known.set(finding.id, finding);
        return all;
      }
      // Another working tree may have found something meanwhile. What somebody waives meanwhile counts in the next run.
      const others = all.value
        .filter(({ id, kept }) => !known.has(id) && kept === 'open')
        .map((one): KnownFinding => (one.resolution?.how === 'skipped' ? { ...one, resolution: null } : one));
      return done([...known.values(), ...others].sort((a, b) => numberOf(a) - numberOf(b)));
    },
    async add(finding) {
      // Else its number could be given to another.
      const whole = await restore();
      if (!whole.ok) return whole;
      const added = await under.add(finding);
      if (added.ok) known.set(added.value.id, { ...added.value, resolution: null });
      return added;
    },
    async update(finding) {
      known.set(finding.id, { ...finding, resolution: known.get(finding.id)?.resolution ?? null });
      return under.update(finding);
    },
    async resolve(id, resolution) {
      const mine = known.get(id);
      if (mine !== undefined) known.set(id, { ...mine, resolution });
      const all = await restore();
      if (!all.ok) return all;
      const there = all.value.find((one) => one.id === id)?.resolution;
      const isWaivedMeanwhile = there?.how === 'skipped' && mine?.resolution?.how !== 'skipped';
      return isWaivedMeanwhile ? done(undefined) : under.resolve(id, resolution);
    },
    async refute(id, claim) {
      const mine = known.get(id);
      const isClaim = mine?.resolution != null && isSameWord(mine.resolution, claim);
      if (mine !== undefined && isClaim) known.set(id, { ...mine, resolution: refuted(claim) });
      return under.refute(id, claim);
    },
  };
}

function ownPasses(under: Passes, isClosed: () => boolean): Passes {
  const known = new Set<string>();
  return {
    ...under,
    async marked() {
      const marked = await under.marked();
      if (!marked.ok) return marked;
      if (!isClosed()) for (const id of marked.value.ids) known.add(id);
      return done({ ...marked.value, ids: new Set([...marked.value.ids].filter((id) => known.has(id))) });
    },
    async mark(id, by, at) {
      known.add(id);
      return under.mark(id, by, at);
    },
  };
}

function numberOf({ id }: KnownFinding): number {
  return Number(id.slice(1));
}
