import type { RepoPath } from '@onceover/base/kernel/ids';
import { ok } from '@onceover/base/kernel/result';
import type { Settings } from '@onceover/repo/config/settings';
import { memoryChecks } from '@onceover/testing/memory/checks.ts';
import { memoryContents } from '@onceover/testing/memory/contents.ts';
import { memoryCoolings } from '@onceover/testing/memory/coolings.ts';
import { memoryFindings } from '@onceover/testing/memory/findings.ts';
import { memoryClone, memoryWorktree } from '@onceover/testing/memory/git.ts';
import { memoryLedger } from '@onceover/testing/memory/ledger.ts';
import { memoryOpenings } from '@onceover/testing/memory/openings.ts';
import { memoryPasses } from '@onceover/testing/memory/passes.ts';
import { memoryProof } from '@onceover/testing/memory/proof.ts';
import { memoryReceipts } from '@onceover/testing/memory/receipts.ts';
import { memoryRecords } from '@onceover/testing/memory/records.ts';
import { answers, fails, memoryReviewers, type ScriptedAgent } from '@onceover/testing/memory/reviewers.ts';
import { memorySnapshots } from '@onceover/testing/memory/snapshots.ts';
import { rubricsOf, settingsOf } from '@onceover/testing/run-model/setup.ts';
import { SETUP } from '@onceover/testing/run-model/setup-sample.ts';
import { waiver } from '@onceover/testing/run-samples.ts';
import type { Event } from '@onceover/web/progress/state';
import { describe, expect, test } from 'vitest';
import type { LoopOutcome } from '../../src/fix-loop/decide-end.ts';
import { loopDocument } from '../../src/fix-loop/describe.ts';
import { untilPass } from '../../src/fix-loop/until-pass.ts';
import type { RunPorts, RunRequest } from '../../src/run/ports.ts';

const A = 'src/a.ts' as RepoPath;
const PASS = { status: 'pass', violations: [] };
const objects = (code: string) => ({
  status: 'fail',
  violations: [{ file: A, line: 1, code, issue: `not ${code}`, priority: 'high' }],
});

/** The reviewer's answers, one per run, and the fixer's edits, one per turn. */
type Script = {
  readonly reviews: readonly (object | ((world: World) => object))[];
  readonly fixes: readonly ((world: World) => object | ReturnType<typeof fails>)[];
  readonly wish?: Partial<Parameters<typeof untilPass>[2]>;
  readonly settings?: Partial<Settings>;
  readonly fixer?: Partial<ScriptedAgent>;
};

type World = ReturnType<typeof openWorld>;

function openWorld() {
  const clone = memoryClone({ [A]: 'one\n' });
  const first = clone.branches.get('main');
  if (first === undefined) throw new Error('no commit');
  const git = memoryWorktree(clone, 'work', first);
  git.write(A, 'bad\n');
  const stop = new AbortController();
  return { clone, git, stop, findings: memoryFindings(), records: memoryRecords(), ledger: memoryLedger() };
}

async function play(script: Script) {
  const world = openWorld();
  const { git, clone } = world;
  const events: Event[] = [];
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const reviewers = memoryReviewers(
    {
      ann: {
        answer(_, n) {
          const said = script.reviews[n - 1] ?? PASS;
          return answers(typeof said === 'function' ? said(world) : said);
        },
      },
      fay: {
        answer(_, n) {
          const said = script.fixes[n - 1]?.(world) ?? { summary: 'nothing' };
          return 'ok' in said ? (said as ReturnType<typeof fails>) : answers(said);
        },
        ...script.fixer,
      },
    },
    ['ann'],
  );
  const ports: RunPorts = {
    snapshots: memorySnapshots(clone, git),
    records: world.records,
    receipts: memoryReceipts(),
    findings: world.findings,
    sessionPrompts: memoryOpenings(),
    cooldowns: memoryCoolings(),
    passes: memoryPasses(),
    ledger: world.ledger,
    contents: () => memoryContents(Object.fromEntries([...git.now().files].map(([path, { text }]) => [path, text]))),
    references: () => memoryContents({}),
    checks: memoryChecks({ 'npm run lint': { exitCode: 0, output: '' } }),
    clock: { now: () => new Date(time++) },
    reporter: { tell: (event) => void events.push(event) },
    reviewers: async () => reviewers,
  };
  const request: RunRequest = {
    root: '/memory',
    settings: { ...settingsOf(SETUP), ...script.settings },
    rules: [],
    rubrics: rubricsOf(SETUP),
    selection: { kind: 'change', base: null },
    gates: [],
    paths: [],
    force: false,
    fresh: false,
    all: false,
    pullRequest: null,
    startedBy: 'person',
    stop: world.stop.signal,
  };
  const wish: Parameters<typeof untilPass>[2] = {
    fixer: 'fay',
    mostIterations: null,
    ratchet: false,
    proof: memoryProof(),
    isSameConfig: async () => true,
    visibility: async () => ok({ settings: '', unseen: new Map() }),
    ...script.wish,
  };
  const ended = await untilPass(ports, request, wish);
  return { ended, events, world, asked: reviewers.asked };
}

