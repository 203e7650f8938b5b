import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FILE, foreign, LOG, nameAll, nameOf, openFolder, QUALITY } from '@onceover/testing/record-folder.ts';
import { anyCheckRecord, anySlotRecord, checkRecord, ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { emptyRepo } from '@onceover/testing/repo.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GateName, SlotRecord, Violation } from '../../../src/run/record-types.ts';

const fine = { ok: true, value: undefined };

describe('writing', () => {
  test('a slot gets a log and a record, in a folder that git ignores', async () => {
    const { root, git } = emptyRepo();
    const { records, folder, names } = openFolder(root);
    const file = { gate: nameOf(QUALITY), agent: 'codex' };
    expect(await records.writeSlot(slotRecord(), file, 'sent and said')).toEqual(fine);
    expect(names()).toEqual(['.gitignore', FILE, LOG]);
    expect(readFileSync(join(folder, LOG), 'utf8')).toBe('sent and said');
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
  });

  test('a deleted .gitignore is written again', async () => {
    const { folder, write, names } = openFolder();
    await write(slotRecord());
    rmSync(join(folder, '.gitignore'));
    await write(slotRecord());
    expect(names()).toContain('.gitignore');
  });

  test('the order and names of fields', async () => {
    const { folder, write } = openFolder();
    const violation: Violation = {
      file: 'src/a.ts',
      line: 2,
      issue: 'wrong',
      fix: null,
      priority: 'high',
      status: 'new',
      result: null,
      id: 'F1',
      code: null,
      state: 'open',
    };
    await write(slotRecord({ status: 'fail', violations: [violation] }));
    const text = readFileSync(join(folder, FILE), 'utf8');
    const document = JSON.parse(text);
    expect(text).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(Object.keys(document)).toEqual([
      ...['adapter', 'timestamp', 'status', 'rawOutput', 'violations'],
      ...['gate', 'slot', 'iteration', 'content', 'promptDigest', 'snapshot', 'branch', 'mergeBase', 'scope'],
      ...['session', 'dispatch', 'why', 'parts', 'usage', 'durationMs', 'error', 'cycle'],
    ]);
    expect(Object.keys(document.violations[0])).toEqual([
      ...['file', 'line', 'issue', 'fix', 'priority', 'status', 'result', 'id', 'state'],
    ]);
  });

  test('a skipped slot names the iteration of its pass, has no violations, and its file names the agent assigned now', async () => {
    const { folder, write, past } = openFolder();
    const rest = slotRecord({ status: 'skipped_prior_pass', passIteration: 1, iteration: 3 });
    await write(rest, 'claude');
    const text = readFileSync(join(folder, 'review_src_code-quality_claude@1.3.json'), 'utf8');
    expect(Object.keys(JSON.parse(text)).slice(3, 7)).toEqual(['rawOutput', 'violations', 'passIteration', 'gate']);
    expect(JSON.parse(text)).toMatchObject({ status: 'skipped_prior_pass', violations: [], passIteration: 1 });
    expect((await past()).slots).toEqual([rest]);
  });

  test('output over 64 kB is cut in the record', async () => {
    const { write, past } = openFolder();
    const most = 64 * 1024;
    await write(slotRecord({ rawOutput: 'x'.repeat(most) }));
    expect((await past()).slots[0]?.rawOutput).toBe('x'.repeat(most));
    await write(slotRecord({ rawOutput: `${'x'.repeat(most - 1)}😀 and more` }));
    expect((await past()).slots[0]?.rawOutput).toBe(`${'x'.repeat(most - 1)}\n[cut here: 11 more characters]`);
  });

  test.each(['two', 'review_src_code-quality_codex@1', '../up', 'a'.repeat(300)])(
    'a fix log is not a record of any gate, for the fixer name %s',
    async (agent) => {
      const { records, names, past } = openFolder();
      expect(await records.writeFixLog(agent, 2, 'sent and said')).toEqual(fine);
      expect(names().slice(1)).toEqual([expect.stringMatching(/^fix_[\w.-]{1,60}\.2\.log$/)]);
      expect(await past([QUALITY])).toEqual({ lastIteration: 0, slots: [], checks: [], others: [] });
      const [log] = await records.fixLogs();
      expect(log).toMatchObject({
        iteration: 2,
        log: 'sent and said',
        path: expect.stringContaining(names()[1] ?? '?'),
      });
      expect(await records.archive('all')).toEqual(fine);
      expect(names('previous')).toHaveLength(1);
    },
  );

  test('a check gets a log and a record, a gate the log of its decisions', async () => {
    const { folder, records, names, past } = openFolder();
    const check = nameOf('check:.:lint');
    expect(await records.writeCheck(checkRecord(), check, 'output')).toEqual(fine);
    expect(await records.writeGateLog(nameOf(QUALITY), 2, ['one', 'two'])).toEqual(fine);
    expect(await records.writeGateLog(nameOf(QUALITY), 3, [])).toEqual(fine);
    expect(names().slice(1)).toEqual([
      ...['check_._lint.1.json', 'check_._lint.1.log'],
      ...['review_src_code-quality.2.log', 'review_src_code-quality.3.log'],
    ]);
    expect(readFileSync(join(folder, 'check_._lint.1.log'), 'utf8')).toBe('output');
    expect(readFileSync(join(folder, 'review_src_code-quality.2.log'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(join(folder, 'review_src_code-quality.3.log'), 'utf8')).toBe('');
    expect(await past([QUALITY, check.id])).toEqual({
      ...{ lastIteration: 3, slots: [], others: [] },
      checks: [checkRecord()],
    });
  });

  test('slots of two gates never share a file, for any agent names', async () => {
    const ids = ['review:src:a', 'review:src:a_b'];
    const { records, past } = openFolder();
    await past(ids);
    const [a, b] = nameAll(...ids) as [GateName, GateName];
    await records.writeSlot(slotRecord({ gate: a.id, status: 'fail' }), { gate: a, agent: 'b_c' }, 'of a');
    await records.writeSlot(slotRecord({ gate: b.id }), { gate: b, agent: 'c' }, 'of a_b');
    const { slots } = await past(ids);
    expect(slots.map(({ gate, status }) => [gate, status])).toEqual([
      [a.id, 'fail'],
      [b.id, 'pass'],
    ]);
    expect([await records.readLog(a, 1, 1), await records.readLog(b, 1, 1)]).toEqual(['of a', 'of a_b']);
  });
});

describe('reading', () => {
  test('has no records at first, and reading creates no files', async () => {
    const { root, past } = openFolder();
    expect(await past()).toEqual({ lastIteration: 0, slots: [], checks: [], others: [] });
    expect(readdirSync(root)).toEqual([]);
  });

  test('a record by another tool or by hand is assigned by its name', async () => {
    const { put, past } = openFolder();
    put(FILE, foreign());
    expect((await past()).slots).toEqual([slotRecord({ rawOutput: '…', own: null })]);
  });

  test('a record without its gate’s name belongs to the only review of its entry', async () => {
    const { put, past } = openFolder();
    put('review_src_codex@1.2.json', foreign());
    expect((await past()).slots).toMatchObject([{ gate: QUALITY, slot: 1, iteration: 2, status: 'pass' }]);
  });

  test('our own record is assigned by its content, even if its gate has another stem now', async () => {
    const { write, past } = openFolder();
    await write(slotRecord({ gate: 'review:a/b:x' }));
    const ids = ['review:a/b:x', 'review:a_b:x'];
    expect((await past(ids)).slots).toEqual([slotRecord({ gate: 'review:a/b:x' })]);
  });

  test('iterations are compared and sorted as numbers', async () => {
    const { put, past } = openFolder();
    for (const iteration of [9, 10, 1]) put(`review_src_code-quality_codex@1.${iteration}.json`, foreign());
    const { lastIteration, slots } = await past();
    expect(lastIteration).toBe(10);
    expect(slots.map(({ iteration }) => iteration)).toEqual([1, 9, 10]);
  });

  test('two agents in one slot and iteration: both records are returned', async () => {
    const { put, past } = openFolder();
    put(FILE, foreign());
    put('review_src_code-quality_claude@1.1.json', foreign({ adapter: 'claude', status: 'fail' }));
    expect((await past()).slots.map(({ adapter, status }) => `${adapter} ${status}`)).toEqual([
      'claude fail',
      'codex pass',
    ]);
  });

  test('unnamed gates count for the iteration alone, and our own records are returned with their branch', async () => {
    const { put, write, records, past } = openFolder();
    put('review_lib_other_codex@1.7.json', foreign());
    put('console.8.log', '');
    await write(slotRecord({ gate: 'review:lib:x', iteration: 4, own: ownFacts({ branch: 'b' }) }));
    const lint = nameOf('check:.:lint');
    await records.writeCheck(checkRecord({ iteration: 5, branch: null, mergeBase: null }), lint, '');
    expect(await past()).toEqual({
      lastIteration: 8,
      slots: [],
      checks: [],
      others: [
        { gate: 'review:lib:x', iteration: 4, branch: 'b', mergeBase: 'b1' },
        { gate: 'check:.:lint', iteration: 5, branch: null, mergeBase: null },
      ],
    });
  });

  test('tracked records are ignored, but their iterations are not used again', async () => {
    const { put, past } = openFolder();
    put(FILE, foreign());
    put('review_src_code-quality_codex@1.5.json', foreign());
    const { lastIteration, slots } = await past([QUALITY], ['review_src_code-quality_codex@1.5.json']);
    expect(lastIteration).toBe(5);
    expect(slots.map(({ iteration }) => iteration)).toEqual([1]);
  });

  test.each<[string, unknown, Partial<Violation>]>([
    ['nothing', {}, {}],
    ['wrong types', { file: 1, line: '2', issue: null, fix: 3, result: {}, priority: 0, status: [] }, {}],
    ['line 0', { line: 0 }, {}],
    ['a fractional line', { line: 1.5 }, {}],
    ['an unknown priority and status', { priority: 'blocker', status: 'done' }, {}],
    ['fields that only our records have', { id: 'F1', code: 'x', state: 'closed', other: 1 }, {}],
    ['a value that is not an object', 'it is wrong', { issue: 'it is wrong' }],
    ['a value that is not text', null, {}],
    [
      'everything',
      { file: 'a', line: 3, issue: 'i', fix: 'f', priority: 'low', status: 'fixed', result: 'r' },
      { file: 'a', line: 3, issue: 'i', fix: 'f', priority: 'low', status: 'fixed', result: 'r' },
    ],
    ['a finding that was skipped', { status: 'skipped' }, { status: 'skipped' }],
  ])('a violation of another tool with %s is read as far as possible', async (_, written, expected) => {
    const { put, past } = openFolder();
    put(FILE, foreign({ violations: [written] }));
    const plain = { file: '', line: null, issue: '', fix: null, priority: 'critical', status: 'new', result: null };
    expect((await past()).slots[0]?.violations).toEqual([{ ...plain, id: null, code: null, state: null, ...expected }]);
  });

  test.each<[string, object, Partial<SlotRecord>]>([
    ['violations', { violations: undefined }, { violations: [] }],
    ['an adapter', { adapter: undefined }, { adapter: 'codex' }],
    ['a timestamp', { timestamp: 12 }, { timestamp: '' }],
    ['an output', { rawOutput: null }, { rawOutput: '' }],
    ['a number for a pass iteration', { status: 'skipped_prior_pass', passIteration: '1' }, { passIteration: null }],
    [
      'a whole number for a pass iteration',
      { status: 'skipped_prior_pass', passIteration: 1.5 },
      { passIteration: null },
    ],
  ])('another tool’s record without %s is read', async (_, differs, expected) => {
    const { put, past } = openFolder();
    put(FILE, foreign(differs));
    expect((await past()).slots).toMatchObject([{ status: 'pass', ...differs, ...expected, own: null }]);
  });
});

describe('properties', () => {
  test('a written record is read back unchanged', async () => {
    const { folder, write, past } = openFolder();
    await fc.assert(
      fc.asyncProperty(anySlotRecord, async (record) => {
        rmSync(folder, { recursive: true, force: true });
        expect(await write(record, 'codex')).toEqual(fine);
        const { slots, lastIteration } = await past();
        expect(slots).toEqual([record]);
        expect(lastIteration).toBe(Math.min(record.iteration, 999_999_998));
      }),
    );
  });

  test('a written check record is read back unchanged', async () => {
    const { folder, records, past } = openFolder();
    await fc.assert(
      fc.asyncProperty(anyCheckRecord, async (record) => {
        rmSync(folder, { recursive: true, force: true });
        expect(await records.writeCheck(record, nameOf(record.gate), '')).toEqual(fine);
        expect((await past([record.gate])).checks).toEqual([record]);
      }),
    );
  });

  const passes = ['pass', 'skipped_prior_pass'];
  const status = fc.constantFrom(...passes, 'fail', 'error', 'PASS', '', 1, null);
  const field = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.jsonValue({ maxDepth: 2 }));
  const keys = [...Object.keys(foreign()), 'gate', 'slot', 'iteration', 'passIteration', ...Object.keys(ownFacts())];
  const document = fc.record({ ...Object.fromEntries(keys.map((key) => [key, field])), status });

  test('random documents and bytes never throw, and pass only with a pass status and a valid shape', async () => {
    const { folder, put, past } = openFolder();
    const bytes = fc.uint8Array({ maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(document, bytes, fc.json()), async (content) => {
        put(FILE, content);
        const { slots } = await past();
        expect(slots).toHaveLength(1);
        if (!passes.includes(slots[0]?.status ?? '')) return;
        const written = JSON.parse(readFileSync(join(folder, FILE), 'utf8'));
        expect(passes).toContain(written.status);
        expect(written.violations === undefined || Array.isArray(written.violations)).toBe(true);
        expect(slots[0]?.violations).toHaveLength(written.violations?.length ?? 0);
      }),
      { numRuns: 500 },
    );
  });
});
