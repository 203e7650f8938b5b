import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { teamStore } from '@onceover/store/store';
import { addOne } from '@onceover/testing/add-finding.ts';
import { findingWith } from '@onceover/testing/finding.ts';
import { ANN } from '@onceover/testing/gates.ts';
import { memoryFindings } from '@onceover/testing/memory/findings.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import { describe, expect, test } from 'vitest';
import { type FindingStore, openFindings } from '../../src/findings/open-findings.ts';
import type { KnownFinding, Resolution } from '../../src/findings/types.ts';

const WAIVER: Resolution = {
  how: 'skipped',
  why: 'It is meant so.',
  at: '2026-03-01T13:00:00.000Z',
  iteration: 2,
  by: ANN,
  proposedBy: null,
};

findingsContract('in memory', memoryFindings);
findingsContract('on disk', () => openFindings(temporaryFolder()));
onPostgres(() => {
  findingsContract('on PostgreSQL', () => openFindings(newGitFolder()));

  /** Stores a waived finding of one clone, and returns it as another clone of the repository and the first one see it. */
  async function waivedInOne(change = (_: { document: object; resolution: object }): object => ({})) {
    const [own, other] = [newGitFolder(), newGitFolder()];
    copyFileSync(join(own, 'config'), join(other, 'config'));
    await addOne(openFindings(own), findingWith());
    await openFindings(own).resolve('F1', WAIVER);
    const { database, repository } = await teamStore(own);
    const [row] = await database.query<{ document: string; resolution: string }>(
      'SELECT document, resolution FROM onceover.findings WHERE repository = $1',
      [repository],
    );
    const stored = { document: JSON.parse(row?.document ?? ''), resolution: JSON.parse(row?.resolution ?? '') };
    const { document, resolution } = { ...stored, ...change(stored) };
    await database.query('UPDATE onceover.findings SET document = $2, resolution = $3 WHERE repository = $1', [
      ...[repository, JSON.stringify(document), JSON.stringify(resolution)],
    ]);
    const seenBy = async (folder: string) => {
      const all = await openFindings(folder).all();
      return all.ok ? all.value[0] : undefined;
    };
    return { own: await seenBy(own), other: await seenBy(other) };
  }

  test('a clone marks a waiver of another clone, which it must not sign', async () => {
    const { own, other } = await waivedInOne();
    expect(own).toEqual({ ...findingWith(), id: 'F1', resolution: WAIVER });
    expect(other).toEqual({ ...own, isOfOtherClone: true });
  });

  test.each<[string, Parameters<typeof waivedInOne>[0]]>([
    ['the reason', ({ resolution }) => ({ resolution: { ...resolution, why: 'Because.' } })],
    ['the person', ({ resolution }) => ({ resolution: { ...resolution, by: { kind: 'person', name: 'bob' } } })],
    ['the waived problem', ({ document }) => ({ document: { ...document, issue: 'Another one.' } })],
    ['the waived place', ({ document }) => ({ document: { ...document, anchor: { text: 'x', occurrence: 2 } } })],
    ['the priority', ({ document }) => ({ document: { ...document, priority: 'critical' } })],
    ['the seal', ({ resolution }) => ({ resolution: { ...resolution, seal: null } })],
  ])('someone who changes %s in the database gets no signature of the clone that waived', async (_title, change) => {
    expect((await waivedInOne(change)).own).toMatchObject({ isOfOtherClone: true });
  });
});

