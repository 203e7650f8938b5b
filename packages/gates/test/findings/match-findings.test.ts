import type { CommitId } from '@onceover/base/kernel/ids';
import type { Priority } from '@onceover/repo/config/settings';
import { claim, content, entry, finding, HERE, path, waiver } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type MatchedFindings,
  matchFindings,
  type ReportedProblem,
  type SlotReview,
} from '../../src/findings/match-findings.ts';
import type { Disposition, KnownFinding, ReportedFinding } from '../../src/findings/types.ts';
import { isOpen } from '../../src/findings/types.ts';
import { findingState } from '../../src/run/decide/gate-state.ts';

/** Returns a reported problem that matches `finding()`. */
function reported(differs: Partial<ReportedProblem> = {}): ReportedProblem {
  return {
    file: path('src/a.ts'),
    line: 1,
    code: 'a = 1',
    anchor: { text: 'a = 1', occurrence: 1 },
    issue: 'Wrong, in other words.',
    fix: null,
    priority: 'high',
    mark: null,
    entry: entry(),
    seen: 'blob h1',
    ...differs,
  };
}

const standing = (...findings: readonly KnownFinding[]): ReportedFinding[] =>
  findings.map((one) => ({ finding: one, state: findingState(one, HERE) }));

/** Slot 1 reviews the unchanged content again, in iteration 2. */
function look(differs: Partial<SlotReview> = {}): SlotReview {
  return {
    gate: 'review:src:code-quality',
    scope: 'full',
    slot: 1,
    agent: 'claude',
    iteration: 2,
    at: '2026-03-02T12:00:00.000Z',
    content: content('c1'),
    where: { branch: 'work', mergeBase: 'b2' as CommitId },
    isRerun: true,
    failOn: 'low',
    rerunNewIssueThreshold: 'low',
    status: 'pass',
    reported: [],
    previous: [],
    message: null,
    earlier: [],
    seenBefore: () => 0,
    seenNow: () => 'blob h1',
    entryNow: () => null,
    ...differs,
  };
}

/** Returns each finding with its new state; a new finding has the id "+". */
function told(settled: MatchedFindings): string[] {
  return [
    ...settled.updated.map((one) => `${one.id} ${one.kept}${one.closed === null ? '' : ` ${one.closed.how}`}`),
    ...settled.added.map((one) => `+ ${one.kept}`),
    ...settled.waived.map(({ id }) => `${id} waived`),
    ...settled.refuted.map(({ id }) => `${id} refuted`),
  ];
}

const settled = (differs: Partial<SlotReview>) => told(matchFindings(look(differs)));

