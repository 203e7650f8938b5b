import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { asRefuted, isSameResolution, type KnownFinding } from '../findings/types.ts';
import type { RunPorts } from '../run/ports.ts';
import { receiptKey } from '../run/record/receipts.ts';
import type { CheckRecord, SlotRecord } from '../run/record-types.ts';
import type { Receipts } from '../run/types.ts';

/**
 * Wraps the stores of passes and findings, so that the loop ignores what a fixing agent writes to their files. After
 * `close()`, a pass counts only if it was read before or if the loop itself wrote it. What the loop writes still goes
 * to the stores.
 */
export function openTrustedStores(ports: RunPorts): { readonly ports: RunPorts; close(): void } {
  let closed = false;
  const isClosed = () => closed;
  return {
    ports: {
      ...ports,
      receipts: trustedReceipts(ports.receipts, isClosed),
      records: trustedRecords(ports.records, isClosed),
      findings: trustedFindings(ports.findings, isClosed),
      passes: trustedPasses(ports.passes, isClosed),
    },
    close() {
      closed = true;
    },
  };
}

function trustedReceipts(under: RunPorts['receipts'], isClosed: () => boolean): RunPorts['receipts'] {
  const known = new Map<string, unknown>();
  return {
    async find(kind, key) {
      const name = JSON.stringify(receiptKey(kind, key));
      if (isClosed()) return (known.get(name) as Receipts[typeof kind] | undefined) ?? null;
      const found = await under.find(kind, key);
      if (found !== null) known.set(name, found);
      return found;
    },
    async write(kind, receipt) {
      known.set(JSON.stringify(receiptKey(kind, receipt)), receipt);
      return under.write(kind, receipt);
    },
  };
}

function trustedRecords(under: RunPorts['records'], isClosed: () => boolean): RunPorts['records'] {
  const known = new Map<string, SlotRecord | CheckRecord>();
  const put = (record: SlotRecord | CheckRecord) => {
    const slot = 'slot' in record ? [record.slot, record.adapter] : [];
    known.set(JSON.stringify([record.gate, record.iteration, ...slot]), record);
  };
  return {
    ...under,
    async read(gates, tracked) {
      const past = await under.read(gates, tracked);
      if (!past.ok) return past;
      if (!isClosed()) {
        for (const record of [...past.value.slots, ...past.value.checks]) put(record);
        return past;
      }
      const own = [...known.values()].filter(({ gate }) => gates.some(({ id }) => id === gate));
      return ok({
        ...past.value,
        slots: own.filter((record) => 'slot' in record),
        checks: own.flatMap((record) => ('slot' in record ? [] : [record])),
      });
    },
    async writeSlot(record, file, log) {
      put(record);
      return under.writeSlot(record, file, log);
    },
    async writeCheck(record, gate, log) {
      put(record);
      return under.writeCheck(record, gate, log);
    },
    async archive(which) {
      for (const [key, { gate, iteration }] of known) {
        const isArchived = which === 'all' || which.some((one) => one.gate === gate && one.iteration === iteration);
        if (isArchived) known.delete(key);
      }
      return under.archive(which);
    },
  };
}

function trustedFindings(under: RunPorts['findings'], isClosed: () => boolean): RunPorts['findings'] {
  const known = new Map<string, KnownFinding>();

  /**
   * Writes known findings back if they were removed from the store. Returns the findings that were in the store before.
   */
  async function restore(): Promise<Result<readonly KnownFinding[]>> {
    const all = await under.all();
    if (!all.ok) return all;
    const missing = [...known.values()].filter(({ id }) => !all.value.some((one) => one.id === id));
    const restored = await forEachOk(missing, ({ resolution: _claim, ...finding }) => under.update(finding));
    return restored.ok ? all : restored;
  }

  return {
    async all() {
      const all = await under.all();
      if (!all.ok) return all;
      if (!isClosed()) {
        for (const finding of all.value) known.set(finding.id, finding);
        return all;
      }
      // Another worktree may have added findings since `close()`, so include them. The fixing agent may have written
      // their waivers, so ignore these in this loop.
      const others = all.value
        .filter(({ id, kept }) => !known.has(id) && kept === 'open')
        .map((one): KnownFinding => (one.resolution?.how === 'skipped' ? { ...one, resolution: null } : one));
      return ok([...known.values(), ...others].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))));
    },
    async add(findings, stop) {
      // First write removed findings back. Otherwise the store could give one of their ids to a new finding.
      const whole = await restore();
      if (!whole.ok) return whole;
      const added = await under.add(findings, stop);
      if (added.ok) for (const one of added.value) known.set(one.id, { ...one, resolution: null });
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
      // Keep a waiver that a person wrote since `close()`.
      const stored = all.value.find((one) => one.id === id)?.resolution;
      const waivedMeanwhile = stored?.how === 'skipped' && mine?.resolution?.how !== 'skipped';
      return waivedMeanwhile ? ok(undefined) : under.resolve(id, resolution);
    },
    async refute(id, claim) {
      const mine = known.get(id);
      const isClaim = mine?.resolution != null && isSameResolution(mine.resolution, claim);
      if (mine !== undefined && isClaim) known.set(id, { ...mine, resolution: asRefuted(claim) });
      return under.refute(id, claim);
    },
  };
}

function trustedPasses(under: RunPorts['passes'], isClosed: () => boolean): RunPorts['passes'] {
  const known = new Set<string>();
  return {
    ...under,
    async marked() {
      const marked = await under.marked();
      if (!marked.ok) return marked;
      if (!isClosed()) for (const id of marked.value.ids) known.add(id);
      return ok({ ...marked.value, ids: new Set([...marked.value.ids].filter((id) => known.has(id))) });
    },
    async mark(id, by, at) {
      known.add(id);
      return under.mark(id, by, at);
    },
  };
}
