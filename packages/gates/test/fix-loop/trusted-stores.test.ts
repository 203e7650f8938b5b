import type { ReviewId } from '@onceover/base/kernel/ids';
import { addOne } from '@onceover/testing/add-finding.ts';
import { findingWith } from '@onceover/testing/finding.ts';
import { memoryFindings } from '@onceover/testing/memory/findings.ts';
import { memoryPasses } from '@onceover/testing/memory/passes.ts';
import { memoryReceipts } from '@onceover/testing/memory/receipts.ts';
import { memoryRecords } from '@onceover/testing/memory/records.ts';
import { slotRecord } from '@onceover/testing/record-samples.ts';
import { content, held, receipt, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { openTrustedStores } from '../../src/fix-loop/trusted-stores.ts';
import type { RunPorts } from '../../src/run/ports.ts';
import type { CheckReceipt } from '../../src/run/types.ts';

/** The stores as they lie on disk, and as the loop sees them. */
function opened() {
  const disk = {
    receipts: memoryReceipts(),
    records: memoryRecords(),
    findings: memoryFindings(),
    passes: memoryPasses(),
  };
  const memory = openTrustedStores(disk as unknown as RunPorts);
  return { disk, loop: memory.ports, close: memory.close };
}

const NAME = { id: 'review:src:code-quality', kind: 'review', stem: 'review_src_code-quality' } as const;
const CHECK: CheckReceipt = { gate: 'check:.:lint', command: 'lint', tree: 't1', verdict: 'pass', at: '' };

describe('before the stores are closed', () => {
  test('everything on disk counts', async () => {
    const { disk, loop } = opened();
    await disk.receipts.write('review', receipt());
    await addOne(disk.findings, findingWith());
    expect(await loop.receipts.find('review', receipt())).toEqual(receipt());
    expect(await loop.findings.all()).toEqual(await disk.findings.all());
  });
});

describe('receipts', () => {
  test('that were read before count; new and changed ones do not', async () => {
    const { disk, loop, close } = opened();
    const other = receipt({ content: content('c2') });
    await disk.receipts.write('review', receipt({ verdict: 'fail' }));
    await loop.receipts.find('review', receipt());
    close();
    await disk.receipts.write('review', receipt());
    await disk.receipts.write('review', other);
    expect(await loop.receipts.find('review', receipt())).toMatchObject({ verdict: 'fail' });
    expect(await loop.receipts.find('review', other)).toBeNull();
  });

  test('of checks and of passing gates follow the same rule', async () => {
    const { disk, loop, close } = opened();
    close();
    await disk.receipts.write('check', CHECK);
    await disk.receipts.write('held', held(1));
    expect(await loop.receipts.find('check', CHECK)).toBeNull();
    expect(await loop.receipts.find('held', held(1))).toBeNull();
  });

  test('of the loop itself count and are written to disk', async () => {
    const { disk, loop, close } = opened();
    close();
    await loop.receipts.write('review', receipt());
    await loop.receipts.write('check', CHECK);
    await loop.receipts.write('held', held(1));
    for (const { receipts } of [loop, disk]) {
      expect(await receipts.find('review', receipt())).toEqual(receipt());
      expect(await receipts.find('check', CHECK)).toEqual(CHECK);
      expect(await receipts.find('held', held(1))).toEqual(held(1));
    }
  });
});

describe('records', () => {
  const read = async ({ records }: Pick<RunPorts, 'records'>) => {
    const past = await records.read([NAME], new Set());
    return past.ok ? past.value : null;
  };
  const file = { gate: NAME, agent: 'codex' };

  test('that appear later do not count, but their iteration numbers are not reused', async () => {
    const { disk, loop, close } = opened();
    await disk.records.writeSlot(slotRecord({ iteration: 1 }), file, '');
    await read(loop);
    close();
    await disk.records.writeSlot(slotRecord({ iteration: 7, slot: 2 }), file, '');
    const past = await read(loop);
    expect([past?.slots.map(({ iteration }) => iteration), past?.lastIteration]).toEqual([[1], 7]);
  });

  test('of the loop itself count until they are archived', async () => {
    const { loop, close } = opened();
    close();
    const record = slotRecord({ iteration: 2 });
    await loop.records.writeSlot(record, file, '');
    expect((await read(loop))?.slots).toHaveLength(1);
    await loop.records.archive([{ gate: record.gate, iteration: 2 }]);
    expect((await read(loop))?.slots).toEqual([]);
  });
});

describe('findings', () => {
  const ids = async (loop: RunPorts) => {
    const all = await loop.findings.all();
    return all.ok ? all.value.map(({ id, kept, resolution }) => [id, kept, resolution?.how ?? null]) : [];
  };

  test('a waiver that appears later does not count', async () => {
    const { disk, loop, close } = opened();
    await addOne(disk.findings, findingWith());
    await loop.findings.all();
    close();
    await disk.findings.resolve('F1', waiver());
    expect(await ids(loop)).toEqual([['F1', 'open', null]]);
  });

  test('a waiver from before counts', async () => {
    const { disk, loop, close } = opened();
    await addOne(disk.findings, findingWith());
    await disk.findings.resolve('F1', waiver());
    await loop.findings.all();
    close();
    expect(await ids(loop)).toEqual([['F1', 'open', 'skipped']]);
  });

  test('a waiver that appears later is not overwritten', async () => {
    const { disk, loop, close } = opened();
    await addOne(disk.findings, findingWith());
    await loop.findings.all();
    close();
    await disk.findings.resolve('F1', waiver());
    await loop.findings.resolve('F1', { ...waiver(), how: 'fixed' });
    expect(await ids(loop)).toEqual([['F1', 'open', 'fixed']]);
    expect(await disk.findings.all()).toMatchObject({ value: [{ resolution: { how: 'skipped' } }] });
  });

  test('a finding that another process closed stays open here', async () => {
    const { disk, loop, close } = opened();
    const added = await addOne(disk.findings, findingWith());
    await loop.findings.all();
    close();
    if (added.ok) await disk.findings.update({ ...added.value, kept: 'closed' });
    expect(await ids(loop)).toEqual([['F1', 'open', null]]);
  });

  test('findings of other processes can fail the loop and never pass it', async () => {
    const { disk, loop, close } = opened();
    await loop.findings.all();
    close();
    await addOne(disk.findings, findingWith());
    await disk.findings.resolve('F1', waiver());
    await addOne(disk.findings, findingWith({ kept: 'warning' }));
    await addOne(disk.findings, findingWith({ kept: 'closed' }));
    expect(await ids(loop)).toEqual([['F1', 'open', null]]);
  });

  test('findings that the loop adds and closes count', async () => {
    const { loop, close } = opened();
    close();
    const added = await addOne(loop.findings, findingWith());
    await loop.findings.resolve('F1', { ...waiver(), how: 'proposed' });
    if (added.ok) await loop.findings.update({ ...added.value, kept: 'closed' });
    expect(await ids(loop)).toEqual([['F1', 'closed', 'proposed']]);
  });

  test('restores removed findings before a new one gets an id', async () => {
    const { disk, loop } = opened();
    await addOne(disk.findings, findingWith());
    await loop.findings.all();
    const emptied = memoryFindings();
    const memory = openTrustedStores({ ...disk, findings: swapped(disk.findings, emptied) } as unknown as RunPorts);
    await memory.ports.findings.all();
    memory.close();
    swap = true;
    const added = await addOne(memory.ports.findings, findingWith());
    expect(added).toMatchObject({ value: { id: 'F2' } });
    expect(await emptied.all()).toMatchObject({ value: [{ id: 'F1' }, { id: 'F2' }] });
  });
});

let swap = false;

/** One store until it is swapped for another, as if its folder had been emptied. */
function swapped(before: RunPorts['findings'], after: RunPorts['findings']): RunPorts['findings'] {
  const now = () => (swap ? after : before);
  return {
    all: () => now().all(),
    add: (finding) => now().add(finding),
    update: (finding) => now().update(finding),
    resolve: (id, resolution) => now().resolve(id, resolution),
    refute: (id, claim) => now().refute(id, claim),
  };
}

test('pass marks that appear later do not count; those of the loop do', async () => {
  const { disk, loop, close } = opened();
  const [first, second, third] = ['a--x--1', 'b--x--1', 'c--x--1'] as unknown as [ReviewId, ReviewId, ReviewId];
  await disk.passes.mark(first, 'mcp', new Date(0));
  await loop.passes.marked();
  close();
  await disk.passes.mark(second, 'mcp', new Date(0));
  await loop.passes.mark(third, 'run', new Date(0));
  const marked = await loop.passes.marked();
  expect(marked.ok && [...marked.value.ids].sort()).toEqual([first, third]);
});