describe('the same finding', () => {
  const OTHER = { text: 'b = 2', occurrence: 1 };
  test.each<[string, Partial<ReportedProblem>, Partial<KnownFinding>, boolean]>([
    ['the same code in the same file, described in other words', { issue: 'Quite another sentence.' }, {}, true],
    ['the same code further down', { line: 40 }, {}, true],
    ['other code', { anchor: OTHER }, {}, false],
    ['the same description of other code', { anchor: OTHER, issue: 'It is wrong.' }, {}, false],
    ['another occurrence of the code', { anchor: { text: 'a = 1', occurrence: 2 } }, {}, false],
    ['another file', { file: path('src/b.ts') }, {}, false],
    ['the code is not found there', { anchor: null }, {}, false],
    ['the code was not found there', {}, { anchor: null }, false],
    ['neither has an anchor', { file: null, anchor: null }, { file: null, anchor: null }, false],
    ['another slot reported it', {}, { slot: 2 }, false],
    ['it is from an ended cycle', {}, { branch: 'other', entry: entry({ headBlob: 'h0' }) }, false],
    ['it was closed', {}, { kept: 'closed', closed: { how: 'silent', why: '', iteration: 1 } }, true],
    ['it was a warning', {}, { kept: 'warning' }, true],
    ['it was claimed as fixed', {}, { resolution: claim() }, true],
  ])('%s', (_title, now, then, expected) => {
    const result = matchFindings(look({ reported: [reported(now)], earlier: standing(finding(then)) }));
    expect(result.added).toHaveLength(expected ? 0 : 1);
    expect(result.updated.some(({ id, kept }) => id === 'F1' && kept !== 'closed')).toBe(expected);
  });

  test('keeps its id and first iteration, and takes the rest from the last report', () => {
    const now = reported({ line: 7, issue: 'Newer words.', fix: 'So.', mark: 'off-diff', seen: 'blob h2' });
    const earlier = standing(finding({ kept: 'closed', closed: { how: 'fixed', why: 'x', iteration: 1 } }));
    const [again] = matchFindings(look({ reported: [now], earlier, content: content('c2') })).updated;
    expect(again).toEqual({
      ...now,
      id: 'F1',
      since: 1,
      gate: 'review:src:code-quality',
      scope: 'full',
      slot: 1,
      agent: 'claude',
      at: '2026-03-02T12:00:00.000Z',
      content: 'c2',
      branch: 'work',
      mergeBase: 'b2',
      cycleEnded: false,
      kept: 'open',
      closed: null,
      flips: 1,
    });
  });

  test.each<[string, readonly KnownFinding[], string]>([
    ['an open finding before a warning', [finding({ id: 'F1', kept: 'warning' }), finding({ id: 'F2' })], 'F2'],
    [
      'a warning before a waived finding',
      [finding({ id: 'F1', resolution: waiver() }), finding({ id: 'F2', kept: 'warning' })],
      'F2',
    ],
    [
      'a waived finding before a closed one',
      [finding({ id: 'F1', kept: 'closed' }), finding({ id: 'F2', resolution: waiver() })],
      'F2',
    ],
  ])('is matched by state if several fit: %s', (_title, earlier, expected) => {
    const { updated, waived } = matchFindings(look({ reported: [reported()], earlier: standing(...earlier) }));
    expect([...updated.filter(({ kept }) => kept === 'open'), ...waived].map(({ id }) => id)).toEqual([expected]);
  });

  test('is matched once: a second report is a new finding', () => {
    expect(settled({ reported: [reported(), reported()], earlier: standing(finding()) })).toEqual([
      'F1 open',
      '+ open',
    ]);
    const two = standing(finding({ id: 'F1' }), finding({ id: 'F2' }));
    expect(settled({ reported: [reported(), reported()], earlier: two })).toEqual(['F1 open', 'F2 open']);
  });
});

describe('a new finding', () => {
  test('is stored with all its fields', () => {
    const { added } = matchFindings(look({ reported: [reported({ mark: 'off-diff', entry: null })] }));
    expect(added).toEqual([
      {
        ...reported({ mark: 'off-diff', entry: null }),
        gate: 'review:src:code-quality',
        scope: 'full',
        slot: 1,
        agent: 'claude',
        since: 2,
        at: '2026-03-02T12:00:00.000Z',
        content: 'c1',
        branch: 'work',
        mergeBase: 'b2',
        cycleEnded: false,
        kept: 'open',
        onRerun: true,
        closed: null,
      },
    ]);
  });

  test.each<[string, Priority, Partial<SlotReview>, 'open' | 'warning']>([
    ['at fail_on', 'medium', { failOn: 'medium' }, 'open'],
    ['below fail_on', 'low', { failOn: 'medium' }, 'warning'],
    ['below fail_on, on the first review', 'low', { failOn: 'medium', isRerun: false }, 'warning'],
    ['below the rerun threshold, on a rerun', 'medium', { rerunNewIssueThreshold: 'high' }, 'warning'],
    ['at the rerun threshold, on a rerun', 'high', { rerunNewIssueThreshold: 'high' }, 'open'],
    [
      'below the rerun threshold, on the first review',
      'medium',
      { rerunNewIssueThreshold: 'high', isRerun: false },
      'open',
    ],
    [
      'below fail_on, above the rerun threshold',
      'medium',
      { failOn: 'high', rerunNewIssueThreshold: 'low' },
      'warning',
    ],
    ['low, under the default settings', 'low', {}, 'open'],
    ['from a reviewer whose verdict is pass', 'low', { status: 'pass' }, 'open'],
  ])('%s', (_title, priority, differs, expected) => {
    expect(settled({ reported: [reported({ priority })], ...differs })).toEqual([`+ ${expected}`]);
  });
});

