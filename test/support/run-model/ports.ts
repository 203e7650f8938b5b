import type { Findings, Receipts, Records } from '../../../src/domain/ports.ts';
import type { Result } from '../../../src/domain/result.ts';
import type { Write } from './observed.ts';

type Told = Write extends infer One ? (One extends Write ? Omit<One, 'wave'> : never) : never;

/** The stores, telling of everything that was written once it is there. */
export function tellingStores<T extends { records: Records; receipts: Receipts; findings: Findings }>(
  stores: T,
  tell: (write: Told) => void,
): T {
  const { records, receipts, findings } = stores;
  async function after<V>(work: Promise<Result<V>>, told: (value: V) => Told): Promise<Result<V>> {
    const result = await work;
    if (result.ok) tell(told(result.value));
    return result;
  }
  return {
    ...stores,
    records: {
      ...records,
      writeSlot: (record, file, log) => after(records.writeSlot(record, file, log), () => ({ kind: 'slot', record })),
      writeCheck: (record, gate, log) =>
        after(records.writeCheck(record, gate, log), () => ({ kind: 'check', record })),
      writeGateLog: (gate, iteration, lines) =>
        after(records.writeGateLog(gate, iteration, lines), () => ({ kind: 'log', gate: gate.id, iteration })),
      archive: (which) => after(records.archive(which), () => ({ kind: 'archive', which })),
    },
    receipts: {
      ...receipts,
      write: (receipt) => after(receipts.write(receipt), () => ({ kind: 'receipt', receipt })),
      writeCheck: (receipt) => after(receipts.writeCheck(receipt), () => ({ kind: 'check-receipt', receipt })),
    },
    findings: {
      ...findings,
      add: (finding) => after(findings.add(finding), (added) => ({ kind: 'add', finding: added })),
      update: (finding) => after(findings.update(finding), () => ({ kind: 'update', finding })),
      resolve: (id, resolution) => after(findings.resolve(id, resolution), () => ({ kind: 'resolve', id, resolution })),
    },
  };
}

/** Thrown where a run is made to end: the process is gone. */
export class Death extends Error {}

/** Ends a run at its n-th call of a port: that call throws, and none after it ever comes back. */
export function mortal(lastCall: number | null): <T extends object>(port: T) => T {
  let calls = 0;
  const call = (work: () => unknown): unknown => {
    calls++;
    if (lastCall === null || calls < lastCall) return work();
    if (calls === lastCall) throw new Death();
    return new Promise(() => {});
  };
  return <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, key): unknown {
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? (...args: unknown[]) => call(() => value.apply(target, args)) : value;
      },
    });
}
