import type { SessionId } from '@onceover/base/kernel/ids';
import { jobOf, output, reviewOf, SELF, stepOf } from '@onceover/testing/workflow/samples.ts';
import { kindOf, type WorkflowWorld, workflowWorld } from '@onceover/testing/workflow/world.ts';
import { describe, expect, test } from 'vitest';
import { abortWorkflow } from '../../../src/workflows/do/finish-step.ts';

const notes = output('notes', { type: 'files' });
const STUDY = jobOf([
  stepOf('research', {
    outputs: { ...notes, ...output('index', { required: false }) },
    reviews: [reviewOf('notes'), reviewOf('step', { criteria: { Enough: 'Enough?' } })],
  }),
  stepOf('report', {
    inputs: [
      { file: 'notes', from_step: 'research' },
      { file: 'index', from_step: 'research' },
      { name: 'audience', description: 'For whom.' },
    ],
    outputs: output('report'),
    dependencies: ['research'],
    reviews: [reviewOf('report')],
  }),
  stepOf('publish', { outputs: {}, dependencies: ['report'] }),
]);
const NOTES = { notes: ['1.md', '2.md'] };

function study(): WorkflowWorld {
  const world = workflowWorld(STUDY);
  for (const path of ['1.md', '2.md', 'r.md', 'folder/x.md']) world.files.set(path, `first ${path}`);
  return world;
}

