import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import { memoryRecords } from '@onceover/testing/memory/records.ts';
import { nameAll, nameOf } from '@onceover/testing/record-folder.ts';
import { checkRecord, ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import { describe, expect, test } from 'vitest';
import { copyToStore } from '../../../src/run/record/postgres-records.ts';
import { openRecords, type Records } from '../../../src/run/record/records.ts';
import type { CheckRecord, SlotRecord } from '../../../src/run/record-types.ts';

recordsContract('in memory', memoryRecords);
recordsContract('on disk', () => openRecords(temporaryFolder(), 'logs' as RepoPath));
onPostgres(() =>
  recordsContract('on disk with a copy on PostgreSQL', () => {
    const place = { root: temporaryFolder(), commonDir: newGitFolder() };
    return openRecords(place.root, 'logs' as RepoPath, (texts) => copyToStore(place, texts));
  }),
);

/** The contract of every Records store. */
function recordsContract(name: string, open: () => Records): void {
  const fine = { ok: true, value: undefined };
  const [a, b, lint]: [GateId, GateId, GateId] = ['review:src:a', 'rule:.:b:src/x.py', 'check:.:lint'];
  const past = async (records: Records, ...ids: GateId[]) => {
    const read = await records.read(nameAll(...ids), new Set());
    return read.ok ? read.value : null;
  };
  const write = (records: Records, record: SlotRecord, log = '') =>
    records.writeSlot(record, { gate: nameOf(record.gate), agent: record.adapter }, log);
  const writeCheck = (records: Records, record: CheckRecord) => records.writeCheck(record, nameOf(record.gate), '');

  describe(`records ${name}`, () => {
    test('has no records at first', async () => {
      const records = open();
      expect(await past(records, a, lint)).toEqual({ lastIteration: 0, slots: [], checks: [], others: [] });
      expect(await records.readLog(nameOf(a), 1, 1)).toBeNull();
      expect(await records.archive('all')).toEqual(fine);
    });

    test('reads records in the order of iterations', async () => {
      const records = open();
      const [third, tenth] = [slotRecord({ gate: a, iteration: 3 }), slotRecord({ gate: b, iteration: 10 })];
      const check = checkRecord({ iteration: 2 });
      for (const record of [tenth, third]) expect(await write(records, record)).toEqual(fine);
      expect(await writeCheck(records, check)).toEqual(fine);
      const expected = { lastIteration: 10, slots: [third, tenth], checks: [check], others: [] };
      expect(await past(records, a, b, lint)).toEqual(expected);
    });

    test('a skipped slot keeps the iteration of its pass', async () => {
      const records = open();
      const rest = slotRecord({ gate: a, iteration: 2, status: 'skipped_prior_pass', passIteration: 1 });
      await write(records, rest);
      expect(await past(records, a)).toMatchObject({ slots: [rest] });
    });

    test('replaces a record that is written again', async () => {
      const records = open();
      const again = slotRecord({ gate: a, status: 'fail' });
      const checkAgain = checkRecord({ tree: 't2' });
      for (const record of [slotRecord({ gate: a }), again]) await write(records, record, record.status);
      for (const record of [checkRecord(), checkAgain]) await writeCheck(records, record);
      expect(await past(records, a, lint)).toMatchObject({ slots: [again], checks: [checkAgain] });
      expect(await records.readLog(nameOf(a), 1, 1)).toBe('fail');
    });

    test('two agents in one slot and iteration are two records', async () => {
      const records = open();
      for (const adapter of ['codex', 'claude']) await write(records, slotRecord({ gate: a, adapter }));
      const read = await past(records, a);
      expect(read?.slots.map(({ adapter }) => adapter).sort()).toEqual(['claude', 'codex']);
    });

    test('returns iteration and branch of records of unnamed gates', async () => {
      const records = open();
      await write(records, slotRecord({ gate: a }));
      await write(records, slotRecord({ gate: b, iteration: 4, own: ownFacts({ branch: null }) }));
      await writeCheck(records, checkRecord({ iteration: 5 }));
      await records.writeGateLog(nameOf('review:src:c'), 6, ['decided']);
      expect(await past(records, a)).toEqual({
        lastIteration: 6,
        slots: [slotRecord({ gate: a })],
        checks: [],
        others: [
          { gate: b, iteration: 4, branch: null, mergeBase: 'b1' },
          { gate: lint, iteration: 5, branch: 'work', mergeBase: 'b1' },
        ],
      });
    });

    test('keeps the log of a slot', async () => {
      const records = open();
      await write(records, slotRecord({ gate: a, slot: 2 }), 'sent\nand said');
      expect(await records.readLog(nameOf(a), 2, 1)).toBe('sent\nand said');
      const logOf = records.openLogs(6);
      expect(logOf(a, 2, 1)).toEqual({ text: 'sent\na', cut: true });
      expect(records.openLogs(100)(a, 2, 1)).toEqual({ text: 'sent\nand said', cut: false });
      expect(logOf(a, 2, 9)).toBeNull();
      expect(await records.readLog(nameOf(a), 1, 1)).toBeNull();
      expect(await records.readLog(nameOf(a), 2, 2)).toBeNull();
      expect(await records.readLog(nameOf(b), 2, 1)).toBeNull();
    });

    test('keeps the log of a check, and of a gate’s decisions', async () => {
      const records = open();
      await records.writeCheck(checkRecord(), nameOf(lint), 'printed');
      await records.writeGateLog(nameOf(a), 1, ['first', 'second']);
      await write(records, slotRecord({ gate: a }), 'said');
      expect(await records.readLog(nameOf(lint), null, 1)).toBe('printed');
      expect(await records.readLog(nameOf(a), null, 1)).toBe('first\nsecond\n');
      expect(await records.readLog(nameOf(a), null, 2)).toBeNull();
    });

    test('archived records are gone, the others stay', async () => {
      const records = open();
      for (const gate of [a, b]) {
        for (const iteration of [1, 2]) {
          for (const slot of [1, 2]) await write(records, slotRecord({ gate, iteration, slot }));
          await records.writeGateLog(nameOf(gate), iteration, ['decided']);
        }
      }
      await writeCheck(records, checkRecord({ iteration: 2 }));
      await past(records, a, b, lint);
      expect(await records.archive([])).toEqual(fine);
      expect(
        await records.archive([
          { gate: a, iteration: 2 },
          { gate: b, iteration: 1 },
        ]),
      ).toEqual(fine);
      const read = await past(records, a, b, lint);
      expect(read?.slots.map(({ gate, slot, iteration }) => `${gate}@${slot}.${iteration}`)).toEqual([
        ...[`${a}@1.1`, `${a}@2.1`],
        ...[`${b}@1.2`, `${b}@2.2`],
      ]);
      expect(await records.readLog(nameOf(a), 1, 2)).toBeNull();
      expect(await records.archive('all')).toEqual(fine);
      expect(await past(records, a, b, lint)).toEqual({ lastIteration: 0, slots: [], checks: [], others: [] });
    });

    test('returns fix logs, newest first, until all records are archived', async () => {
      const records = open();
      expect(await records.fixLogs()).toEqual([]);
      for (const iteration of [2, 10, 1])
        expect(await records.writeFixLog('codex', iteration, `log ${iteration}`)).toEqual(fine);
      await write(records, slotRecord({ gate: a }));
      const logs = await records.fixLogs();
      expect(logs.map(({ agent, iteration, log }) => [agent, iteration, log])).toEqual([
        ['codex', 10, 'log 10'],
        ['codex', 2, 'log 2'],
        ['codex', 1, 'log 1'],
      ]);
      expect(await records.archive('all')).toEqual(fine);
      expect(await records.fixLogs()).toEqual([]);
    });

    test('a second fix log of an iteration gets the next free number', async () => {
      const records = open();
      for (const log of ['first', 'second', 'third']) await records.writeFixLog('codex', 0, log);
      expect((await records.fixLogs()).map(({ iteration, log }) => `${iteration} ${log}`)).toEqual([
        '2 third',
        '1 second',
        '0 first',
      ]);
    });

    test('a check of a run that was not an iteration uses up no number, and neither does a fix [RUN-SLOTS/rule/invariant]', async () => {
      const records = open();
      await write(records, slotRecord({ gate: a, iteration: 2 }));
      await records.writeFixLog('codex', 3, 'fixed');
      const stopped = checkRecord({ iteration: 3, iterationTookPlace: false });
      await records.writeCheck(stopped, nameOf(lint), 'printed');
      expect(await past(records, a, lint)).toMatchObject({ lastIteration: 2, checks: [stopped] });
      expect(await records.writeCheck({ ...stopped, iterationTookPlace: true }, nameOf(lint), null)).toEqual(fine);
      expect(await past(records, a, lint)).toMatchObject({ lastIteration: 3 });
      expect(await records.readLog(nameOf(lint), null, 3)).toBe('printed');
    });

    test('archives records of unnamed gates by their gate and iteration', async () => {
      const records = open();
      await write(records, slotRecord({ gate: b, iteration: 3 }));
      await records.writeGateLog(nameOf(b), 3, ['decided']);
      await write(records, slotRecord({ gate: a }));
      const read = await past(records, a);
      expect(await records.archive(read?.others ?? [])).toEqual(fine);
      expect(await past(records, a, b)).toMatchObject({ lastIteration: 1, slots: [{ gate: a }] });
    });
  });
}
