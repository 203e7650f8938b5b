import type { Cooldowns } from '@onceover/base/kernel/ports';
import { err, type Result } from '@onceover/base/kernel/result';
import { asRefuted } from '@onceover/gates/findings/types';
import type { Records } from '@onceover/gates/run/record/records';
import type { FindingStore } from '@onceover/gates/src/findings/open-findings.ts';
import type { ReceiptStore } from '@onceover/gates/src/run/record/receipts.ts';
import type { Write } from './observed.ts';

type Told = Write extends infer One ? (One extends Write ? Omit<One, 'wave'> : never) : never;

/** Wraps the stores, and reports every write after it is done. */
export function tellingStores<
  T extends { records: Records; receipts: ReceiptStore; findings: FindingStore; cooldowns: Cooldowns },
>(stores: T, tell: (write: Told) => void): T {
  const { records, receipts, findings, cooldowns } = stores;
  async function after<V>(work: Promise<Result<V>>, told: (value: V) => Told): Promise<Result<V>> {
    const result = await work;
    if (result.ok) tell(told(result.value));
    return result;
  }
  const WRITTEN = { review: 'receipt', check: 'check-receipt', held: 'held' } as const;
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
      write: (kind, receipt) => after(receipts.write(kind, receipt), () => ({ kind: WRITTEN[kind], receipt }) as Told),
    },
    findings: {
      ...findings,
      async add(given) {
        const added = await findings.add(given);
        if (added.ok) for (const finding of added.value) tell({ kind: 'add', finding });
        return added;
      },
      update: (finding) => after(findings.update(finding), () => ({ kind: 'update', finding })),
      resolve: (id, resolution) => after(findings.resolve(id, resolution), () => ({ kind: 'resolve', id, resolution })),
      refute: (id, claim) =>
        after(findings.refute(id, claim), () => ({ kind: 'resolve', id, resolution: asRefuted(claim) })),
    },
    cooldowns: {
      ...cooldowns,
      add: (cooling) => after(cooldowns.add(cooling), () => ({ kind: 'cooling', agent: cooling.agent })),
    },
  };
}

/** Thrown where a run is made to die. */
export class Death extends Error {}

/** The call of a port from which on the process dies, or no write succeeds. */
export type Trouble = { readonly how: 'dies' | 'disk-full'; readonly call: number };

const WRITES = [
  'writeSlot',
  'writeCheck',
  'writeGateLog',
  'writeHeld',
  'archive',
  'write',
  'add',
  'update',
  'resolve',
  'refute',
  'mark',
];

/** Makes calls fail: if the process dies, one call throws, and no later call returns. */
export function troubled(trouble: Trouble | null) {
  let calls = 0;
  let die: (death: Death) => void = () => {};
  const call = (key: string, work: () => unknown): unknown => {
    if (trouble === null) return work();
    if (trouble.how === 'disk-full') {
      if (!WRITES.includes(key) || ++calls < trouble.call) return work();
      return Promise.resolve(err({ kind: 'disk', action: 'write', path: key, code: 'ENOSPC' }));
    }
    if (++calls < trouble.call) return work();
    die(new Death());
    if (calls === trouble.call) throw new Death();
    return new Promise(() => {});
  };
  return {
    died: new Promise<never>((_, reject) => {
      die = reject;
    }),
    on: <T extends object>(port: T): T =>
      new Proxy(port, {
        get(target, key): unknown {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => call(String(key), () => value.apply(target, args));
        },
      }),
  };
}