describe('an agent reviews', () => {
  test('finishes all steps to the end', async () => {
    const world = study();
    await world.start();
    const first = await world.finish(NOTES, { notes: ' Mind the gap. ' });
    expect(first).toMatchObject({
      ok: true,
      value: { kind: 'finished', step: { id: 'research' }, judged: 3, skipped: [] },
    });
    expect(world.asked).toEqual([
      { files: ['1.md'], criteria: ['Good'], notes: 'Mind the gap.' },
      { files: ['2.md'], criteria: ['Good'], notes: 'Mind the gap.' },
      { files: ['1.md', '2.md'], criteria: ['Enough'], notes: 'Mind the gap.' },
    ]);
    expect(world.progress).toEqual(['0/3', '1/3', '2/3', '3/3']);
    const openSteps = first.ok ? first.value.begun : [];
    expect(openSteps.map(({ step_id, inputs }) => [step_id, inputs])).toEqual([
      [
        'report',
        [
          { name: 'notes', description: null, from_step: 'research', paths: ['1.md', '2.md'] },
          { name: 'index', description: null, from_step: 'research', paths: [] },
          { name: 'audience', description: 'For whom.', from_step: null, paths: [] },
        ],
      ],
    ]);
    expect(await world.finish({ report: 'r.md' })).toMatchObject({
      ok: true,
      value: { begun: [{ step_id: 'publish' }] },
    });
    const last = await world.finish({});
    expect(last).toMatchObject({
      ok: true,
      value: { kind: 'finished', judged: 0, begun: [], session: { end: { kind: 'completed' } } },
    });
    const { steps } = await world.session();
    expect(steps.map(({ attempts, finished }) => [attempts, finished?.outputs, finished?.notes])).toEqual([
      [1, NOTES, 'Mind the gap.'],
      [1, { report: 'r.md' }, null],
      [0, {}, null],
    ]);
  });

  test('repeats failed reviews and skips unchanged passed ones', async () => {
    const world = study();
    await world.start();
    world.verdict = ({ files }) => (files.join() === '2.md' ? 'fail' : 'pass');
    const end = await world.finish(NOTES);
    expect(end).toMatchObject({
      ok: true,
      value: {
        kind: 'failed',
        judged: 3,
        step: { attempts: 1, failed: [{ review_run_each: 'notes', target_file: '2.md' }] },
      },
    });
    world.files.set('2.md', 'fixed');
    world.asked.length = 0;
    world.verdict = () => 'pass';
    const secondEnd = await world.finish(NOTES);
    expect(secondEnd).toMatchObject({
      ok: true,
      value: { kind: 'finished', judged: 2, skipped: [{ review_run_each: 'notes', target_file: '1.md' }] },
    });
    expect(world.asked.map(({ files }) => files)).toEqual([['2.md'], ['1.md', '2.md']]);
    expect((await world.session()).steps[0]?.attempts).toBe(2);
  });

  test('repeats a failed review even if nothing changed', async () => {
    const world = study();
    await world.start();
    world.verdict = ({ files }) => (files.length === 2 ? 'fail' : 'pass');
    await world.finish(NOTES);
    await world.finish(NOTES);
    expect(world.asked).toHaveLength(4);
    expect((await world.session()).steps[0]?.attempts).toBe(2);
  });

  test('repeats reviews with changed criteria', async () => {
    const world = study();
    await world.start();
    world.verdict = ({ files }) => (files.length === 2 ? 'fail' : 'pass');
    await world.finish(NOTES);
    const [research, ...laterSteps] = STUDY.steps;
    if (research === undefined) throw new Error('no step');
    world.job = jobOf([{ ...research, reviews: [reviewOf('notes', { guidance: 'Be kind.' })] }, ...laterSteps]);
    world.asked.length = 0;
    expect(kindOf(await world.finish(NOTES))).toBe('finished');
    expect(world.asked).toHaveLength(2);
  });

  test('counts no attempt and keeps the other verdicts if a reviewer crashes', async () => {
    const world = study();
    await world.start();
    world.verdict = ({ files }) => (files.join() === '1.md' ? 'crash' : 'pass');
    const end = await world.finish(NOTES);
    expect(end).toMatchObject({
      ok: false,
      failure: {
        kind: 'no-verdict',
        passed: 2,
        errors: [{ review_run_each: 'notes', target_file: '1.md', message: 'The reviewer crashed.' }],
      },
    });
    expect((await world.session()).steps[0]).toMatchObject({ attempts: 0, failed: [], finished: null });
    expect(kindOf(await world.finish(NOTES, { override: 'It crashed.' }))).toBe('override-refused');
    world.verdict = () => 'pass';
    world.asked.length = 0;
    expect(await world.finish(NOTES)).toMatchObject({ ok: true, value: { kind: 'finished', judged: 1 } });
    expect(world.asked).toHaveLength(1);
  });

  test('reports a crash and a failed review together, as one attempt', async () => {
    const world = study();
    await world.start();
    world.verdict = ({ files }) => (files.length === 2 ? 'fail' : files[0] === '1.md' ? 'crash' : 'pass');
    expect(await world.finish(NOTES)).toMatchObject({
      ok: true,
      value: {
        kind: 'failed',
        judged: 2,
        step: { attempts: 1, failed: [{ target_file: null }] },
        errors: [{ target_file: '1.md' }],
      },
    });
  });

  test('accounts for every verdict of 50 files with three reviews each, with fails and crashes', async () => {
    const reviews = ['Clear', 'Short', 'True'].map((name) => reviewOf('notes', { criteria: { [name]: 'Is it?' } }));
    const world = workflowWorld(jobOf([stepOf('a', { outputs: notes, reviews })]));
    const paths = Array.from({ length: 50 }, (_, n) => `${n}.md`);
    for (const path of paths) world.files.set(path, path);
    await world.start();
    const verdictOf = (n: number) => (n % 7 === 0 ? 'crash' : n % 5 === 0 ? 'fail' : 'pass');
    world.verdict = () => verdictOf(world.asked.length - 1);
    const verdicts = Array.from({ length: 150 }, (_, n) => verdictOf(n));
    const count = (verdict: string) => verdicts.filter((candidate) => candidate === verdict).length;
    const end = await world.finish({ notes: paths });
    expect(end).toMatchObject({
      ok: true,
      value: { kind: 'failed', judged: count('pass') + count('fail'), step: { attempts: 1 } },
    });
    if (!end.ok) return;
    expect([end.value.step.failed.length, end.value.errors.length]).toEqual([count('fail'), count('crash')]);
    expect(new Set((await world.session()).steps[0]?.passed).size).toBe(count('pass'));
    world.asked.length = 0;
    world.verdict = () => 'pass';
    const again = await world.finish({ notes: paths });
    expect(again).toMatchObject({ ok: true, value: { kind: 'finished', judged: count('fail') + count('crash') } });
    expect(world.asked).toHaveLength(count('fail') + count('crash'));
    expect(again.ok && again.value.skipped).toHaveLength(count('pass'));
  });

  test('does not pass files that change during their review', async () => {
    const world = study();
    await world.start();
    world.verdict = ({ files }) => {
      if (files.join() === '2.md') world.files.set('2.md', 'changed meanwhile');
      return 'pass';
    };
    expect(await world.finish(NOTES)).toMatchObject({
      ok: false,
      failure: { kind: 'outputs-changed', paths: ['2.md'] },
    });
    world.verdict = () => 'pass';
    world.asked.length = 0;
    expect(kindOf(await world.finish(NOTES))).toBe('finished');
    expect(world.asked.map(({ files }) => files)).toEqual([['2.md'], ['1.md', '2.md']]);
  });

  test('accepts and stores a reason after a failed review', async () => {
    const world = study();
    await world.start();
    expect(await world.finish(NOTES, { override: 'Trust me.' })).toMatchObject({
      ok: false,
      failure: { kind: 'override-refused', why: 'not-failed' },
    });
    expect(world.asked).toEqual([]);
    world.verdict = () => 'fail';
    await world.finish(NOTES);
    const callCount = world.asked.length;
    expect(await world.finish(NOTES, { override: 'It is a draft.' })).toMatchObject({
      ok: true,
      value: { kind: 'finished', step: { finished: { override: 'It is a draft.' } }, judged: 0 },
    });
    expect(world.asked).toHaveLength(callCount);
    expect((await world.session()).steps[0]).toMatchObject({
      attempts: 1,
      failed: [{}, {}, {}],
      finished: { override: 'It is a draft.' },
    });
  });

  test('keeps a newly named reviewer', async () => {
    const world = study();
    await world.start(SELF);
    world.verdict = () => 'fail';
    expect(kindOf(await world.finish(NOTES, { reviewer: 'two' }))).toBe('failed');
    expect((await world.session()).reviewer).toEqual({ kind: 'agent', name: 'two' });
    expect(kindOf(await world.finish(NOTES))).toBe('failed');
  });
});

