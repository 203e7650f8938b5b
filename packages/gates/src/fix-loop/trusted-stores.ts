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
  let hasClosed = false;
  const isClosed = () => hasClosed;
  return {
    ports: {
      ...ports,
      receipts: trustedReceipts(ports.receipts, isClosed),
      records: trustedRecords(ports.records, isClosed),
      findings: trustedFindings(ports.findings, isClosed),
      passes: trustedPasses(ports.passes, isClosed),
    },
    close() {
      hasClosed = true;
    },
  };
}

function trustedReceipts(under: RunPorts['receipts'], isClosed: () => boolean): RunPorts['receipts'] {
  const receiptsByKey = new Map<string, unknown>();
  return {
    async find(kind, key) {
      const name = JSON.stringify(receiptKey(kind, key));
      if (isClosed()) return (receiptsByKey.get(name) as Receipts[typeof kind] | undefined) ?? null;
      const receipt = await under.find(kind, key);
      if (receipt !== null) receiptsByKey.set(name, receipt);
      return receipt;
    },
    async write(kind, receipt) {
      receiptsByKey.set(JSON.stringify(receiptKey(kind, receipt)), receipt);
      return under.write(kind, receipt);
    },
  };
}

function trustedRecords(under: RunPorts['records'], isClosed: () => boolean): RunPorts['records'] {
  const recordsByKey = new Map<string, SlotRecord | CheckRecord>();
  const remember = (record: SlotRecord | CheckRecord) => {
    const slot = 'slot' in record ? [record.slot, record.adapter] : [];
    recordsByKey.set(JSON.stringify([record.gate, record.iteration, ...slot]), record);
  };
  return {
    ...under,
    async read(gates, trackedPaths) {
      const past = await under.read(gates, trackedPaths);
      if (!past.ok) return past;
      if (!isClosed()) {
        for (const record of [...past.value.slots, ...past.value.checks]) remember(record);
        return past;
      }
      const gateRecords = [...recordsByKey.values()].filter(({ gate }) => gates.some(({ id }) => id === gate));
      return ok({
        ...past.value,
        slots: gateRecords.filter((record) => 'slot' in record),
        checks: gateRecords.flatMap((record) => ('slot' in record ? [] : [record])),
      });
    },
    async writeSlot(record, file, log) {
      remember(record);
      return under.writeSlot(record, file, log);
    },
    async writeCheck(record, gate, log) {
      remember(record);
      return under.writeCheck(record, gate, log);
    },
    async archive(selection) {
      for (const [key, { gate, iteration }] of recordsByKey) {
        const isArchived =
          selection === 'all' || selection.some((gateRun) => gateRun.gate === gate && gateRun.iteration === iteration);
        if (isArchived) recordsByKey.delete(key);
      }
      return under.archive(selection);
    },
  };
}

function trustedFindings(under: RunPorts['findings'], isClosed: () => boolean): RunPorts['findings'] {
  const findingsById = new Map<string, KnownFinding>();

  /**
   * Writes known findings back if they were removed from the store. Returns the findings that were in the store before.
   */
  async function restore(): Promise<Result<readonly KnownFinding[]>> {
    const storedFindings = await under.all();
    if (!storedFindings.ok) return storedFindings;
    const missing = [...findingsById.values()].filter(
      ({ id }) => !storedFindings.value.some((finding) => finding.id === id),
    );
    const updateResult = await forEachOk(missing, ({ resolution: _claim, ...finding }) => under.update(finding));
    return updateResult.ok ? storedFindings : updateResult;
  }

  return {
    async all() {
      const storedFindings = await under.all();
      if (!storedFindings.ok) return storedFindings;
      if (!isClosed()) {
        for (const finding of storedFindings.value) findingsById.set(finding.id, finding);
        return storedFindings;
      }
      // Another worktree may have added findings since `close()`, so include them. The fixing agent may have written
      // their waivers, so ignore these in this loop.
      const addedFindings = storedFindings.value
        .filter(({ id, kept }) => !findingsById.has(id) && kept === 'open')
        .map(
          (finding): KnownFinding =>
            finding.resolution?.how === 'skipped' ? { ...finding, resolution: null } : finding,
        );
      return ok(
        [...findingsById.values(), ...addedFindings].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))),
      );
    },
    async add(findings, stop) {
      // First write removed findings back. Otherwise the store could give one of their ids to a new finding.
      const whole = await restore();
      if (!whole.ok) return whole;
      const addedFindings = await under.add(findings, stop);
      if (addedFindings.ok)
        for (const finding of addedFindings.value) findingsById.set(finding.id, { ...finding, resolution: null });
      return addedFindings;
    },
    async update(finding) {
      findingsById.set(finding.id, { ...finding, resolution: findingsById.get(finding.id)?.resolution ?? null });
      return under.update(finding);
    },
    async resolve(id, resolution) {
      const finding = findingsById.get(id);
      if (finding !== undefined) findingsById.set(id, { ...finding, resolution });
      const storedFindings = await restore();
      if (!storedFindings.ok) return storedFindings;
      // Keep a waiver that a person wrote since `close()`.
      const storedResolution = storedFindings.value.find((candidate) => candidate.id === id)?.resolution;
      const waivedMeanwhile = storedResolution?.how === 'skipped' && finding?.resolution?.how !== 'skipped';
      return waivedMeanwhile ? ok(undefined) : under.resolve(id, resolution);
    },
    async refute(id, claim) {
      const finding = findingsById.get(id);
      const isClaim = finding?.resolution != null && isSameResolution(finding.resolution, claim);
      if (finding !== undefined && isClaim) findingsById.set(id, { ...finding, resolution: asRefuted(claim) });
      return under.refute(id, claim);
    },
  };
}

function trustedPasses(under: RunPorts['passes'], isClosed: () => boolean): RunPorts['passes'] {
  const passIds = new Set<string>();
  return {
    ...under,
    async marked() {
      const marks = await under.marked();
      if (!marks.ok) return marks;
      if (!isClosed()) for (const id of marks.value.ids) passIds.add(id);
      return ok({ ...marks.value, ids: new Set([...marks.value.ids].filter((id) => passIds.has(id))) });
    },
    async mark(id, by, at) {
      passIds.add(id);
      return under.mark(id, by, at);
    },
  };
}
