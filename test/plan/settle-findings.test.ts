import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CommitId } from '../../src/domain/brand.ts';
import type { Disposition, KnownFinding, Priority } from '../../src/domain/finding.ts';
import { isOpen } from '../../src/domain/finding.ts';
import { findingState } from '../../src/plan/cycle.ts';
import type { StandingFinding } from '../../src/plan/gate-state.ts';
import { type Look, type Reported, type Settled, settleFindings } from '../../src/plan/settle-findings.ts';
import { claim, content, entry, finding, HERE, path, waiver } from '../support/run-samples.ts';

/** A problem as it is reported of what `finding()` is about. */
function reported(differs: Partial<Reported> = {}): Reported {
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

const standing = (...findings: readonly KnownFinding[]): StandingFinding[] =>
  findings.map((one) => ({ finding: one, state: findingState(one, HERE, HERE.entryOf) }));

/** Slot 1 looks again, in iteration 2, at the content that the findings were reported on. */
function look(differs: Partial<Look> = {}): Look {
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
    seenNow: () => 'blob h1',
    entryNow: () => null,
    ...differs,
  };
}

/** What became of each finding, in a few words: new ones are "+". */
function told(settled: Settled): string[] {
  return [
    ...settled.updated.map((one) => `${one.id} ${one.kept}${one.closed === null ? '' : ` ${one.closed.how}`}`),
    ...settled.added.map((one) => `+ ${one.kept}`),
    ...settled.waived.map(({ id }) => `${id} waived`),
    ...settled.refuted.map(({ id }) => `${id} refuted`),
  ];
}

const settled = (differs: Partial<Look>) => told(settleFindings(look(differs)));

describe('the same finding', () => {
  const OTHER = { text: 'b = 2', occurrence: 1 };
  test.each<[string, Partial<Reported>, Partial<KnownFinding>, boolean]>([
    ['the same code at the same place, in other words', { issue: 'Quite another sentence.' }, {}, true],
    ['the same code further down', { line: 40 }, {}, true],
    ['other code', { anchor: OTHER }, {}, false],
    ['the same words about other code', { anchor: OTHER, issue: 'It is wrong.' }, {}, false],
    ['another occurrence of the code', { anchor: { text: 'a = 1', occurrence: 2 } }, {}, false],
    ['another file', { file: path('src/b.ts') }, {}, false],
    ['the code is not found there', { anchor: null }, {}, false],
    ['the code was not found there', {}, { anchor: null }, false],
    ['neither has a place', { file: null, anchor: null }, { file: null, anchor: null }, false],
    ['another slot reported it', {}, { slot: 2 }, false],
    ['it is of a cycle that counts no more', {}, { branch: 'other', entry: entry({ headBlob: 'h0' }) }, false],
    ['it was closed', {}, { kept: 'closed', closed: { how: 'silent', why: '', iteration: 1 } }, true],
    ['it only warned', {}, { kept: 'warning' }, true],
    ['it was said to be fixed', {}, { resolution: claim() }, true],
  ])('%s', (_title, now, then, expected) => {
    const result = settleFindings(look({ reported: [reported(now)], earlier: standing(finding(then)) }));
    expect(result.added).toHaveLength(expected ? 0 : 1);
    expect(result.updated.some(({ id, kept }) => id === 'F1' && kept !== 'closed')).toBe(expected);
  });

  test('is told as it was reported last, with its id and its beginning', () => {
    const now = reported({ line: 7, issue: 'Newer words.', fix: 'So.', mark: 'off-diff', seen: 'blob h2' });
    const earlier = standing(finding({ kept: 'closed', closed: { how: 'fixed', why: 'x', iteration: 1 } }));
    const [again] = settleFindings(look({ reported: [now], earlier, content: content('c2') })).updated;
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
    });
  });

  test.each<[string, readonly KnownFinding[], string]>([
    ['an open one before one that warns', [finding({ id: 'F1', kept: 'warning' }), finding({ id: 'F2' })], 'F2'],
    [
      'one that warns before one that is waived',
      [finding({ id: 'F1', resolution: waiver() }), finding({ id: 'F2', kept: 'warning' })],
      'F2',
    ],
    [
      'a waived one before a closed one',
      [finding({ id: 'F1', kept: 'closed' }), finding({ id: 'F2', resolution: waiver() })],
      'F2',
    ],
  ])('is looked for among several: %s', (_title, earlier, expected) => {
    const { updated, waived } = settleFindings(look({ reported: [reported()], earlier: standing(...earlier) }));
    expect([...updated.filter(({ kept }) => kept === 'open'), ...waived].map(({ id }) => id)).toEqual([expected]);
  });

  test('is found once: what is reported twice is two', () => {
    expect(settled({ reported: [reported(), reported()], earlier: standing(finding()) })).toEqual([
      'F1 open',
      '+ open',
    ]);
    const two = standing(finding({ id: 'F1' }), finding({ id: 'F2' }));
    expect(settled({ reported: [reported(), reported()], earlier: two })).toEqual(['F1 open', 'F2 open']);
  });
});