/** The contract of every FindingStore. */
function findingsContract(name: string, open: () => FindingStore): void {
  const fine = { ok: true, value: undefined };
  const waiver = WAIVER;
  const claim: Resolution = { ...waiver, how: 'fixed', why: '' };
  const refuted: Resolution = { ...claim, how: 'refuted' };
  const known = async (findings: FindingStore): Promise<readonly KnownFinding[]> => {
    const all = await findings.all();
    if (!all.ok) throw new Error(all.failure.kind);
    return all.value;
  };

  describe(`findings ${name}`, () => {
    test('has no findings at first', async () => {
      expect(await open().all()).toEqual({ ok: true, value: [] });
    });

    test('gives each finding the next id and returns it unchanged', async () => {
      const findings = open();
      const other = findingWith({
        file: null,
        line: null,
        code: null,
        anchor: null,
        fix: null,
        mark: null,
        entry: null,
      });
      expect(await addOne(findings, findingWith())).toEqual({ ok: true, value: { ...findingWith(), id: 'F1' } });
      expect(await addOne(findings, other)).toEqual({ ok: true, value: { ...other, id: 'F2' } });
      expect(await known(findings)).toEqual([
        { ...findingWith(), id: 'F1', resolution: null },
        { ...other, id: 'F2', resolution: null },
      ]);
    });

    test('returns findings in the order of their ids', async () => {
      const findings = open();
      for (let n = 0; n < 12; n++) await addOne(findings, findingWith({ since: n }));
      expect((await known(findings)).map((one) => one.id)).toEqual(Array.from({ length: 12 }, (_, n) => `F${n + 1}`));
    });

    test('gives findings that are added at once different ids', async () => {
      const findings = open();
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, n) => addOne(findings, findingWith({ since: n }))),
      );
      expect(new Set(added.map((one) => (one.ok ? one.value.id : null))).size).toBe(20);
      expect(await known(findings)).toHaveLength(20);
    });

    test('replaces a finding on update', async () => {
      const findings = open();
      await addOne(findings, findingWith());
      const second = await addOne(findings, findingWith({ slot: 2 }));
      if (!second.ok) throw new Error();
      const closed = { how: 'withdrawn', why: 'A mistake.', iteration: 4 } as const;
      expect(await findings.update({ ...second.value, kept: 'closed', closed })).toEqual(fine);
      expect(await known(findings)).toMatchObject([
        { id: 'F1', kept: 'open', closed: null },
        { id: 'F2', kept: 'closed', closed, slot: 2 },
      ]);
    });

    test('restores a removed finding on update, and does not reuse its id', async () => {
      const findings = open();
      expect(await findings.update({ ...findingWith(), id: 'F7' })).toEqual(fine);
      expect(await addOne(findings, findingWith())).toMatchObject({ value: { id: 'F8' } });
      expect((await known(findings)).map((one) => one.id)).toEqual(['F7', 'F8']);
    });

    test.each([waiver, claim, refuted])('returns the resolution: $how', async (word) => {
      const findings = open();
      await addOne(findings, findingWith());
      await addOne(findings, findingWith());
      expect(await findings.resolve('F2', word)).toEqual(fine);
      expect((await known(findings)).map((one) => one.resolution)).toEqual([null, word]);
    });

    test('replaces a resolution with a later one', async () => {
      const findings = open();
      await addOne(findings, findingWith());
      await findings.resolve('F1', claim);
      await findings.resolve('F1', waiver);
      expect(await known(findings)).toMatchObject([{ resolution: waiver }]);
    });

    test('keeps a resolution that was given during a run when the run updates the finding', async () => {
      const findings = open();
      const added = await addOne(findings, findingWith());
      if (!added.ok) throw new Error();
      await findings.resolve('F1', waiver);
      await findings.update({ ...added.value, cycleEnded: true });
      expect(await known(findings)).toMatchObject([{ cycleEnded: true, resolution: waiver }]);
    });

    test('does not write a resolution on update', async () => {
      const findings = open();
      await addOne(findings, findingWith());
      await findings.resolve('F1', waiver);
      const before = await known(findings);
      await findings.resolve('F1', refuted);
      for (const finding of before) await findings.update(finding);
      expect(await known(findings)).toMatchObject([{ resolution: refuted }]);
    });

    test.each(['F3', 'F0', 'F01', 'f1', '', 'F1.json', '../F1'])('rejects a resolution for %j', async (id) => {
      const findings = open();
      await addOne(findings, findingWith());
      await addOne(findings, findingWith({ kept: 'warning' }));
      const unknown = { ok: false, failure: { kind: 'unknown-finding', id, known: ['F1'] } };
      expect(await findings.resolve(id, waiver)).toEqual(unknown);
    });

    test.each<[string, Resolution | null, Resolution | null]>([
      ['refutes a rejected claim', claim, refuted],
      ['keeps a waiver that was given in the meantime', waiver, waiver],
      [
        'keeps another claim',
        { ...claim, at: '2026-03-01T14:00:00.000Z' },
        { ...claim, at: '2026-03-01T14:00:00.000Z' },
      ],
      ['writes nothing if there is no resolution', null, null],
    ])('%s', async (_title, said, expected) => {
      const findings = open();
      await addOne(findings, findingWith());
      if (said !== null) await findings.resolve('F1', said);
      expect(await findings.refute('F1', claim)).toEqual(fine);
      expect((await known(findings))[0]?.resolution).toEqual(expected);
    });

    test('does not change a list that it returned', async () => {
      const findings = open();
      const before = await findings.all();
      await addOne(findings, findingWith());
      expect(before).toEqual({ ok: true, value: [] });
    });
  });
}
