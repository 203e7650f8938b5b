import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { memoryPasses } from '@onceover/testing/memory/passes.ts';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openPasses, type Passes } from '../../src/rules/passes.ts';
import type { TaskFacts } from '../../src/rules/types.ts';

passesContract('in memory', memoryPasses);
passesContract('on disk', () => {
  const { root } = emptyRepo();
  return openPasses({ root, commonDir: `${root}/.git` });
});

/** The contract of Passes. */
function passesContract(name: string, open: () => Passes): void {
  const id = 'style--a.py--0123456789ab' as ReviewId;
  const other = 'style--b.py--ba9876543210' as ReviewId;
  const noon = new Date('2026-03-01T12:00:00.000Z');
  const marked = async (passes: Passes) => {
    const result = await passes.marked();
    return result.ok ? [...result.value.ids].sort() : result.failure;
  };

  describe(`passes ${name}`, () => {
    test('has no marks at first', async () => {
      expect(await open().marked()).toEqual({ ok: true, value: { ids: new Set(), notFiles: new Set() } });
    });

    test('marks exactly the given review', async () => {
      const passes = open();
      await passes.mark(id, 'mcp', noon);
      expect(await marked(passes)).toEqual([id]);
      await passes.mark(other, 'cli', noon);
      expect(await marked(passes)).toEqual([id, other]);
    });

    test('accepts a second mark without a change', async () => {
      const passes = open();
      expect(await passes.mark(id, 'mcp', noon)).toEqual(await passes.mark(id, 'mcp', noon));
      expect(await marked(passes)).toEqual([id]);
    });

    test('does not change a set that it already returned', async () => {
      const passes = open();
      const before = await passes.marked();
      await passes.mark(id, 'mcp', noon);
      expect(before).toMatchObject({ value: { ids: new Set() } });
    });

    test('knows the reviews with instructions', async () => {
      const passes = open();
      await passes.remember([about(other)]);
      expect([passes.isKnown(other), passes.isKnown(id)]).toEqual([true, false]);
    });

    test('does not vouch for a review without instructions', async () => {
      const passes = open();
      await passes.remember([about(other)]);
      expect(await passes.mark(id, 'mcp', noon)).toEqual({ ok: true, value: { vouched: false } });
      expect(await passes.receipt(id)).toBeNull();
    });

    test.each(['mcp', 'cli', 'library'] as const)('stores what passed, by %s, and when in the receipt', async (by) => {
      const passes = open();
      await passes.remember([about(other), about(id)]);
      expect(await passes.mark(id, by, noon)).toEqual({ ok: true, value: { vouched: true } });
      expect(await passes.receipt(id)).toEqual({ ...about(id), by, at: '2026-03-01T12:00:00.000Z' });
      expect(await passes.receipt(other)).toBeNull();
    });

    test('does not count remembered facts as a pass', async () => {
      const passes = open();
      await passes.remember([about(id)]);
      expect(await marked(passes)).toEqual([]);
      expect(await passes.receipt(id)).toBeNull();
    });

    test('keeps the receipt unchanged until the next mark', async () => {
      const passes = open();
      await passes.remember([about(id, 1)]);
      await passes.mark(id, 'mcp', noon);
      await passes.remember([about(id, 2)]);
      expect(await passes.receipt(id)).toMatchObject({ promptVersion: 1 });
      await passes.mark(id, 'mcp', noon);
      expect(await passes.receipt(id)).toMatchObject({ promptVersion: 2 });
    });

    test('accepts an empty list of facts', async () => {
      expect(await open().remember([])).toEqual({ ok: true, value: undefined });
    });

    test.each([
      ['spaces', ' a rule -- b c.py --0123456789ab '],
      ['a line break', 'rule--a\nb.py--0123456789ab'],
      ['a backslash', 'rule--a\\b.py--0123456789ab'],
      ['a tab and quotes', 'rule--a\t"b"\'.py--0123456789ab'],
      ['letters of other scripts', 'rule--ä日本😀.py--0123456789ab'],
      ['a leading dash', '-rule--a.py--0123456789ab'],
      ['248 bytes', `${'r'.repeat(225)}--1_files--0123456789ab`],
      ['248 bytes in fewer characters', `${'ä'.repeat(112)}r--1_files--0123456789ab`],
    ])('accepts an id with %s', async (_, text) => {
      const passes = open();
      const odd = text as ReviewId;
      await passes.remember([about(odd)]);
      expect(await passes.mark(odd, 'mcp', noon)).toEqual({ ok: true, value: { vouched: true } });
      expect(await marked(passes)).toEqual([odd]);
      expect(await passes.receipt(odd)).toMatchObject({ id: odd });
    });
  });
}

function about(id: ReviewId, promptVersion = 1): TaskFacts {
  return {
    id,
    parts: [{ source: '.deepreview' as RepoPath, rule: 'style', textDigest: 'aa', contextDigest: 'bb' }],
    files: [
      { path: 'a.py' as RepoPath, sha256: 'cc', link: null },
      { path: 'gone.py' as RepoPath, sha256: null, link: '../gone.py' },
    ],
    promptVersion,
  };
}