describe('self-review', () => {
  test('gives instructions, then accepts a reason', async () => {
    const world = study();
    const id = await world.start(SELF);
    expect(kindOf(await world.finish(NOTES, { override: 'All pass.' }))).toBe('override-refused');
    const end = await world.finish(NOTES);
    expect(end).toMatchObject({
      ok: true,
      value: { kind: 'instructed', step: { instructed: { file: `.deepwork/tmp/quality_review_${id}_research.md` } } },
    });
    expect(world.sessions.instructions.get(`${id} research`)).toBe('2 reviews of 1.md, 2.md');
    world.files.set('1.md', 'fixed');
    const overrideEnd = await world.finish(NOTES, { override: 'All pass.' });
    expect(overrideEnd).toMatchObject({
      ok: true,
      value: { kind: 'finished', step: { finished: { override: 'All pass.' } }, judged: 0 },
    });
    expect((await world.session()).steps[0]).toMatchObject({ attempts: 1, finished: { override: 'All pass.' } });
    expect(world.asked).toEqual([]);
  });

  test('does not accept a reason after instructions for other outputs', async () => {
    const world = study();
    await world.start(SELF);
    await world.finish({ notes: ['1.md'] });
    expect(kindOf(await world.finish(NOTES, { override: 'All pass.' }))).toBe('override-refused');
    await world.finish(NOTES);
    expect(kindOf(await world.finish(NOTES, { override: 'All pass.' }))).toBe('finished');
  });

  test('finishes a step without reviews at once', async () => {
    const world = workflowWorld(jobOf([stepOf('a', { outputs: {} }), stepOf('b')]));
    world.files.set('b.md', 'b');
    await world.start(SELF);
    expect(kindOf(await world.finish({}))).toBe('finished');
    expect(kindOf(await world.finish({ out: 'b.md' }))).toBe('finished');
  });
});

describe('checks outputs before any review:', () => {
  test.each<[title: string, outputs: Record<string, string | string[]>, failure: object]>([
    ['an unknown name', { ...NOTES, nope: 'r.md' }, { kind: 'unknown-output', name: 'nope' }],
    ['a missing name', { index: 'r.md' }, { kind: 'missing-outputs', names: ['notes'] }],
    ['a list for a file', { ...NOTES, index: ['r.md'] }, { kind: 'wrong-output-type', name: 'index' }],
    ['no such file', { notes: ['1.md', 'gone.md'] }, { kind: 'unusable-output', path: 'gone.md', why: 'missing' }],
    ['a folder', { notes: ['folder'] }, { kind: 'unusable-output', path: 'folder', why: 'folder' }],
    ['a path out of the root', { notes: ['../x.md'] }, { kind: 'unusable-output', path: '../x.md', why: 'outside' }],
    ['an empty path', { notes: [''] }, { kind: 'unusable-output', path: '', why: 'missing' }],
  ])('%s', async (_, outputs, failure) => {
    const world = study();
    await world.start();
    const before = await world.session();
    expect(await world.finish(outputs)).toMatchObject({ ok: false, failure });
    expect(world.asked).toEqual([]);
    expect(await world.session()).toEqual(before);
  });

  test('two spellings of one path', async () => {
    const world = study();
    await world.start();
    expect(await world.finish({ notes: ['1.md', './1.md'] })).toMatchObject({
      ok: true,
      value: { judged: 2, session: { steps: [{ finished: { outputs: { notes: ['1.md'] } } }, {}, {}] } },
    });
  });
});