async function looped(script: Script): Promise<LoopOutcome & Awaited<ReturnType<typeof play>>> {
  const played = await play(script);
  if (!played.ended.ok) throw new Error(JSON.stringify(played.ended.failure));
  return { ...played.ended.value, ...played };
}

const writes =
  (text: string, said: object = { summary: `wrote ${text}` }) =>
  ({ git }: World) => {
    git.write(A, `${text}\n`);
    return said;
  };
const says = (id: string, state: string, why = 'so it is') => ({ summary: '', dispositions: [{ id, state, why }] });

describe('a loop', () => {
  test('reviews, lets the fixer fix, and reviews again', async () => {
    const { end, rounds, run, asked, events } = await looped({
      reviews: [objects('bad')],
      fixes: [writes('good', says('F1', 'fixed'))],
    });
    expect([end, run.exitCode, loopDocument({ end, rounds }).rounds.map(({ open }) => open)]).toEqual([
      'passed',
      0,
      [['F1'], []],
    ]);
    expect(asked.map(({ agent, writes: may }) => [agent, may === true])).toEqual([
      ['ann', false],
      ['fay', true],
      ['ann', false],
    ]);
    expect(run.dispatches).toBe(3);
    expect(events.flatMap(({ kind }) => (kind.startsWith('fix') ? [kind] : []))).toEqual([
      'fix-started',
      'fix-active',
      'fix-ended',
    ]);
  });

  test('resumes the fixer with the open problems', async () => {
    const { asked } = await looped({
      reviews: [objects('bad'), objects('worse')],
      fixes: [writes('worse'), writes('good')],
    });
    const turns = asked.filter(({ agent }) => agent === 'fay');
    expect(turns.map(({ sessionId }) => sessionId)).toEqual([null, 'fay-1']);
    expect(new Set(turns.map(({ stable }) => stable)).size).toBe(1);
    expect(turns[1]?.dynamic).toContain('id: F2');
  });

  test('keeps a log and the cost of each turn', async () => {
    const { world } = await looped({ reviews: [objects('bad')], fixes: [writes('good')] });
    const [log, ...others] = await world.records.fixLogs();
    expect([log?.agent, log?.iteration, others]).toEqual(['fay', 1, []]);
    expect(log?.log).toMatch(/^Fix 1: fay, after iteration 1\nAsked about: F1\n---/);
    const entries = await world.ledger.all();
    expect(entries.ok && entries.value.entries.map(({ kind }) => kind)).toEqual(['run', 'fix', 'run']);
  });

  test('a declined finding stays open, and reviewer and fixer see the objection', async () => {
    const { world, asked, end } = await looped({
      reviews: [objects('bad'), objects('bad')],
      fixes: [() => says('F1', 'declined', 'it is meant so')],
    });
    expect(end).toBe('stalled');
    expect(await world.findings.all()).toMatchObject({
      value: [{ resolution: { how: 'proposed', by: { kind: 'agent', name: 'fay' } } }],
    });
    expect(asked[2]?.dynamic).toContain('disputed by the author, who may be wrong: it is meant so');
  });

  test('the last claim on a finding counts, and a long reason is cut', async () => {
    const dispositions = [
      { id: 'F1', state: 'declined', why: 'no' },
      { id: 'f1 ', state: 'fixed', why: 'y'.repeat(9000) },
    ];
    const { rounds, world, asked } = await looped({
      reviews: [objects('bad'), objects('bad')],
      fixes: [writes('bad\n// x', { summary: '', dispositions })],
      wish: { mostIterations: 2 },
    });
    expect(rounds[0]?.fix).toMatchObject({ fixed: ['F1'], declined: [] });
    expect(/claimed to be fixed: (y+)/.exec(asked[2]?.dynamic ?? '')?.[1]).toHaveLength(2000);
    const all = await world.findings.all();
    expect(all.ok && all.value[0]?.resolution?.how).toBe('refuted');
  });
});

test('an aborted review is in the ledger and in the cost, and nothing else is kept of it', async () => {
  const { world, run, end } = await looped({
    reviews: [
      ({ stop }) => {
        stop.abort();
        return PASS;
      },
    ],
    fixes: [],
  });
  const kept = await world.ledger.all();
  const [entry] = kept.ok ? kept.value.entries : [];
  expect(end).toBe('interrupted');
  expect(entry).toMatchObject({
    kind: 'run',
    slots: [{ agent: 'ann', status: 'error', asks: 1, usage: { outputTokens: 3 } }],
  });
  expect(run.usage).toEqual(entry?.kind === 'run' ? entry.slots[0]?.usage : null);
  expect(run.findings).toEqual([]);
});

