import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import type { Resolution } from '@onceover/gates/findings/types';
import { openPasses } from '@onceover/gates/rules/passes';
import { guardProof } from '@onceover/gates/run/record/proof-files';
import { openRecords } from '@onceover/gates/run/record/records';
import { openFindings } from '@onceover/gates/src/findings/open-findings.ts';
import { openReceipts } from '@onceover/gates/src/run/record/receipts.ts';
import type { CheckReceipt } from '@onceover/gates/src/run/types.ts';
import { addOne } from '@onceover/testing/add-finding.ts';
import { findingWith } from '@onceover/testing/finding.ts';
import { slotRecord } from '@onceover/testing/record-samples.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { claim, content, held, receipt, waiver } from '@onceover/testing/run-samples.ts';
import { value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';
import { openConsentStore } from '../../src/trust/consent.ts';

const LOGS = '.deepwork/logs' as RepoPath;
const NAME = { id: 'review:src:code-quality', kind: 'review', stem: 'review_src_code-quality' } as const;
const CHECK: CheckReceipt = { gate: 'check:.:lint', command: 'lint', tree: 't1', verdict: 'pass', at: '' };

/** Makes a clone with stores, and runs `act` between snapshot and restore. */
function openClone() {
  const root = temporaryFolder();
  const commonDir = join(root, '.git');
  mkdirSync(commonDir);
  const place = { root, commonDir };
  const stores = {
    receipts: openReceipts(commonDir),
    findings: openFindings(commonDir),
    trust: openConsentStore(commonDir),
    passes: openPasses(place),
    records: openRecords(root, LOGS),
  };
  const at = (path: string) => join(commonDir, 'onceover', path);
  const writeAt = (path: string, text = '{}') => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  return {
    ...stores,
    at,
    put: writeAt,
    async meanwhile(does: () => unknown): Promise<readonly string[]> {
      const snapshot = await guardProof(place, LOGS).snapshot();
      await does();
      return value(await snapshot.restore()).map((path) => relative(root, path));
    },
  };
}

describe('existing files stay unchanged', () => {
  test('if no file was written', async () => {
    const { receipts, findings, trust, passes, meanwhile, put, at } = openClone();
    await receipts.write('review', receipt());
    await addOne(findings, findingWith());
    await findings.resolve('F1', waiver());
    await trust.trust('d1');
    await passes.mark('a--b--c' as ReviewId, 'run', new Date(0));
    put('parsed.json');
    expect(await meanwhile(() => {})).toEqual([]);
    expect(await receipts.find('review', receipt())).toEqual(receipt());
    expect(value(await findings.all())).toMatchObject([{ id: 'F1', resolution: { how: 'skipped' } }]);
    expect(await trust.isTrusted('d1')).toBe(true);
    expect(value(await passes.marked()).ids).toEqual(new Set(['a--b--c']));
    expect(existsSync(at('parsed.json'))).toBe(true);
  });
});

describe('writes of a fixer are undone', () => {
  test('receipts of reviews, checks and passed gates', async () => {
    const { receipts, meanwhile } = openClone();
    const before = receipt({ content: content('c0') });
    await receipts.write('review', before);
    const undonePaths = await meanwhile(async () => {
      await receipts.write('review', receipt());
      await receipts.write('check', CHECK);
      await receipts.write('held', held(1));
    });
    expect(undonePaths).toHaveLength(3);
    expect(await receipts.find('review', receipt())).toBeNull();
    expect(await receipts.find('check', CHECK)).toBeNull();
    expect(await receipts.find('held', held(1))).toBeNull();
    expect(await receipts.find('review', before)).toEqual(before);
  });

  test('an edited receipt is deleted, so that the reviewer runs again', async () => {
    const { receipts, meanwhile } = openClone();
    await receipts.write('review', receipt({ verdict: 'fail' }));
    await meanwhile(() => receipts.write('review', receipt()));
    expect(await receipts.find('review', receipt())).toBeNull();
  });

  test('records and marks', async () => {
    const { records, passes, meanwhile } = openClone();
    const undonePaths = await meanwhile(async () => {
      await records.writeSlot(slotRecord(), { gate: NAME, agent: 'codex' }, '');
      await passes.mark('a--b--c' as ReviewId, 'run', new Date(0));
    });
    expect(undonePaths).toHaveLength(2);
    expect(value(await records.read([NAME], new Set())).slots.filter(({ status }) => status === 'pass')).toEqual([]);
    expect(value(await passes.marked()).ids).toEqual(new Set());
  });

  test('consent to commands', async () => {
    const { trust, meanwhile } = openClone();
    await trust.trust('d1');
    expect(await meanwhile(() => trust.trust('d2'))).toEqual(['.git/onceover/trusted.json']);
    expect([await trust.isTrusted('d1'), await trust.isTrusted('d2')]).toEqual([true, false]);
  });

  test.each(['parsed.json', 'answers/x.json', 'indexes/x', 'hook/main.json'])(
    'what was found out before, without a word: %s',
    async (path) => {
      const { put, at, meanwhile } = openClone();
      put(path, '{"before":1}');
      expect(await meanwhile(() => put(path, '{"forged":2}'))).toEqual([]);
      expect(existsSync(at(path))).toBe(false);
    },
  );

  test('a symlink instead of a receipt, but not its target', async () => {
    const { put, at, meanwhile } = openClone();
    put('elsewhere.json');
    put('receipts/a.json');
    await meanwhile(() => symlinkSync(at('elsewhere.json'), at('receipts/b.json')));
    expect([existsSync(at('receipts/b.json')), existsSync(at('elsewhere.json'))]).toEqual([false, true]);
  });
});

describe('findings', () => {
  const findingStates = async ({ findings }: Pick<ReturnType<typeof openClone>, 'findings'>) =>
    value(await findings.all()).map(({ id, kept, resolution }) => [id, kept, resolution?.how ?? null]);

  test.each<[string, 'open' | 'warning']>([
    ['one that is open stays open', 'open'],
    ['one that warns stays what it is', 'warning'],
  ])('%s, even if a fixer closes or removes it', async (_title, state) => {
    const clone = openClone();
    const finding = value(await addOne(clone.findings, findingWith({ kept: state })));
    await clone.meanwhile(() => clone.findings.update({ ...finding, kept: 'closed' }));
    expect(await findingStates(clone)).toEqual([['F1', state, null]]);
    await clone.meanwhile(() => rmSync(clone.at('findings'), { recursive: true }));
    expect(await findingStates(clone)).toEqual([['F1', state, null]]);
  });

  test.each<[string, Resolution | null, Resolution, Resolution['how'] | null]>([
    ['a waiver that appears', null, waiver(), null],
    ['a claim that becomes a waiver', claim(), waiver(), 'fixed'],
    ['a claim that appears, which reviewers decide about', null, claim(), 'fixed'],
    ['a waiver that is taken back', waiver(), claim(), 'fixed'],
  ])('%s', async (_title, before, now, resolution) => {
    const clone = openClone();
    await addOne(clone.findings, findingWith());
    if (before !== null) await clone.findings.resolve('F1', before);
    await clone.meanwhile(() => clone.findings.resolve('F1', now));
    expect(await findingStates(clone)).toEqual([['F1', 'open', resolution]]);
  });

  test('a waiver of a future finding is removed', async () => {
    const clone = openClone();
    await addOne(clone.findings, findingWith());
    await clone.meanwhile(() => clone.put('findings/F2.said.json', JSON.stringify(waiver())));
    expect(existsSync(clone.at('findings/F2.said.json'))).toBe(false);
  });

  test('new or reopened findings of another working tree stay', async () => {
    const clone = openClone();
    const finding = value(await addOne(clone.findings, findingWith({ kept: 'closed' })));
    const undonePaths = await clone.meanwhile(async () => {
      await clone.findings.update({ ...finding, kept: 'open' });
      await addOne(clone.findings, findingWith());
    });
    expect([undonePaths, await findingStates(clone)]).toEqual([
      [],
      [
        ['F1', 'open', null],
        ['F2', 'open', null],
      ],
    ]);
  });
});

test('a failed restore is an error, and all other files are restored', async () => {
  const { receipts, findings, at, meanwhile } = openClone();
  await addOne(findings, findingWith());
  await receipts.write('review', receipt({ content: content('c0') }));
  const before = readFileSync(at('findings/F1.json'), 'utf8');
  const restoration = meanwhile(async () => {
    rmSync(at('findings'), { recursive: true });
    writeFileSync(at('findings'), before);
    await receipts.write('review', receipt());
  });
  await expect(restoration).rejects.toThrow();
  expect(await receipts.find('review', receipt())).toBeNull();
});