describe('sessions', () => {
  test('reject finishing a step twice', async () => {
    const world = study();
    await world.start();
    await world.finish(NOTES);
    expect(await world.finish(NOTES)).toMatchObject({
      ok: false,
      failure: { kind: 'step-finished', step: 'research', open: ['report'] },
    });
    await world.finish({ report: 'r.md' });
    await world.finish({});
    expect(kindOf(await world.finish({}))).toBe('no-active-session');
    expect(kindOf(await world.finish({}, { named: 's1' }))).toBe('session-ended');
  });

  test('can be active in parallel', async () => {
    const world = study();
    const [first, second] = [await world.start(), await world.start()];
    expect(await world.finish(NOTES)).toMatchObject({
      ok: false,
      failure: { kind: 'which-session', active: [{ id: second }, { id: first }] },
    });
    expect(await world.finish(NOTES, { own: first })).toMatchObject({ ok: true, value: { session: { id: first } } });
    expect(await world.finish(NOTES, { named: second })).toMatchObject({
      ok: true,
      value: { session: { id: second } },
    });
  });

  test('cannot continue if the steps of the workflow changed', async () => {
    const world = study();
    await world.start();
    world.job = jobOf(STUDY.steps.slice(0, 2));
    expect(kindOf(await world.finish(NOTES))).toBe('session-outdated');
    world.job = { ...STUDY, workflows: STUDY.workflows.map((workflow) => ({ ...workflow, name: 'else' })) };
    expect(kindOf(await world.finish(NOTES))).toBe('session-outdated');
    world.job = { ...STUDY, name: 'else' };
    expect(kindOf(await world.finish(NOTES))).toBe('unknown-job');
  });

  test('rename an unreadable one and report it; the others can continue', async () => {
    const world = study();
    const [bad, good] = [await world.start(), await world.start()];
    world.sessions.damage(bad);
    expect(await world.finish(NOTES, { named: good })).toMatchObject({ ok: true });
    expect(await world.finish({ report: 'r.md' })).toMatchObject({
      ok: false,
      failure: { kind: 'unreadable-session', id: bad, aside: `aside_${bad}.json` },
    });
    expect(kindOf(await world.finish({ report: 'r.md' }))).toBe('finished');
  });

  test('keep the explanation and the finished steps when aborted', async () => {
    const world = study();
    await world.start();
    await world.finish(NOTES);
    const abort = (namedId: string | null = null) =>
      abortWorkflow(world.ports, { named: namedId, own: null, explanation: 'No time.' });
    expect(await abort()).toMatchObject({ ok: true, value: { end: { kind: 'aborted', explanation: 'No time.' } } });
    expect((await world.session()).steps[0]?.finished?.outputs).toEqual(NOTES);
    expect(await abort()).toMatchObject({ ok: false, failure: { kind: 'no-active-session' } });
    expect(await abort('s1')).toMatchObject({ ok: false, failure: { kind: 'session-ended' } });
    expect(await abort('nope')).toMatchObject({ ok: false, failure: { kind: 'unknown-session' } });
  });

  test('do not continue if aborted during a review', async () => {
    const world = study();
    const id = await world.start();
    world.verdict = () => {
      void world.sessions.update(id as SessionId, (now) => ({
        ok: true,
        value: { ...now, end: { kind: 'aborted', at: 'now', explanation: 'Stop.' } },
      }));
      return 'pass';
    };
    expect(kindOf(await world.finish(NOTES))).toBe('session-ended');
    expect((await world.session()).end).toMatchObject({ kind: 'aborted' });
  });

  test('let one of two concurrent calls finish a step, and fail the other', async () => {
    const world = study();
    await world.start();
    const ends = await Promise.all([world.finish(NOTES), world.finish(NOTES)]);
    expect(ends.map(kindOf).toSorted()).toEqual(['finished', 'step-finished']);
    expect((await world.session()).steps[0]?.attempts).toBe(1);
  });

  test('finish two steps of a group concurrently and start the next step once', async () => {
    const steps = ['a', 'b', 'c'].map((id) => stepOf(id, { outputs: output(id), reviews: [reviewOf(id)] }));
    const world = workflowWorld(jobOf(steps, [['a', 'b'], ['c']]));
    for (const path of ['a.md', 'b.md']) world.files.set(path, path);
    await world.start();
    const ends = await Promise.all([world.finish({ a: 'a.md' }), world.finish({ b: 'b.md' })]);
    expect(ends.map(kindOf)).toEqual(['finished', 'finished']);
    const nextSteps = ends.flatMap((end) => (end.ok ? end.value.begun : []));
    expect(nextSteps.map(({ step_id }) => step_id)).toEqual(['c']);
    expect((await world.session()).steps.map(({ finished }) => finished?.outputs)).toEqual([
      { a: 'a.md' },
      { b: 'b.md' },
      undefined,
    ]);
  });
});
