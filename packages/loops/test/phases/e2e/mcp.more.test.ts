import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { connectMcp, type McpConnection, type ToolAnswer } from '@onceover/testing/mcp.ts';
import { APPROVED, type FeatureRepo, featureRepo, objects } from '@onceover/testing/phase/feature-repo.ts';
import { expect, test } from 'vitest';
import type { StartedPhaseDocument } from '../../../src/phases/json-schema.ts';

const VAGUE = objects('Requirement 3 names no time.', { location: 'spec.md:6', suggestion: 'Name it.' });

async function trusted(): Promise<FeatureRepo> {
  const repo = featureRepo();
  expect((await onceover(repo.root, ['trust'])).code).toBe(0);
  return repo;
}

/** The answer of part A of the test-deepener. */
const OUTLINE = { outlines: [] };

const documentOf = (answer: ToolAnswer) => {
  expect(answer.isError, answer.text).toBe(false);
  return answer.structured as StartedPhaseDocument;
};
const start = (client: McpConnection, options: object = {}) =>
  client.call('start_phase', { phase: 'specify', feature: 'docs/f', ...options });

test('start, fix, continue: approved', async () => {
  const repo = await trusted();
  repo.answers('two', { ...VAGUE, session_id: 's-1' }, APPROVED, APPROVED);
  const client = await connectMcp(repo.root);
  const schema = await client.outputSchema('start_phase');
  const first = await start(client);
  const { loop_id } = documentOf(first);
  expect(schema.parse(first.structured)).toMatchObject({
    state: 'waiting',
    error: null,
    phase: { waiting: true, status: 'needs_work', open_issues: [{ role: 'spec-reviewer', severity: 'blocker' }] },
  });
  expect(first.text).toContain(
    '  blocker  spec-reviewer, spec.md:6\n    Requirement 3 names no time.\n    Suggestion: Name it.',
  );
  expect(documentOf(first).next).toMatch(
    `then call continue_phase with loop_id "${loop_id}" and a summary of your changes`,
  );
  expect(first.text).toContain(documentOf(first).next);

  // Without a summary, and after a restart, it returns the same and calls no agent.
  expect(documentOf(await client.call('continue_phase', { loop_id }))).toMatchObject({ loop_id, state: 'waiting' });
  expect(documentOf(await start(client))).toMatchObject({ state: 'waiting' });
  expect(repo.calls()).toHaveLength(1);

  repo.write('docs/f/spec.md', '# Spec\n\nRequirement 3: within 2 seconds.\n');
  const last = await client.call('continue_phase', { loop_id, summary: 'Named the time.' });
  expect(documentOf(last)).toMatchObject({
    state: 'ended',
    phase: { status: 'approved', fixes: [{ by: 'caller' }] },
  });
  expect(last.text).toBe(
    'Approved: specify of docs/f (approved)\n\nThe phase is approved. There is nothing left to do.',
  );
  const answer = await client.call('continue_phase', { loop_id, summary: 'More.' });
  expect([answer.isError, answer.text]).toEqual([
    true,
    expect.stringContaining('The specify phase on docs/f is not waiting for a fix'),
  ]);
  expect(documentOf(await client.call('continue_phase', { loop_id }))).toMatchObject({ state: 'ended' });
  // With the name from its documents, too.
  const loopId = documentOf(last).phase?.loop_id;
  expect(documentOf(await client.call('continue_phase', { loop_id: loopId }))).toMatchObject({ loop_id });
});

/** Returns the fix that the caller makes in round `n`, and its summary. */
const fixOf = (repo: FeatureRepo, n: number) => {
  const text = readFileSync(join(repo.root, 'docs/f/spec.md'), 'utf8');
  repo.write('docs/f/spec.md', text.replace(`it does thing ${n} and`, `within ${n} seconds it does thing ${n} and`));
  return `Requirement ${n} names its time now.`;
};

test('later rounds resume the reviewer and send the changes and the summary, also from a restarted server [REUSE-R1.1/specify/spec-reviewer] [REUSE-I2/fix-summary-phase]', async () => {
  const repo = await trusted();
  const session = { session_id: 's-1' };
  repo.answers('two', { ...VAGUE, ...session }, { ...VAGUE, ...session }, { ...APPROVED, ...session }, APPROVED);
  const first = await connectMcp(repo.root);
  const { loop_id } = documentOf(await start(first));
  await first.call('continue_phase', { loop_id, summary: fixOf(repo, 3) });
  await first.close();
  const second = await connectMcp(repo.root);
  const end = documentOf(await second.call('continue_phase', { loop_id, summary: fixOf(repo, 7) }));
  expect(end).toMatchObject({ state: 'ended', phase: { status: 'approved' } });
  const calls = repo.calls('two');
  expect(calls.map(({ session }) => session)).toEqual([null, 's-1', 's-1', null]);
  const [opening = '', ...later] = calls.map(({ prompt }) => prompt);
  for (const [n, prompt] of later.slice(0, 2).entries()) {
    expect(prompt).toContain(`Requirement ${[3, 7][n]} names its time now.`);
    expect(prompt.length).toBeLessThan(opening.length / 4);
  }
});

