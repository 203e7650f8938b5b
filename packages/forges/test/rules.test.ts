import type { FindingState } from '@onceover/gates/findings/types';
import type { RunDocument } from '@onceover/gates/result/json';
import { documentWith, findingOn, GATE, publishOptions, pullFacts } from '@onceover/testing/forges/documents.ts';
import { commitOf } from '@onceover/testing/forges/world.ts';
import { describe, expect, test } from 'vitest';
import { newSideOf, placeFinder } from '../src/decide-anchor.ts';
import { decidePublish } from '../src/decide-publish.ts';
import { markerOf, withMarker } from '../src/describe-marker.ts';
import { suggestionFor } from '../src/describe-thread.ts';
import { parseRun } from '../src/read-run.ts';
import type { ForgeComment, PullRequestState } from '../src/types.ts';

const PATCH =
  '@@ -1,2 +1,3 @@\n const a = 1;\n+const b = 2;\n-gone\n const c = 3;\n@@ -9,1 +10,2 @@\n const a = 1;\n+  const b = 2;';
const FILES = [{ path: 'src/a.ts', oldPath: 'src/old.ts', patch: PATCH }];

describe('the place of a thread', () => {
  test('knows both sides of a diff', () => {
    expect(newSideOf(PATCH).map(({ line, oldLine }) => [line, oldLine])).toEqual([
      [1, 1],
      [2, null],
      [3, 3],
      [10, 9],
      [11, null],
    ]);
  });

  test.each([
    ['the nearest of equal lines', 'const b = 2;', 12, 11],
    ['the other of them', 'const b = 2;', 3, 2],
    ['several lines', 'const a = 1;\nconst b = 2;', 1, 2],
    ['a wrong number of the reviewer', 'const c = 3;', 999, 3],
    ['code that the diff does not show', 'const z = 9;', 2, null],
    ['lines across two hunks', 'const c = 3;\nconst a = 1;', 3, null],
  ])('%s', (_title, text, line, expected) => {
    const place = placeFinder(FILES)({ file: 'src/a.ts', line, anchor: { text } });
    expect(place?.kind === 'lines' ? place.last : null).toBe(expected);
    expect(place?.path).toBe('src/a.ts');
  });

  test('a file that is not part of the diff has none', () => {
    expect(placeFinder(FILES)({ file: 'src/b.ts', line: 1, anchor: { text: 'x' } })).toBeNull();
  });
});

describe('a suggestion', () => {
  const place = {
    kind: 'lines',
    path: 'a',
    oldPath: 'a',
    first: 1,
    last: 1,
    ends: [
      { line: 1, oldLine: null, oldAt: 1 },
      { line: 1, oldLine: null, oldAt: 1 },
    ],
    text: ['  old();'],
  } as const;
  const anchor = { text: 'old();', occurrence: 1 };

  test.each([
    ['a code block gets the indentation of the line', '```ts\nfresh();\n```', '```suggestion\n  fresh();\n```'],
    ['an indented one keeps its own', '```\n    fresh();\n```', '```suggestion\n    fresh();\n```'],
    ['prose is not a suggestion', 'Use `fresh()`.', null],
    ['prose with a block is not a suggestion', 'Use this:\n```\nfresh();\n```', null],
    ['an invisible character', '```\nfr\u202eesh();\n```', null],
  ])('%s', (_title, fix, expected) => {
    expect(suggestionFor({ fix, anchor }, place)).toBe(expected);
  });

  test.each([
    ['a part of the line', { text: 'old', occurrence: 1 }],
    ['more lines than the thread has', { text: 'old();\nnext();', occurrence: 1 }],
    ['no code', null],
  ])('replaces only what the finding quotes: %s', (_title, quote) => {
    expect(suggestionFor({ fix: '```\nfresh();\n```', anchor: quote }, place)).toBeNull();
  });

  test('needs lines', () => {
    expect(suggestionFor({ fix: '```\nx\n```', anchor }, { kind: 'file', path: 'a', oldPath: 'a' })).toBeNull();
  });
});