describe('a finding that is reported again', () => {
  const warning = { kept: 'warning', priority: 'low' } as const;
  const ofRerun = { ...warning, onRerun: true } as const;
  const closed = { kept: 'closed', priority: 'low' } as const;
  test.each<[string, Partial<KnownFinding>, Priority, Partial<SlotReview>, string]>([
    [
      'an open finding stays open below the rerun threshold',
      {},
      'low',
      { rerunNewIssueThreshold: 'critical' },
      'open high',
    ],
    ['an open finding stays open below fail_on', {}, 'low', { failOn: 'critical' }, 'open high'],
    ['the priority can rise', { priority: 'low' }, 'critical', {}, 'open critical'],
    ['the priority does not fall', { priority: 'critical' }, 'low', {}, 'open critical'],
    ['a warning stays a warning below fail_on', warning, 'low', { failOn: 'medium' }, 'warning low'],
    [
      'a warning of a rerun stays a warning below the rerun threshold',
      ofRerun,
      'low',
      { rerunNewIssueThreshold: 'medium' },
      'warning low',
    ],
    [
      'the rerun threshold does not apply to other warnings',
      warning,
      'low',
      { rerunNewIssueThreshold: 'medium' },
      'open low',
    ],
    ['a warning that is more severe now opens', ofRerun, 'high', { rerunNewIssueThreshold: 'high' }, 'open high'],
    [
      'a warning of a rerun has to reach both thresholds',
      ofRerun,
      'medium',
      { failOn: 'medium', rerunNewIssueThreshold: 'high' },
      'warning medium',
    ],
    [
      'a warning of a rerun has to reach both thresholds, in the other order',
      warning,
      'medium',
      { failOn: 'high', rerunNewIssueThreshold: 'low' },
      'warning medium',
    ],
    ['a closed finding opens again', closed, 'low', {}, 'open low'],
    ['a closed finding below fail_on becomes a warning', closed, 'low', { failOn: 'medium' }, 'warning low'],
    [
      'the rerun threshold does not apply to a closed finding',
      closed,
      'low',
      { rerunNewIssueThreshold: 'high' },
      'open low',
    ],
  ])('%s', (_title, then, priority, differs, expected) => {
    const given = look({ reported: [reported({ priority })], earlier: standing(finding(then)), ...differs });
    expect(matchFindings(given).updated.map((one) => `${one.kept} ${one.priority}`)).toEqual([expected]);
  });
});