test('keep_sessions: false stores no session; the new one gets the summary [REUSE-TD4/not-persisted]', async () => {
  const repo = await trusted();
  repo.answers('two', { ...VAGUE, session_id: 's-1' }, APPROVED, APPROVED);
  const client = await connectMcp(repo.root);
  const { loop_id } = documentOf(await start(client, { keep_sessions: false }));
  const folder = join(repo.root, '.git/onceover/phases');
  const texts = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(texts()).toEqual([expect.not.stringContaining('s-1')]);
  await client.call('continue_phase', { loop_id, summary: fixOf(repo, 3) });
  expect(repo.calls('two').map(({ session }) => session)).toEqual([null, null, null]);
  expect(repo.calls('two')[1]?.prompt).toContain('Requirement 3 names its time now.');
});

test('implement: final validation resumes the reviewers that had passed [REUSE-R1.9/resumes] [REUSE-R1.9/change-summary]', async () => {
  const repo = await trusted();
  const session = (n: number) => ({ session_id: `s-${n}` });
  // All three reviewers ask the same scripted agent, so the first answer may go to any of them.
  repo.answers(
    'two',
    ...[1, 2, 3].map((n) => ({ ...(n === 1 ? VAGUE : APPROVED), ...session(n) })),
    ...Array(4).fill(APPROVED),
  );
  repo.write('src/a.ts', `${'export const a = 1; // a line of code\n'.repeat(100)}`);
  const client = await connectMcp(repo.root);
  const { loop_id } = documentOf(await client.call('start_phase', { phase: 'implement', feature: 'docs/f' }));
  repo.write('src/b.ts', 'export const b = 2;\n');
  const end = documentOf(await client.call('continue_phase', { loop_id, summary: 'b is there now.' }));
  expect(end).toMatchObject({ state: 'ended', phase: { status: 'approved' } });
  const later = repo.calls('two').slice(3);
  expect(later).toHaveLength(4);
  expect(later.map(({ session }) => session).sort()).toEqual(['s-1', 's-1', 's-2', 's-3']);
  for (const { prompt } of later.slice(0, 1)) expect(prompt).toContain('b is there now.');
  for (const { session, prompt } of later.slice(1)) {
    expect(prompt).toContain('This is the final validation round');
    if (session !== 's-1') expect(prompt).toContain('b is there now.');
  }
});

test('accept_with_notes accepts the open issues of a loop at its limit, and nothing else', async () => {
  const repo = await trusted();
  repo.answers('two', ...Array(10).fill(VAGUE));
  const client = await connectMcp(repo.root);
  let document = documentOf(await start(client));
  const { loop_id } = document;
  const accept = () => client.call('continue_phase', { loop_id, accept_with_notes: true });
  const early = await accept();
  expect([early.isError, early.text]).toEqual([true, expect.stringContaining('there is nothing to accept')]);
  for (let n = 1; document.state === 'waiting'; n++) {
    document = documentOf(await client.call('continue_phase', { loop_id, summary: fixOf(repo, n) }));
  }
  expect(document).toMatchObject({ phase: { end: 'cap' }, next: expect.stringContaining('accept_with_notes: true') });
  const calls = repo.calls().length;
  expect(documentOf(await accept()).phase).toMatchObject({
    status: 'cap',
    end: 'accepted-with-notes',
    accepted_with_notes: true,
  });
  expect(repo.calls()).toHaveLength(calls);
});

test('fixer, simplify and deepen_tests: the named agent prepares the code and fixes it', async () => {
  const repo = await trusted();
  repo.write('src/a.ts', 'export const a = 2;\n');
  repo.answers('two', ...Array(3).fill(APPROVED));
  repo.answers('one', { summary: 'Simpler.' }, { ...OUTLINE, summary: 'Two gaps.' }, { summary: 'Tested.' });
  const client = await connectMcp(repo.root);
  const implement = { phase: 'implement', feature: 'docs/f', simplify: true, deepen_tests: true };
  const answer = await client.call('start_phase', implement);
  expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('name it as fixer')]);
  const end = documentOf(await client.call('start_phase', { ...implement, fixer: 'one' }));
  expect(end).toMatchObject({
    state: 'ended',
    phase: {
      status: 'approved',
      preparations: [{ role: 'code-simplifier' }, { role: 'test-deepener' }, { role: 'test-deepener' }],
    },
  });
});