test("a waiver written during a review is not overwritten by the reviewer's answer to a claim", async () => {
  const { world, end } = await looped({
    reviews: [
      objects('bad'),
      ({ findings }) => {
        void findings.resolve('F1', waiver());
        return objects('bad');
      },
    ],
    fixes: [writes('bad\n// x', says('F1', 'fixed'))],
    wish: { mostIterations: 2 },
  });
  expect([end, await world.findings.all()]).toMatchObject(['max-iterations', { value: [{ resolution: waiver() }] }]);
});

describe('the proof files', () => {
  test('are restored after each turn, before anything is read, and a notice says so', async () => {
    const heard: string[] = [];
    const proof = memoryProof((what) => {
      heard.push(what);
      return what === 'noted' ? [] : ['receipts/x.json'];
    });
    const { run, ended, events } = await looped({
      reviews: [objects('bad')],
      fixes: [
        (world) => {
          heard.push('fixed');
          return writes('good')(world);
        },
      ],
      wish: { proof },
    });
    expect(heard).toEqual(['noted', 'fixed', 'taken back']);
    expect(events.some(({ kind }) => kind === 'fix-ended')).toBe(true);
    expect(ended.ok && ended.value.run.notices).toContainEqual({
      kind: 'proof-taken-back',
      paths: ['receipts/x.json'],
    });
    expect(run.exitCode).toBe(0);
  });

  test('are restored if the fixer fails, too', async () => {
    const heard: string[] = [];
    const proof = memoryProof((what) => {
      heard.push(what);
      return [];
    });
    await looped({
      reviews: [objects('bad')],
      fixes: [() => fails({ kind: 'agent-error', said: 'down' })],
      wish: { proof },
    });
    expect(heard).toEqual(['noted', 'taken back']);
  });
});

describe('it ends', () => {
  test.each<[string, Script]>([
    ['passed', { reviews: [], fixes: [] }],
    ['stalled', { reviews: [objects('bad'), objects('bad')], fixes: [] }],
    ['max-iterations', { reviews: [objects('bad')], fixes: [], wish: { mostIterations: 1 } }],
    [
      'oscillating',
      { reviews: [objects('bad'), objects('worse'), objects('bad')], fixes: [writes('worse'), writes('bad')] },
    ],
    ['budget', { reviews: [objects('bad')], fixes: [writes('x')], settings: { budget: { usd: null, dispatches: 1 } } }],
    ['budget', { reviews: [objects('bad')], fixes: [writes('x')], settings: { budget: { usd: null, dispatches: 2 } } }],
    ['fixer-failed', { reviews: [objects('bad')], fixes: [() => fails({ kind: 'agent-error', said: 'down' })] }],
    ['gate-changed', { reviews: [objects('bad')], fixes: [writes('x')], wish: { isSameConfig: async () => false } }],
    ['nothing-left', { reviews: [objects('bad')], fixes: [writes('one')] }],
    [
      'interrupted',
      {
        reviews: [objects('bad')],
        fixes: [
          ({ stop }) => {
            stop.abort();
            return { summary: '' };
          },
        ],
      },
    ],
    [
      'gate-changed',
      {
        reviews: [objects('bad')],
        fixes: [
          ({ git }) => {
            git.write(A, 'x\n');
            git.switchTo('other');
            return { summary: '' };
          },
        ],
      },
    ],
    [
      'gate-changed',
      {
        reviews: [objects('bad')],
        fixes: [
          ({ git, clone }) => {
            git.write(A, 'x\n');
            git.commit();
            clone.setBranch('main', git.now().commit);
            return { summary: '' };
          },
        ],
      },
    ],
  ])('%s', async (expected, script) => {
    const { end, run } = await looped(script);
    expect(end).toBe(expected);
    expect(run.exitCode === 0).toBe(expected === 'passed');
  });

  test('and reports the changed files, even if the fixer failed', async () => {
    const { rounds } = await looped({
      reviews: [objects('bad')],
      fixes: [
        ({ git }) => {
          git.write(A, 'half\n');
          return fails({ kind: 'agent-error', said: 'down' });
        },
      ],
    });
    expect(rounds[0]?.fix).toMatchObject({ filesChanged: 1, failure: { kind: 'agent-error' } });
  });
});

describe('an agent that cannot be a fixer', () => {
  test('an unknown agent', async () => {
    const { ended, asked } = await play({ reviews: [], fixes: [], wish: { fixer: 'nobody' } });
    expect(ended).toEqual({ ok: false, failure: { kind: 'unknown-agent', name: 'nobody', known: ['ann', 'fay'] } });
    expect(asked).toEqual([]);
  });

  test('an agent that can write outside the working tree', async () => {
    const { ended } = await play({ reviews: [], fixes: [], fixer: { canFix: false } });
    expect(ended).toEqual({ ok: false, failure: { kind: 'cannot-fix', name: 'fay', able: ['ann'] } });
  });
});