describe('a finding that is not reported again', () => {
  const word = (state: Disposition['state'], id = 'F1'): Disposition => ({ id, state, why: 'because' });
  const NEWER = { content: content('c2') } as const;
  const MOVED = { ...NEWER, seenNow: () => 'blob h2' } as const;
  test.each<[string, Partial<KnownFinding>, Partial<SlotReview>, readonly string[]]>([
    ['the reviewer calls it fixed, on newer content', {}, { ...NEWER, previous: [word('fixed')] }, ['F1 closed fixed']],
    ['the reviewer calls it fixed, on unchanged content: it stays open', {}, { previous: [word('fixed')] }, []],
    [
      'the reviewer calls it fixed, and the reported content is unknown',
      { content: null },
      { previous: [word('fixed')] },
      ['F1 closed fixed'],
    ],
    ['the reviewer withdraws it, on unchanged content', {}, { previous: [word('withdrawn')] }, ['F1 closed withdrawn']],
    ['the reviewer calls it open', {}, { ...MOVED, previous: [word('open')] }, ['F1 open']],
    ['the reviewer mentions another finding', {}, { ...NEWER, previous: [word('fixed', 'F9')] }, []],
    ['not mentioned, its file is unchanged', {}, NEWER, []],
    ['not mentioned, its file has changed', {}, MOVED, ['F1 closed silent']],
    ['not mentioned, its file is unknown: it stays open', { seen: null }, MOVED, []],
    [
      'its file is unknown, and the reviewer withdraws it',
      { seen: null },
      { previous: [word('withdrawn')] },
      ['F1 closed withdrawn'],
    ],
    ['not mentioned, its file no longer exists', {}, { seenNow: () => null }, ['F1 closed silent']],
    ['not mentioned, it has no file, nothing changed', { file: null, seen: null, entry: null }, {}, []],
    ['not mentioned, it has no file', { file: null, seen: null, entry: null }, NEWER, ['F1 closed silent']],
    ['not mentioned, its name fits no file', { file: null, seen: null, entry: null, mark: 'off-diff' }, NEWER, []],
    ['the reviewer calls a finding open that no one knows', {}, { previous: [word('open', 'F9')] }, ['+ open']],
    ['the reviewer calls a closed finding open', { kept: 'closed' }, { previous: [word('open')] }, ['+ open']],
    ['the reviewer calls a waived finding open', { resolution: waiver() }, { previous: [word('open')] }, []],
    [
      'claimed as fixed, and confirmed',
      { resolution: claim() },
      { ...NEWER, previous: [word('fixed')] },
      ['F1 closed fixed'],
    ],
    ['claimed as fixed, and its file changed', { resolution: claim() }, MOVED, ['F1 closed silent']],
    [
      'claimed as fixed, and the reviewer calls it open',
      { resolution: claim() },
      { previous: [word('open')] },
      ['F1 open', 'F1 refuted'],
    ],
    ['claimed as fixed, and nothing changed', { resolution: claim() }, {}, ['F1 refuted']],
    ['a warning closes silently too', { kept: 'warning' }, MOVED, ['F1 closed silent']],
    ['a warning stays if its file is unchanged', { kept: 'warning' }, {}, []],
    ['a waived finding stays waived', { resolution: waiver() }, MOVED, []],
    [
      'a waived finding that the reviewer calls fixed stays waived',
      { resolution: waiver() },
      { ...NEWER, previous: [word('fixed')] },
      [],
    ],
    ['a closed finding stays closed', { kept: 'closed' }, MOVED, []],
    ['a slot does not close a finding of another slot', { slot: 2 }, { ...MOVED, previous: [word('withdrawn')] }, []],
    [
      'another agent in the same slot can close it',
      { agent: 'codex' },
      { previous: [word('withdrawn')] },
      ['F1 closed withdrawn'],
    ],
  ])('%s', (_title, then, differs, expected) => {
    expect(settled({ earlier: standing(finding(then)), ...differs })).toEqual(expected);
  });

  test('is stored with the reason for closing it', () => {
    const given = look({ earlier: standing(finding({ resolution: claim() })), previous: [word('withdrawn')] });
    const [one] = matchFindings(given).updated;
    expect(one?.closed).toEqual({ how: 'withdrawn', why: 'because', iteration: 2 });
    expect(one).not.toHaveProperty('resolution');
  });

  test('is compared with its own file', () => {
    const files: string[] = [];
    matchFindings(
      look({
        earlier: standing(finding()),
        seenNow(file) {
          files.push(file);
          return null;
        },
      }),
    );
    expect(files).toEqual(['src/a.ts']);
  });
});

describe('a finding with a resolution that is reported again', () => {
  test.each<[string, Partial<KnownFinding>]>([
    ['open', {}],
    ['a warning', { kept: 'warning' }],
    ['closed since', { kept: 'closed' }],
  ])('claimed as fixed: the claim is refuted and keeps its time: %s', (_title, then) => {
    const earlier = standing(finding({ ...then, resolution: claim() }));
    expect(settled({ reported: [reported()], earlier })).toEqual(['F1 open', 'F1 refuted']);
    const { refuted } = matchFindings(look({ reported: [reported()], earlier }));
    expect(refuted).toEqual([{ id: 'F1', claim: claim() }]);
  });

  test('refuted before: the claim is not refuted again', () => {
    const earlier = standing(finding({ resolution: { ...claim(), how: 'refuted' } }));
    expect(settled({ reported: [reported()], earlier })).toEqual(['F1 open']);
  });

  test('claimed as fixed, called fixed and reported: the report wins', () => {
    const previous = [{ id: 'F1', state: 'fixed', why: '' }] as const;
    const given = { reported: [reported()], previous, content: content('c2'), earlier: standing(finding()) };
    expect(settled(given)).toEqual(['F1 open']);
  });

  test.each<[string, Partial<KnownFinding>, Priority, readonly string[]]>([
    ['the same priority', {}, 'high', ['F1 waived']],
    ['a lower priority', {}, 'low', ['F1 waived']],
    ['more severe: a new finding', {}, 'critical', ['+ open']],
    ['waived in another cycle', { branch: 'other', entry: entry({ headBlob: 'h0' }) }, 'high', ['F1 waived']],
  ])('waived: %s', (_title, then, priority, expected) => {
    const earlier = standing(finding({ ...then, resolution: waiver() }));
    expect(settled({ reported: [reported({ priority })], earlier })).toEqual(expected);
  });
});