test('a round outlives the client; a summary in the middle of it is refused', async () => {
  const repo = await trusted();
  repo.answers('two', { ...VAGUE, $sleep: 1500 });
  const first = await connectMcp(repo.root);
  const answer = await start(first, { wait_seconds: 0 });
  const { loop_id } = documentOf(answer);
  expect(answer.structured).toMatchObject({ state: 'running', phase: null });
  expect(answer.text).toContain(`Loop ${loop_id}: the round is running.\n\n`);
  const early = await first.call('continue_phase', { loop_id, summary: 'Did it.' });
  expect([early.isError, early.text]).toEqual([true, expect.stringContaining('in the middle of a round')]);
  await first.close();
  const second = await connectMcp(repo.root);
  const end = documentOf(await second.call('continue_phase', { loop_id }));
  expect(end).toMatchObject({ loop_id, state: 'waiting', phase: { open_issues: [{}] } });
  expect(end.progress.join('\n')).toContain('spec-reviewer: NEEDS WORK');
});

test('runs a killed round and one without a verdict again', async () => {
  const repo = await trusted();
  repo.answers('two', { ...APPROVED, $sleep: 20_000 }, { $exit: 1, $raw: '' }, APPROVED, APPROVED);
  repo.answers('one', { $exit: 1, $raw: '' });
  const client = await connectMcp(repo.root);
  const { loop_id } = documentOf(await start(client, { wait_seconds: 0 }));
  while (repo.calls().length === 0) await client.call('continue_phase', { loop_id, wait_seconds: 0.1 });
  const folder = join(repo.root, '.git/onceover');
  const { round } = JSON.parse(readFileSync(join(folder, `started-phases/${loop_id}.json`), 'utf8')) as {
    round: string;
  };
  const { pid } = JSON.parse(readFileSync(join(folder, `phase-rounds/${round}.json`), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  const answer = await client.call('continue_phase', { loop_id });
  expect(documentOf(answer)).toMatchObject({ state: 'ended', phase: { status: 'error', end: 'reviewer-failed' } });
  expect(answer.text).toMatch(
    /^Could not judge: specify of docs\/f \(reviewer-failed\)\n\nspec-reviewer gave no verdict: /,
  );
  expect(documentOf(await client.call('continue_phase', { loop_id }))).toMatchObject({
    state: 'ended',
    phase: { status: 'approved' },
  });
});

test('the same summary runs a round without a verdict again', async () => {
  const repo = await trusted();
  repo.answers('two', VAGUE, { $exit: 1, $raw: '' }, APPROVED, APPROVED);
  repo.answers('one', { $exit: 1, $raw: '' });
  const client = await connectMcp(repo.root);
  const { loop_id } = documentOf(await start(client));
  const sendFix = (summary: string) => client.call('continue_phase', { loop_id, summary });
  expect(documentOf(await sendFix('Named it.'))).toMatchObject({ phase: { end: 'reviewer-failed' } });
  const answer = await sendFix('And more.');
  expect([answer.isError, answer.text]).toEqual([
    true,
    expect.stringContaining('cannot accept a summary of a fix yet'),
  ]);
  expect(documentOf(await sendFix('Named it.'))).toMatchObject({ phase: { status: 'approved' } });
});

test('errors name the cause and the next step', async () => {
  const repo = await trusted();
  repo.git('rm', '-q', '--cached', 'docs/f/design.md');
  repo.write('docs/f/design.md', '');
  const client = await connectMcp(repo.root);
  const refusal = await client.call('start_phase', { phase: 'design', feature: 'docs/f' });
  const { loop_id, state, error } = refusal.structured as StartedPhaseDocument;
  expect([refusal.isError, state, error?.kind]).toEqual([true, 'died', 'unusable-artifact']);
  expect(refusal.text).toMatch(
    /^The round could not run\.\n"onceover phase design" reviews docs\/f\/design\.md .*, which is empty\./,
  );
  repo.write('docs/f/design.md', '# Design\n\nA way.\n');
  repo.answers('two', APPROVED, APPROVED);
  expect(documentOf(await client.call('continue_phase', { loop_id }))).toMatchObject({ state: 'ended' });
});

test('an unknown loop is refused with a message', async () => {
  const client = await connectMcp((await trusted()).root);
  for (const loop_id of ['phase-000000000-000000', 'loop-x', '', '../../trusted', 'phase-1-../x']) {
    const { isError, text } = await client.call('continue_phase', { loop_id });
    expect.soft([isError, text]).toEqual([true, `There is no loop "${loop_id}".\nStart a loop with start_phase.`]);
  }
});

test('invalid input is refused', async () => {
  const client = await connectMcp((await trusted()).root);
  expect((await start(client, { phase: 'spec' })).isError).toBe(true);
  expect((await start(client, { feature: '' })).isError).toBe(true);
  expect((await start(client, { wait_seconds: 601 })).isError).toBe(true);
  expect((await client.call('continue_phase', { loop_id: 'x', summary: '  ' })).isError).toBe(true);
});

test('does not start commands that are not approved', async () => {
  const repo = featureRepo();
  const refusal = await start(await connectMcp(repo.root));
  expect([refusal.isError, refusal.text]).toEqual([
    true,
    expect.stringContaining('commands that are not approved in this clone'),
  ]);
  expect(repo.calls()).toEqual([]);
});
