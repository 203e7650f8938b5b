import type { RepoPath } from '@onceover/base/kernel/ids';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { slotRecord } from '@onceover/testing/record-samples.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { entry, path } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { gateNames } from '../../../src/run/decide/cycles.ts';
import { changedPaths, entriesShown, indexDiff, sectionsOf } from '../../../src/run/do/prompt-diff.ts';
import { openRecords } from '../../../src/run/record/records.ts';
import type { GateName } from '../../../src/run/record-types.ts';

const GATES = 60;
const numbers = Array.from({ length: GATES }, (_, n) => n);

describe('the work for one gate does not grow with the number of gates', () => {
  test('writing its record', async () => {
    let reads = 0;
    const names = gateNames(numbers.map((n) => ({ id: `rule:.:one:src/${n}.ts`, kind: 'rule' }))).map(
      ({ stem, ...name }): GateName => ({
        ...name,
        get stem() {
          reads++;
          return stem;
        },
      }),
    );
    const records = openRecords(temporaryFolder(), 'logs' as RepoPath);
    expect(await records.read(names, new Set())).toMatchObject({ ok: true });
    for (const gate of names) {
      const written = await records.writeSlot(slotRecord({ gate: gate.id }), { gate, agent: 'yes' }, '');
      expect(written.ok).toBe(true);
    }
    expect(reads).toBeLessThan(10 * GATES);
  });

  test('finding its part of the diff, and what changed since its last review', () => {
    let reads = 0;
    const sections = numbers.map(
      (n): DiffSection => ({
        text: `${n}`,
        get paths() {
          reads++;
          return [path(`src/${n}.ts`)];
        },
      }),
    );
    const diff = indexDiff(sections, () => true);
    for (const n of numbers) {
      const own = entry({ path: `src/${n}.ts` });
      expect(sectionsOf(diff, new Set([own.path])).whole).toEqual([sections[n]]);
      expect(changedPaths(diff, [], entriesShown([own]))).toEqual([own.path]);
    }
    expect(reads).toBeLessThan(20 * GATES);
  });
});