test('waived, and its path no longer has an entry: still waived', () => {
  const there = { file: path('src/b.ts'), entry: entry({ path: 'src/b.ts' }) };
  const earlier = standing(finding({ ...there, resolution: waiver() }));
  expect(earlier[0]?.state).toBe('gone');
  expect(settled({ reported: [reported({ ...there, entry: null })], earlier })).toEqual(['F1 waived']);
});

describe('a failure without a problem', () => {
  const message = 'Too much at once.';
  test.each<[string, Partial<SlotReview>, readonly string[]]>([
    ['becomes one finding', { status: 'fail', message }, ['+ open']],
    ['a pass adds none', { status: 'pass', message }, []],
    ['a reported problem adds no second one', { status: 'fail', message, reported: [reported()] }, ['+ open']],
    ['an earlier finding stays open', { status: 'fail', message, earlier: standing(finding()) }, []],
    [
      'the earlier finding is closed',
      { status: 'fail', message, earlier: standing(finding()), seenNow: () => 'blob h2' },
      ['F1 closed silent', '+ open'],
    ],
    [
      'only a warning is left',
      { status: 'fail', message, earlier: standing(finding({ kept: 'warning' })) },
      ['+ open'],
    ],
    [
      'another slot has an open finding',
      { status: 'fail', message, earlier: standing(finding({ slot: 2 })) },
      ['+ open'],
    ],
    [
      'thresholds do not apply',
      { status: 'fail', message, failOn: 'critical', rerunNewIssueThreshold: 'critical' },
      ['+ open'],
    ],
  ])('%s', (_title, differs, expected) => {
    expect(settled(differs)).toEqual(expected);
  });

  test.each([
    [` ${message}\n`, message],
    ['  ', 'The reviewer failed the change and did not say why.'],
    [null, 'The reviewer failed the change and did not say why.'],
  ])('uses the message of the reviewer: %j', (said, issue) => {
    const [one] = matchFindings(look({ status: 'fail', message: said })).added;
    expect(one).toMatchObject({ issue, file: null, line: null, anchor: null, priority: 'critical', since: 2 });
  });
});