describe('the document of another job', () => {
  const good = documentWith([findingOn('src/a.ts', 'a')]);

  test('is read', () => {
    expect(parseRun(JSON.stringify(good), 'run.json')).toMatchObject({ ok: true, value: { kind: 'run' } });
    const error = { error: { kind: 'x', message: 'No git.', next: 'Install git.' } };
    expect(parseRun(JSON.stringify(error), 'run.json')).toMatchObject({ ok: true, value: { kind: 'error' } });
  });

  const first = good.findings[0];
  test.each([
    ['no JSON', 'x'],
    ['a key that is there twice', '{"status":"failed","status":"passed"}'],
    ['a missing field', JSON.stringify({ ...good, gates: undefined })],
    ['exit code 0 although a gate fails', JSON.stringify({ ...good, exit_code: 0, status: 'passed', findings: [] })],
    ['exit code 0 although a finding is open', JSON.stringify({ ...good, exit_code: 0, status: 'passed', gates: [] })],
    ['exit code 0 of a failed run', JSON.stringify({ ...good, exit_code: 0, gates: [], findings: [] })],
    ['a path outside', JSON.stringify({ ...good, findings: [{ ...first, file: '../x' }] })],
    ['a wrong fingerprint', JSON.stringify({ ...good, findings: [{ ...first, fingerprint: 'x --> y' }] })],
    ['a wrong id', JSON.stringify({ ...good, findings: [{ ...first, id: '@ann' }] })],
  ])('is refused: %s', (_title, text) => {
    expect(parseRun(text, 'run.json')).toMatchObject({ ok: false, failure: { kind: 'unusable-run' } });
  });
});

