import type { GateId } from '@onceover/base/kernel/ids';
import { ok } from '@onceover/base/kernel/result';
import type { Records } from '@onceover/gates/run/record/records';
import type { CheckRecord, SlotRecord } from '@onceover/gates/run/record-types';

type Kept = { readonly gate: GateId; readonly iteration: number } & (
  | { readonly kind: 'slot'; readonly record: SlotRecord; readonly log: string }
  | { readonly kind: 'check'; readonly record: CheckRecord; readonly log: string }
  | { readonly kind: 'decisions'; readonly log: string }
);

const isNumbered = (one: Kept) => one.kind !== 'check' || one.record.iterationTookPlace !== false;

/** Records in memory. All of them are our own and complete, and git tracks none of them. */
export function memoryRecords(): Records {
  const fixLogs = new Map<string, string>();
  const kept = new Map<string, Kept>();
  const all = () => [...kept.values()].sort((a, b) => a.iteration - b.iteration);
  const slots = () => all().flatMap((one) => (one.kind === 'slot' ? [one.record] : []));
  const checks = () => all().flatMap((one) => (one.kind === 'check' ? [one.record] : []));
  return {
    async read(gates) {
      const ids = new Set(gates.map(({ id }) => id));
      const isAsked = ({ gate }: { readonly gate: GateId }) => ids.has(gate);
      const made = [
        ...slots().flatMap(({ gate, iteration, own }) => (own === null ? [] : [{ ...own, gate, iteration }])),
        ...checks(),
      ];
      return ok({
        lastIteration: Math.max(
          0,
          ...all()
            .filter(isNumbered)
            .map(({ iteration }) => iteration),
        ),
        slots: slots().filter(isAsked),
        checks: checks().filter(isAsked),
        others: made
          .filter((one) => !isAsked(one))
          .map(({ gate, iteration, branch, mergeBase }) => ({ gate, iteration, branch, mergeBase })),
      });
    },
    async writeSlot(record, file, log) {
      const { gate, slot, iteration } = record;
      kept.set(`${gate} ${file.agent}@${slot}.${iteration}`, { kind: 'slot', gate, iteration, record, log });
      return ok(undefined);
    },
    async writeCheck(record, _gate, log) {
      const { gate, iteration } = record;
      const key = `${gate} ${iteration}`;
      kept.set(key, { kind: 'check', gate, iteration, record, log: log ?? kept.get(key)?.log ?? '' });
      return ok(undefined);
    },
    async writeGateLog({ id }, iteration, lines) {
      kept.set(`${id} ${iteration}`, {
        kind: 'decisions',
        gate: id,
        iteration,
        log: lines.map((line) => `${line}\n`).join(''),
      });
      return ok(undefined);
    },
    async writeFixLog(agent, iteration, log) {
      const taken = [...fixLogs.keys()].map((key) => Number(key.slice(key.lastIndexOf('.') + 1)));
      fixLogs.set(`${agent}.${taken.includes(iteration) ? Math.max(...taken) + 1 : iteration}`, log);
      return ok(undefined);
    },
    async fixLogs() {
      const logs = [...fixLogs].map(([key, log]) => {
        const at = key.lastIndexOf('.');
        return { agent: key.slice(0, at), iteration: Number(key.slice(at + 1)), path: `memory/${key}`, log };
      });
      return logs.sort((a, b) => b.iteration - a.iteration);
    },
    async archive(which) {
      if (which === 'all') fixLogs.clear();
      for (const [key, one] of kept) {
        const isIt = ({ gate, iteration }: { readonly gate: GateId; readonly iteration: number }) =>
          gate === one.gate && iteration === one.iteration;
        if (which === 'all' || which.some(isIt)) kept.delete(key);
      }
      return ok(undefined);
    },
    openLogs: (most) => (gate, slot, iteration) => {
      const own = all().find(
        (one) =>
          one.gate === gate && one.iteration === iteration && (one.kind === 'slot' ? one.record.slot : null) === slot,
      );
      return own === undefined ? null : { text: own.log.slice(0, most), cut: own.log.length > most };
    },
    async readLog(gate, slot, iteration) {
      for (const one of all()) {
        if (one.gate !== gate.id || one.iteration !== iteration) continue;
        if ((one.kind === 'slot' ? one.record.slot : null) === slot) return one.log;
      }
      return null;
    },
  };
}