describe('a new finding', () => {
  test('is kept with all that is known of it', () => {
    const { added } = settleFindings(look({ reported: [reported({ mark: 'off-diff', entry: null })] }));
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

  test.each<[string, Priority, Partial<Look>, 'open' | 'warning']>([
    ['as grave as fail_on', 'medium', { failOn: 'medium' }, 'open'],
    ['below fail_on', 'low', { failOn: 'medium' }, 'warning'],
    ['below fail_on, first look', 'low', { failOn: 'medium', isRerun: false }, 'warning'],
    ['below the rerun threshold, on a rerun', 'medium', { rerunNewIssueThreshold: 'high' }, 'warning'],
    ['as grave as the rerun threshold', 'high', { rerunNewIssueThreshold: 'high' }, 'open'],
    ['below the rerun threshold, first look', 'medium', { rerunNewIssueThreshold: 'high', isRerun: false }, 'open'],
    ['below fail_on, over the rerun threshold', 'medium', { failOn: 'high', rerunNewIssueThreshold: 'low' }, 'warning'],
    ['the lowest, as it is by default', 'low', {}, 'open'],
    ['of a reviewer that passes all the same', 'low', { status: 'pass' }, 'open'],
  ])('%s', (_title, priority, differs, expected) => {
    expect(settled({ reported: [reported({ priority })], ...differs })).toEqual([`+ ${expected}`]);
  });
});

describe('a finding that is reported again', () => {
  const warning = { kept: 'warning', priority: 'low' } as const;
  const ofRerun = { ...warning, onRerun: true } as const;
  const closed = { kept: 'closed', priority: 'low' } as const;
  test.each<[string, Partial<KnownFinding>, Priority, Partial<Look>, string]>([
    ['open stays open below the rerun threshold', {}, 'low', { rerunNewIssueThreshold: 'critical' }, 'open high'],
    ['and below fail_on', {}, 'low', { failOn: 'critical' }, 'open high'],
    ['it can become graver', { priority: 'low' }, 'critical', {}, 'open critical'],
    ['and not less grave', { priority: 'critical' }, 'low', {}, 'open critical'],
    ['a warning stays one below fail_on', warning, 'low', { failOn: 'medium' }, 'warning low'],
    ['and one of a rerun below its threshold', ofRerun, 'low', { rerunNewIssueThreshold: 'medium' }, 'warning low'],
    ['and no other', warning, 'low', { rerunNewIssueThreshold: 'medium' }, 'open low'],
    ['a warning that is graver now opens', ofRerun, 'high', { rerunNewIssueThreshold: 'high' }, 'open high'],
    [
      'both thresholds count',
      ofRerun,
      'medium',
      { failOn: 'medium', rerunNewIssueThreshold: 'high' },
      'warning medium',
    ],
    ['and in the other order', warning, 'medium', { failOn: 'high', rerunNewIssueThreshold: 'low' }, 'warning medium'],
    ['a closed one opens again', closed, 'low', {}, 'open low'],
    ['a closed one below fail_on warns', closed, 'low', { failOn: 'medium' }, 'warning low'],
    ['a closed one is not new', closed, 'low', { rerunNewIssueThreshold: 'high' }, 'open low'],
  ])('%s', (_title, then, priority, differs, expected) => {
    const given = look({ reported: [reported({ priority })], earlier: standing(finding(then)), ...differs });
    expect(settleFindings(given).updated.map((one) => `${one.kept} ${one.priority}`)).toEqual([expected]);
  });
});

describe('a finding that is not reported again', () => {
  const word = (state: Disposition['state'], id = 'F1'): Disposition => ({ id, state, why: 'because' });
  const NEWER = { content: content('c2') } as const;
  const MOVED = { ...NEWER, seenNow: () => 'blob h2' } as const;
  test.each<[string, Partial<KnownFinding>, Partial<Look>, readonly string[]]>([
    ['called fixed, on newer content', {}, { ...NEWER, previous: [word('fixed')] }, ['F1 closed fixed']],
    ['called fixed where nothing changed: stays open', {}, { previous: [word('fixed')] }, []],
    [
      'called fixed, it is not known on what it was reported',
      { content: null },
      { previous: [word('fixed')] },
      ['F1 closed fixed'],
    ],
    ['called withdrawn: content need not be newer', {}, { previous: [word('withdrawn')] }, ['F1 closed withdrawn']],
    ['called open', {}, { ...MOVED, previous: [word('open')] }, ['F1 open']],
    ['another one was spoken of', {}, { ...NEWER, previous: [word('fixed', 'F9')] }, []],
    ['not spoken of, its file is as it was', {}, NEWER, []],
    ['not spoken of, its file has changed', {}, MOVED, ['F1 closed silent']],
    ['not spoken of, it is not known what its file was', { seen: null }, {}, ['F1 closed silent']],
    ['not spoken of, its file is there no more', {}, { seenNow: () => null }, ['F1 closed silent']],
    ['not spoken of, it has no file', { file: null, seen: null, entry: null }, {}, ['F1 closed silent']],
    [
      'said to be fixed, and confirmed',
      { resolution: claim() },
      { ...NEWER, previous: [word('fixed')] },
      ['F1 closed fixed'],
    ],
    ['said to be fixed, and its file changed', { resolution: claim() }, MOVED, ['F1 closed silent']],
    [
      'said to be fixed, and called open',
      { resolution: claim() },
      { previous: [word('open')] },
      ['F1 open', 'F1 refuted'],
    ],
    ['said to be fixed, and nothing changed', { resolution: claim() }, {}, ['F1 refuted']],
    ['a warning closes too', { kept: 'warning' }, MOVED, ['F1 closed silent']],
    ['a warning stays', { kept: 'warning' }, {}, []],
    ['a waived one stays waived', { resolution: waiver() }, MOVED, []],
    ['a waived one that is called fixed too', { resolution: waiver() }, { ...NEWER, previous: [word('fixed')] }, []],
    ['a closed one stays closed', { kept: 'closed' }, MOVED, []],
    ['of another slot: not its to close', { slot: 2 }, { ...MOVED, previous: [word('withdrawn')] }, []],
    [
      'the agent that took the slot over may',
      { agent: 'codex' },
      { previous: [word('withdrawn')] },
      ['F1 closed withdrawn'],
    ],
  ])('%s', (_title, then, differs, expected) => {
    expect(settled({ earlier: standing(finding(then)), ...differs })).toEqual(expected);
  });

  test('keeps the reason of its closing', () => {
    const given = look({ earlier: standing(finding({ resolution: claim() })), previous: [word('withdrawn')] });
    const [one] = settleFindings(given).updated;
    expect(one?.closed).toEqual({ how: 'withdrawn', why: 'because', iteration: 2 });
    expect(one).not.toHaveProperty('resolution');
  });

  test('is asked about by its own file', () => {
    const files: string[] = [];
    settleFindings(
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

describe('reported again although somebody spoke of it', () => {
  test.each<[string, Partial<KnownFinding>]>([
    ['open', {}],
    ['a warning', { kept: 'warning' }],
    ['closed since', { kept: 'closed' }],
  ])('said to be fixed: that is refuted, and it is kept when it was said: %s', (_title, then) => {
    const earlier = standing(finding({ ...then, resolution: claim() }));
    expect(settled({ reported: [reported()], earlier })).toEqual(['F1 open', 'F1 refuted']);
    const { refuted } = settleFindings(look({ reported: [reported()], earlier }));
    expect(refuted).toEqual([{ id: 'F1', claim: claim() }]);
  });

  test('a claim that was refuted before is not refuted again', () => {
    const earlier = standing(finding({ resolution: { ...claim(), how: 'refuted' } }));
    expect(settled({ reported: [reported()], earlier })).toEqual(['F1 open']);
  });

  test('said to be fixed, and the reviewer calls it fixed and reports it: reported wins', () => {
    const previous = [{ id: 'F1', state: 'fixed', why: '' }] as const;
    const given = { reported: [reported()], previous, content: content('c2'), earlier: standing(finding()) };
    expect(settled(given)).toEqual(['F1 open']);
  });

  test.each<[string, Partial<KnownFinding>, Priority, readonly string[]]>([
    ['as grave as before', {}, 'high', ['F1 waived']],
    ['less grave', {}, 'low', ['F1 waived']],
    ['graver: a finding of its own', {}, 'critical', ['+ open']],
    ['waived in another cycle', { branch: 'other', entry: entry({ headBlob: 'h0' }) }, 'high', ['F1 waived']],
  ])('waived: %s', (_title, then, priority, expected) => {
    const earlier = standing(finding({ ...then, resolution: waiver() }));
    expect(settled({ reported: [reported({ priority })], earlier })).toEqual(expected);
  });
});

test('waived, and its path has no entry any more: still waived', () => {
  const there = { file: path('src/b.ts'), entry: entry({ path: 'src/b.ts' }) };
  const earlier = standing(finding({ ...there, resolution: waiver() }));
  expect(earlier[0]?.state).toBe('gone');
  expect(settled({ reported: [reported({ ...there, entry: null })], earlier })).toEqual(['F1 waived']);
});

describe('a failure without a problem', () => {
  const message = 'Too much at once.';
  test.each<[string, Partial<Look>, readonly string[]]>([
    ['is one finding', { status: 'fail', message }, ['+ open']],
    ['a pass is none', { status: 'pass', message }, []],
    ['a problem was reported', { status: 'fail', message, reported: [reported()] }, ['+ open']],
    ['an earlier one stays open', { status: 'fail', message, earlier: standing(finding()) }, []],
    [
      'the earlier one is closed',
      { status: 'fail', message, earlier: standing(finding()), seenNow: () => 'blob h2' },
      ['F1 closed silent', '+ open'],
    ],
    ['only a warning stays', { status: 'fail', message, earlier: standing(finding({ kept: 'warning' })) }, ['+ open']],
    ['another slot has one', { status: 'fail', message, earlier: standing(finding({ slot: 2 })) }, ['+ open']],
    [
      'thresholds do not matter',
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
  ])('says what the reviewer said: %j', (said, issue) => {
    const [one] = settleFindings(look({ status: 'fail', message: said })).added;
    expect(one).toMatchObject({ issue, file: null, line: null, anchor: null, priority: 'critical', since: 2 });
  });
});

describe('whatever is said', () => {
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
      status: fc.constantFrom<Look['status']>('pass', 'fail'),
      isRerun: fc.boolean(),
      failOn: priority,
      rerunNewIssueThreshold: priority,
    })
    .map(({ known, ...rest }) =>
      look({ ...rest, earlier: standing(...known.map((one, i) => finding({ ...one, id: `F${i + 1}` }))) }),
    );

  test('no problem is dropped: each is new, again, or waived', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        const { updated, added, waived } = settleFindings(given);
        const called = new Set(given.previous.filter(({ state }) => state === 'open').map(({ id }) => id));
        const matched = new Set(
          settleFindings({ ...given, previous: [] })
            .updated.filter((one) => one.closed === null)
            .map((one) => one.id),
        );
        const again = updated.filter(({ id, closed }) => closed === null && (matched.has(id) || !called.has(id)));
        const message = given.status === 'fail' && given.reported.length === 0 ? added.length : 0;
        expect(again.length + added.length - message + waived.length).toBe(given.reported.length);
      }),
      { numRuns: 1000 },
    );
  });

  test('a slot touches its own findings alone, each once, and no waived one', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        const { updated, waived, refuted } = settleFindings(given);
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

  test('a claim ends: confirmed by a closing, or refuted', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        const { updated, ...rest } = settleFindings(given);
        const refuted = rest.refuted.map(({ id }) => id);
        const closed = updated.filter(({ kept }) => kept === 'closed').map(({ id }) => id);
        const claimed = given.earlier.filter(({ finding: { slot }, state }) => slot === 1 && state === 'fixed_claimed');
        for (const { finding: one } of claimed) expect(closed.includes(one.id)).not.toBe(refuted.includes(one.id));
      }),
      { numRuns: 1000 },
    );
  });

  test('a reviewer that fails leaves something open, waived or below a threshold', () => {
    fc.assert(
      fc.property(anyLook, (given) => {
        fc.pre(given.status === 'fail');
        const { updated, added, waived } = settleFindings(given);
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