describe('the plan', () => {
  const commit = commitOf(1);
  const state = (differs: Partial<PullRequestState> = {}): PullRequestState => {
    const lists = { comments: [], threads: [], checks: [], files: FILES, hasAllFiles: true };
    return { pull: pullFacts(), head: commit, ...lists, ...differs };
  };
  const kinds = (facts: Parameters<typeof decidePublish>[0]) => decidePublish(facts).actions.map(({ kind }) => kind);
  const open = documentWith([findingOn('src/a.ts', 'const b = 2;')]);
  const [{ fingerprint = '' } = {}] = open.findings;

  test('with "quiet", a first result that passes gets checks only', () => {
    const options = publishOptions(documentWith([]), commit, { summary: 'quiet' });
    expect(new Set(kinds({ ...options, state: state() }))).toEqual(new Set(['create-check']));
  });

  test('a result of an older commit gets checks only', () => {
    const facts = { ...publishOptions(open, commit), state: state({ head: commitOf(2) }) };
    expect(decidePublish(facts).isOutdated).toBe(true);
    expect(new Set(kinds(facts))).toEqual(new Set(['create-check']));
  });

  const unverified = { kind: 'unverified', why: 'fork', edits: [], confirmation: '/onceover confirm x' } as const;

  test('a result that does not count never creates a check that counts as passed', () => {
    const standing = { subject: null, refusal: unverified, confirmedBy: null };
    const facts = { ...publishOptions(documentWith([]), commit, { standing }), state: state() };
    const conclusions = decidePublish(facts).actions.flatMap((action) =>
      action.kind === 'create-check' ? [action.check.conclusion] : [],
    );
    expect(conclusions).toEqual(['action_required', 'action_required']);
  });

  test.each<[string, Partial<RunDocument>, Partial<PullRequestState>, string[]]>([
    ['the whole change', {}, {}, ['success', 'success']],
    ['chosen files', { scope: 'files src/a.ts' }, {}, ['action_required', 'action_required']],
    ['uncommitted changes', { scope: 'uncommitted' }, {}, ['action_required', 'action_required']],
    ['one commit of a pull request', { scope: 'commit 1a' }, {}, ['action_required', 'action_required']],
    ['one commit without a pull request', { scope: 'commit 1a' }, { pull: null, head: null }, ['success', 'success']],
    ['another base', { scope: 'base v1' }, {}, ['action_required', 'action_required']],
    ['another base without a pull request', { scope: 'base v1' }, { pull: null, head: null }, ['success', 'success']],
  ])('a result of %s counts only as far as it goes', (_title, differs, now, expected) => {
    const { actions } = decidePublish({
      ...publishOptions({ ...documentWith([]), ...differs }, commit),
      state: state(now),
    });
    const checks = actions.flatMap((action) => (action.kind === 'create-check' ? [action.check] : []));
    expect(checks.map(({ conclusion }) => conclusion)).toEqual(expected);
    const bodies = actions.flatMap((action) => (action.kind === 'create-comment' ? [action.body] : []));
    const isPart = differs.scope !== undefined && now.head !== null;
    for (const body of bodies) expect(body.includes('**Only a part of the change was reviewed:**')).toBe(isPart);
  });

  const thread = (first: Partial<ForgeComment>, gate = GATE) => {
    const body = withMarker(
      { kind: 'thread', fingerprints: [fingerprint], isClosed: false, findings: [{ id: 'F1', gate, slot: 1 }] },
      '**F1 high**\n',
    );
    const by = { author: { name: 'onceover', isPerson: false }, isEdited: false };
    const comment = { id: '1', body, isOwn: true, isHidden: false, ...by, ...first };
    return { id: 't', isResolved: false, resolvedByUs: false, comments: [comment] };
  };

  test('only a marker of the account that publishes suppresses a finding', () => {
    const plan = (isOwn: boolean) =>
      kinds({ ...publishOptions(open, commit), state: state({ threads: [thread({ isOwn })] }) });
    expect(plan(false)).toContain('create-thread');
    expect(plan(true)).not.toContain('create-thread');
  });

  test.each([
    ['its gate passes', documentWith([]), true],
    ['its gate passes on a part of the change', { ...documentWith([]), scope: 'files src/b.ts' }, false],
    ['its gate did not run', documentWith([], { gateIds: ['review:docs:other'] }), false],
  ])(
    'a thread whose finding the run does not know is closed only if its gate passes: %s',
    (_title, document, closes) => {
      const facts = { ...publishOptions(document, commit), state: state({ threads: [thread({})] }) };
      expect(kinds(facts).includes('resolve')).toBe(closes);
    },
  );

  test('an error leaves all threads as they are', () => {
    const run = { kind: 'error', message: 'No git.', next: 'Install git.' } as const;
    const facts = { ...publishOptions(open, commit), run, state: state({ threads: [thread({})] }) };
    expect(kinds(facts)).toEqual(['create-check', 'create-comment']);
  });

  test('reviewers that report the same line share one thread and one row', () => {
    const findings = [
      findingOn('src/a.ts', 'const b = 2;'),
      findingOn('src/a.ts', 'const b = 2;', 'open', { id: 'F2', gate: 'rule:.:style' }),
      findingOn('src/a.ts', 'const c = 3;', 'open', { id: 'F3', line: 3 }),
    ];
    const { actions } = decidePublish({ ...publishOptions(documentWith(findings), commit), state: state() });
    const threads = actions.flatMap((action) =>
      action.kind === 'create-thread' ? [action.thread.fingerprints.length] : [],
    );
    expect(threads).toEqual([2, 1]);
    const summary = actions.find((action) => action.kind === 'create-comment');
    expect(summary?.kind === 'create-comment' ? summary.body : '').toContain('2 problems to fix');
  });

  test('the summary lists accepted passes, skipped reviewers and the report, in at most 30 lines', () => {
    const document = documentWith(
      Array.from({ length: 40 }, (_, n) =>
        findingOn('src/a.ts', `const x${n} = 1;`, 'open', { id: `F${n + 1}`, line: n + 1 }),
      ),
    );
    const acceptedPass = {
      by: ['ann@example.com', '@everyone'],
      at: '2026-03-02T12:00:00.000Z',
      agent: 'claude',
      model: null,
      session: 'new' as const,
      waived: 2,
    };
    const gates = Array.from({ length: 20 }, (_, n) => {
      const [first] = document.gates;
      const [slot] = first?.slots ?? [];
      if (first === undefined || slot === undefined) throw new Error('no gate');
      const skippedSlot = { ...slot, slot: 2, status: 'skipped_prior_pass', detail: 'passed in run 1' } as const;
      return { ...first, id: `review:src:gate${n}`, slots: [{ ...slot, accepted: acceptedPass }, skippedSlot] };
    });
    const options = publishOptions({ ...document, gates }, commit, { reportUrl: 'https://example.com/report' });
    const comment = decidePublish({ ...options, state: state() }).actions.find(
      (action) => action.kind === 'create-comment',
    );
    const body = comment?.kind === 'create-comment' ? comment.body : '';
    expect(body.trim().split('\n').length).toBeLessThanOrEqual(30);
    expect(body).toContain('- **Accepted pass:** reviewer 1 of `review:src:gate0`: `claude` in another clone, 2026');
    expect(body).toContain('signed by `ann@\u200bexample.com`, `@\u200beveryone`, with 2 waivers');
    expect(body).toContain('- **Skipped:** reviewer 2 (`codex`) of `review:src:gate0`: passed in run 1');
    expect(body).toContain('[full report](https://example.com/report)');
  });

  const summaryOf = (document: RunDocument, options: Parameters<typeof publishOptions>[2] = {}) => {
    const { actions } = decidePublish({ ...publishOptions(document, commit, options), state: state() });
    const comment = actions.find((action) => action.kind === 'create-comment');
    return comment?.kind === 'create-comment' ? comment.body : '';
  };

  test('the summary says why a finding does not block, and what a person has to decide', () => {
    const body = summaryOf(
      documentWith([
        findingOn('src/a.ts', 'const b = 2;', 'open', { flips: 3 }),
        findingOn('src/a.ts', 'const c = 3;', 'warning', { id: 'F2', seenBefore: 1, kept: 'warning', line: 3 }),
      ]),
    );
    expect(body).toContain(
      '- **Contested:** F1 was closed and reported again three times: `onceover resolve F1 --skip',
    );
    expect(body).toContain(
      '- **Warning:** F2 high `src/a.ts:3` does not block, because its lines are unchanged since an earlier review: ',
    );
  });

  test('a contested finding says in its thread that a person decides', () => {
    const document = documentWith([findingOn('src/a.ts', 'const b = 2;', 'open', { flips: 3 })]);
    const { actions } = decidePublish({ ...publishOptions(document, commit), state: state() });
    const bodies = actions.flatMap((action) => (action.kind === 'create-thread' ? [action.thread.body] : []));
    expect(bodies).toEqual([expect.stringContaining('**Contested:** the reviewer closed F1')]);
  });

  test('a finding on a part of the lines of a shared thread gets no suggestion for all of them', () => {
    const fix = '```\nconst fresh = 1;\n```';
    const wide = findingOn('src/a.ts', 'const a = 1;\nconst b = 2;', 'open', {
      priority: 'critical',
      line: 1,
      fix: null,
    });
    const narrow = findingOn('src/a.ts', 'const b = 2;', 'open', { id: 'F2', slot: 2, line: 2, fix });
    const { actions } = decidePublish({ ...publishOptions(documentWith([wide, narrow]), commit), state: state() });
    const threads = actions.flatMap((action) => (action.kind === 'create-thread' ? [action.thread] : []));
    expect(threads.map(({ fingerprints }) => fingerprints.length)).toEqual([2]);
    expect(threads[0]?.body).not.toContain('suggestion');
    expect(threads[0]?.body).toContain('const fresh = 1;');
  });

  test('the summary has at most 30 lines with every list, also for a fork and with a report', () => {
    const many = (state: FindingState, from: number, differs: object) =>
      Array.from({ length: 20 }, (_, n) =>
        findingOn('src/a.ts', `const x${from + n} = 1;`, state, { id: `F${from + n}`, line: from + n, ...differs }),
      );
    const document = documentWith([
      ...many('open', 1, { flips: 3 }),
      ...many('warning', 100, { seenBefore: 2, kept: 'warning' }),
      ...many('waived', 200, {}),
    ]);
    const [gate] = document.gates;
    const [slot] = gate?.slots ?? [];
    if (gate === undefined || slot === undefined) throw new Error('no gate');
    const pass = { at: '2026-03-02T12:00:00.000Z', agent: 'claude', model: null, session: 'new', waived: 0 } as const;
    const acceptedPass = { ...pass, by: ['ann@example.com'] };
    const gates = Array.from({ length: 20 }, (_, n) => ({
      ...gate,
      ...({ id: `review:src:gate${n}`, status: 'error', why: 'no-verdict' } as const),
      slots: [{ ...slot, accepted: acceptedPass }, { ...slot, slot: 2, status: 'skipped_prior_pass' } as const],
    }));
    const figures = { dispatches: 3, saved: { ...document.saved, pass: 5000 }, uncovered_files: ['a'] };
    const body = summaryOf(
      { ...document, ...figures, gates },
      { standing: { subject: null, refusal: unverified, confirmedBy: 'ann' }, reportUrl: 'https://example.com/r' },
    );
    expect(body.trim().split('\n').length).toBeLessThanOrEqual(30);
    for (const title of ['Gate', 'Contested', 'Warning', 'Skipped', 'Accepted pass']) {
      expect(body).toMatch(new RegExp(`- \\*\\*${title}:\\*\\* .* \\(and 1\\d more\\)`));
    }
    expect(body).toContain('more problems are not listed here.');
  });

  test('a marker is read only in the first line', () => {
    expect(markerOf(`x\n${withMarker({ kind: 'closed' }, '')}`)).toBeNull();
  });
});