describe('properties of matching', () => {
  const priority = fc.constantFrom<Priority>('low', 'medium', 'high', 'critical');
  const anchor = fc.option(fc.record({ text: fc.constantFrom('a', 'b'), occurrence: fc.constantFrom(1, 2) }), {
    nil: null,
  });
  const anyReported = fc.record({ anchor, priority }).map(reported);
  const anyFinding = fc.record({
    slot: fc.constantFrom(1, 2),
    anchor,
    priority,
    kept: fc.constantFrom('open', 'warning', 'closed'),
    resolution: fc.constantFrom(null, waiver(), claim()),
    seen: fc.constantFrom(null, 'blob h1', 'blob h0'),
    content: fc.constantFrom(null, content('c1'), content('c0')),
    branch: fc.constantFrom('work', 'other'),
    cycleEnded: fc.boolean(),
    entry: fc.constantFrom(null, entry(), entry({ headBlob: 'h0' })),
  });
  const anyLook = fc
    .record({
      reported: fc.array(anyReported, { maxLength: 4 }),
      known: fc.array(anyFinding, { maxLength: 5 }),
      previous: fc.array(
        fc.record<Disposition>({
          id: fc.constantFrom('F1', 'F2', 'F3', 'F9'),
          state: fc.constantFrom('fixed', 'open', 'withdrawn'),
          why: fc.constant(''),
        }),
        { maxLength: 4 },
      ),
      status: fc.constantFrom<SlotReview['status']>('pass', 'fail'),
      isRerun: fc.boolean(),
      failOn: priority,
      rerunNewIssueThreshold: priority,
    })
    .map(({ known, ...rest }) =>
      look({ ...rest, earlier: standing(...known.map((one, i) => finding({ ...one, id: `F${i + 1}` }))) }),
    );

  test('no problem is dropped: each is new, repeated, or waived', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        const { updated, added, waived } = matchFindings(given);
        const called = new Set(given.previous.filter(({ state }) => state === 'open').map(({ id }) => id));
        const matched = new Set(
          matchFindings({ ...given, previous: [] })
            .updated.filter((one) => one.closed === null)
            .map((one) => one.id),
        );
        const again = updated.filter(({ id, closed }) => closed === null && (matched.has(id) || !called.has(id)));
        const problems = added.filter(({ issue }) => !issue.includes('is still open')).length;
        const message = given.status === 'fail' && given.reported.length === 0 ? problems : 0;
        expect(again.length + problems - message + waived.length).toBe(given.reported.length);
      }),
      { numRuns: 1000 },
    );
  });

  test('a slot changes only its own findings, each once, and no waived one', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        const { updated, waived, refuted } = matchFindings(given);
        const touched = [...updated, ...waived].map(({ id }) => id);
        expect(new Set(touched).size).toBe(touched.length);
        for (const id of [...touched, ...refuted.map((one) => one.id)]) {
          const before = given.earlier.find(({ finding: one }) => one.id === id);
          expect(before?.finding.slot).toBe(1);
        }
        for (const { id } of updated) {
          expect(given.earlier.find(({ finding: one }) => one.id === id)?.state).not.toBe('waived');
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('a claim ends: the finding is closed, or the claim is refuted', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        const { updated, ...rest } = matchFindings(given);
        const refuted = rest.refuted.map(({ id }) => id);
        const closed = updated.filter(({ kept }) => kept === 'closed').map(({ id }) => id);
        const claimed = given.earlier.filter(({ finding: { slot }, state }) => slot === 1 && state === 'fixed_claimed');
        for (const { finding: one } of claimed) expect(closed.includes(one.id)).not.toBe(refuted.includes(one.id));
      }),
      { numRuns: 1000 },
    );
  });

  test('a reviewer that fails leaves a finding that is open, waived or below a threshold', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        fc.pre(given.status === 'fail');
        const { updated, added, waived } = matchFindings(given);
        const gone = new Set(updated.filter(({ kept }) => kept === 'closed').map(({ id }) => id));
        const stays = given.earlier.filter(
          ({ finding: one, state }) => one.slot === 1 && isOpen(state) && !gone.has(one.id),
        );
        const again = updated.filter(({ kept }) => kept !== 'closed');
        expect(stays.length + again.length + added.length + waived.length).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });
});

test('thousands of problems are matched with as many findings at once', () => {
  const at = (n: number) => ({ anchor: { text: `v${n}`, occurrence: 1 }, code: `v${n}` });
  const many = (length: number) => Array.from({ length }, (_, n) => n);
  const cpuFor = (count: number) => {
    const given = look({
      reported: many(count).map((n) => reported(at(n))),
      earlier: standing(...many(count).map((n) => finding({ id: `F${n + 1}`, ...at(count - 1 - n) }))),
      previous: many(count).map((n) => ({ id: `F${n + 1}`, state: 'open' as const, why: '' })),
    });
    const before = process.cpuUsage();
    expect(matchFindings(given).updated).toHaveLength(count);
    return process.cpuUsage(before).user;
  };
  cpuFor(1000);
  expect(cpuFor(20_000)).toBeLessThan(2_000_000);
});
