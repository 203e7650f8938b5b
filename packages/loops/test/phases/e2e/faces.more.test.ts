import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorDocumentSchema } from '@onceover/onceover/src/cli/error-schema.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { APPROVED, featureRepo, fixes, objects } from '@onceover/testing/phase/feature-repo.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { startOnceover, told, toldInJson } from '@onceover/testing/told.ts';
import { describe, expect, test } from 'vitest';
import { phasePlanSchema, phaseSchema } from '../../../src/phases/json-schema.ts';

const VAGUE = objects('Requirement 3 names no time.', { location: 'spec.md:6', suggestion: 'Name it.' });

describe('output for people', () => {
  test('shows rounds, fixes and result after a fix and two approvals', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, APPROVED, APPROVED);
    repo.answers('one', fixes('Requirement 3: within 2 seconds.'));
    const { code, stdout, stderr } = await repo.phase(['specify', '--fixer', 'one']);
    expect(code, stderr).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/\d+\.\dk|\b\d{3}\b/g, 'N'));
    expect(lines.slice(0, 9)).toEqual([
      'specify of docs/f',
      '',
      'Iteration 1 of 5',
      '  spec-reviewer: 1 blocker (two, new session, prompt of N characters, did not confirm that it read the documents)',
      '  implementer: Now it says: Requirement 3: within 2 seconds. (one, new session, prompt of N characters, did not confirm that it read the documents)',
      'Iteration 2 of 5',
      expect.stringMatching(/^ {2}spec-reviewer: approved \(two, (new|resumed) session.*, prompt of N characters.*\)$/),
      'Iteration 1 of 5',
      expect.stringMatching(/^ {2}phase-reviewer: approved \(two, new session, prompt of N characters.*\)$/),
    ]);
    expect(stdout).toContain(
      '\nApproved: docs/f/spec.md, by spec-reviewer and phase-reviewer, after 1 fix. (exit code 0)\nPaid: 4 calls.\n',
    );
    expect(stderr).toMatch(
      /^Iteration 1 of 5 \(specify\): spec-reviewer\nspec-reviewer: calling two \(new session\)\nspec-reviewer: NEEDS WORK, 1 blocker, /,
    );
    expect(stderr).toMatch(
      /\nCommitted 1 file: onceover: specify review iteration 1 \(spec-reviewer, loop-\w+-\w+\)\n/,
    );
  });

  test('shows the open issues and the next step without a fixer', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE);
    const { code, stdout } = await repo.phase(['specify']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '\nOpen: 1 blocker\n  blocker  spec-reviewer, spec.md:6\n    Requirement 3 names no time.\n    Suggestion: Name it.\n',
    );
    expect(stdout).toContain('Not approved: 1 issue is open, and there is no fixer. (exit code 1)');
    expect(stdout).toContain('onceover phase specify docs/f\nAdd --fixer AGENT to let an agent fix them');
  });

  test('at the cap: not approved; with --accept-with-notes: accepted, never called approved', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, VAGUE);
    const capEnd = await repo.phase(['specify', '--max-iterations', '1']);
    expect(capEnd.code, capEnd.stdout).toBe(1);
    expect(capEnd.stdout).toContain('Not approved: 2 issues are open after 1 iteration, the maximum per loop.');
    const acceptEnd = await repo.phase(['specify', '--accept-with-notes']);
    expect(acceptEnd.code, acceptEnd.stdout).toBe(0);
    expect(acceptEnd.stdout).toContain('Accepted with notes, not approved: ');
    expect(acceptEnd.stdout).not.toMatch(/^Approved/m);
    expect(repo.calls()).toHaveLength(2);
    const document = await repo.phaseDocument(['specify', '--accept-with-notes']);
    expect(document.status).not.toBe('approved');
  });

  test('no verdict: names the reviewer and the reason, exit code 3, no approval', async () => {
    const repo = featureRepo();
    repo.answers('two', { $exit: 1, $raw: '' });
    repo.answers('one', { $exit: 1, $raw: '' });
    const { code, stdout } = await repo.phase(['specify']);
    expect(code, stdout).toBe(3);
    expect(stdout).toMatch(/\n {2}spec-reviewer: no verdict, failed: .*\(\w+, /);
    expect(stdout).toMatch(/\nCould not judge: spec-reviewer gave no verdict, .* \(exit code 3\)\n/);
    expect(stdout).not.toMatch(/approved/i);
  });

  test('Ctrl-C: exit code 130, the progress so far, and the command to continue', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, { ...APPROVED, $sleep: 20_000 });
    repo.answers('one', fixes('Requirement 3: within 2 seconds.'));
    const command = startOnceover(repo.root, ['phase', 'specify', 'docs/f', '--fixer', 'one']);
    await command.said('Iteration 2 of 5');
    while (repo.calls('two').length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    command.child.kill('SIGINT');
    const end = await command.ended;
    expect(end.code).toBe(130);
    expect(end.stdout).toBe('');
    expect(end.stderr).toMatch(/\nonceover: Interrupted: onceover stopped the phase\.\n\nspecify of docs\/f\n/);
    expect(end.stderr).toMatch(
      /\n {2}implementer: Now it says: .*\n.*\n {2}spec-reviewer: no verdict, was interrupted \(/,
    );
    expect(end.stderr).toContain('\nNothing was approved.\n');
    expect(end.stderr).toContain(
      '\nTo start again with the current files: onceover phase specify docs/f --fixer one\n',
    );
  });
});

describe('output for programs', () => {
  test('one document that matches its schema; lines for people only on stderr', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, APPROVED, APPROVED);
    repo.answers('one', fixes('Requirement 3: within 2 seconds.'));
    const { stdout, stderr } = await repo.phase(['specify', '--fixer', 'one', '--json']);
    const document = phaseSchema.strict().parse(JSON.parse(stdout));
    expect(document).toMatchObject({
      phase: 'specify',
      feature: 'docs/f',
      status: 'approved',
      end: 'approved',
      waiting: false,
      exit_code: 0,
      open_issues: [],
      loops: [
        {
          role: 'spec-reviewer',
          iterations: [
            { n: 1, dispatch: 'fresh', why: 'first-look', reviewer_approved: false, engine_pass: false },
            { n: 2, reviewer_approved: true, engine_pass: true, issues: [] },
          ],
        },
        { role: 'phase-reviewer', iterations: [{ n: 1, round: 3, engine_pass: true }] },
      ],
      fixes: [{ by: 'fixer', agent: 'one', n: 1 }],
    });
    expect(stderr).toContain('Iteration 1 of 5 (specify)');
  });

  test('interrupted: the error and the progress so far', async () => {
    const repo = featureRepo();
    repo.answers('two', { ...APPROVED, $sleep: 20_000 });
    const command = startOnceover(repo.root, ['phase', 'specify', 'docs/f', '--json']);
    while (repo.calls('two').length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    command.child.kill('SIGINT');
    const end = await command.ended;
    expect(end.code).toBe(130);
    const { error, so_far } = errorDocumentSchema.strict().parse(JSON.parse(end.stdout));
    expect(error.kind).toBe('interrupted');
    expect(so_far).toMatchObject({ status: 'error', end: 'interrupted', exit_code: 3 });
  });

  test('--dry-run calls no agent and writes nothing', async () => {
    const repo = featureRepo();
    const before = repo.git('status', '--porcelain', '--ignored');
    const end = await repo.phase(['specify', '--dry-run', '--json']);
    expect(end.code, end.stderr).toBe(0);
    expect(phasePlanSchema.strict().parse(JSON.parse(end.stdout))).toMatchObject({
      phase: 'specify',
      artifact: 'docs/f/spec.md',
      fixing: { by: 'nobody', agent: null },
      goes_on: null,
      dispatches: [{ role: 'spec-reviewer', agent: 'two', dispatch: 'fresh', why: 'first-look' }],
    });
    const { stdout } = await repo.phase(['implement', '--dry-run', '--fixer', 'one', '--simplify']);
    expect(stdout).toContain('No agent was called and nothing was written (--dry-run).');
    expect(repo.git('status', '--porcelain', '--ignored')).toBe(before);
    expect(repo.calls()).toEqual([]);
    expect(existsSync(join(repo.root, 'docs/f/.meta.json'))).toBe(false);
  });
});

describe('step by step', () => {
  test('open issues, a fix, its summary as an argument and from standard input, the end', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, objects('Requirement 4 too.'), APPROVED, APPROVED);
    const first = await repo.phase(['specify', '--step']);
    expect(first.code, first.stderr).toBe(1);
    expect(first.stdout).toContain(
      'Waiting: 1 issue is open. (exit code 1)\nNext: fix it, then run: onceover phase specify docs/f --step --summary "what you did"',
    );
    const again = await repo.phaseDocument(['specify', '--step']);
    expect(again).toMatchObject({ code: 1, waiting: true, status: 'needs_work', end: null });
    expect(repo.calls()).toHaveLength(1);

    repo.write('docs/f/spec.md', '# Spec\n\nRequirement 3: within 2 seconds.\n');
    const second = await repo.phaseDocument(['specify', '--step', '--summary', 'Named the time.']);
    expect(second).toMatchObject({ waiting: true, fixes: [{ by: 'caller', summary: 'Named the time.' }] });
    expect(second.loop_id).toBe(again.loop_id);
    repo.write('docs/f/spec.md', '# Spec\n\nRequirement 3: within 2 seconds.\nRequirement 4: within 3.\n');
    const last = await repo.phaseDocument(['specify', '--step', '--summary', '-'], { input: 'And the other.\n' });
    expect(last).toMatchObject({ code: 0, status: 'approved', waiting: false, fixes: [{}, { by: 'caller' }] });
    expect(readFileSync(join(repo.root, 'docs/f/.review-history.md'), 'utf8')).toContain('And the other.');
  });

  test('refuses a summary if no loop waits', async () => {
    const end = await featureRepo().phase(['specify', '--step', '--summary', 'Did it.', '--json']);
    const error = toldInJson(end, 2);
    expect(error.kind).toBe('no-waiting-loop');
    expect(error.next).toBe('Start the phase with start_phase ("onceover phase specify docs/f --step").');
  });
});

describe('wrong usage: exit code 2 and a message', () => {
  const FIVE = 'specify, design, create-plan, create-tasks, implement';

  test.each<[readonly string[], string]>([
    [[], `Name a phase: ${FIVE}.`],
    [['spec', 'docs/f'], `"spec" is not a phase.\nUse one of these phases: ${FIVE}.`],
    [['design'], 'Name the folder of the feature: onceover phase design FOLDER.'],
    [['design', 'f', '--summary', 'x'], '--summary works only with --step.'],
    [['design', 'f', '--fixer', 'a', '--step'], '--fixer and --step cannot be used together'],
    [['design', 'f', '--no-keep-sessions'], '--keep-sessions and --no-keep-sessions work only with --step'],
    [['design', 'f', '--fixer', 'a', '--simplify'], '--simplify works only with implement'],
    [['design', 'f', '--deepen-tests'], '--deepen-tests works only with implement'],
    [['implement', 'f', '--simplify'], '--simplify needs an agent that may edit files: name it with --fixer.'],
    [['implement', 'f', '--deepen-tests', '--step'], '--deepen-tests needs an agent that may edit files'],
    [['create-plan', 'f', '--files', 'a.ts'], '--files works only with implement'],
    [['create-tasks', 'f', '--base', 'main'], '--base works only with implement'],
    [['specify', 'f', '--step', '--summary', 'x', '--rerun'], '--summary and --rerun cannot be used together'],
    [['specify', 'f', '--step', '--summary', 'x', '--dry-run'], '--summary cannot be used with --dry-run.'],
    [['specify', 'f', '--step', '--summary', ' '], '--summary is empty'],
    [['specify', 'f', '--max-iterations', '6'], 'Give a whole number from 1 to 5.'],
    [['specify', 'f', '--max-iterations', '0'], 'Give a whole number from 1 to 5.'],
    [['specify', 'f', '--nope'], 'Unknown option "--nope"'],
    [['specify', 'f', 'g'], 'Too many arguments'],
  ])('onceover phase %j', async (args, message) => {
    const end = await onceover(temporaryFolder(), ['phase', ...args]);
    expect(told(end, 2)).toContain(message);
    expect(end.stdout).toBe('');
  });

  test.each<[string, readonly string[], string, string]>([
    ['no such folder', ['specify', 'nowhere'], 'no-feature', 'nowhere does not exist'],
    ['a file', ['specify', 'docs/f/spec.md'], 'no-feature', 'docs/f/spec.md is not a folder'],
    ['outside', ['specify', '../x'], 'path-outside', '../x is outside the repository'],
    [
      'no agent of that name',
      ['specify', 'docs/f', '--fixer', 'ghost'],
      'unknown-agent',
      '"ghost" is not a known agent',
    ],
    ['nothing to review', ['implement', 'docs/f', '--files', 'gone.ts'], 'nothing-to-implement', 'differs from main'],
    ['an unknown base', ['implement', 'docs/f', '--base', 'nope'], 'unknown-base', '"nope"'],
  ])('%s', async (_title, args, kind, message) => {
    const error = toldInJson(await onceover(featureRepo().root, ['phase', ...args, '--json']), 2);
    expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(message)]);
  });

  test('a missing or empty document, and the phase that has to run first', async () => {
    const repo = featureRepo();
    repo.git('rm', '-q', 'docs/f/plan.md');
    repo.write('docs/f/spec.md', ' \n');
    expect(told(await repo.phase(['create-tasks']), 2)).toBe(
      'onceover: "onceover phase create-tasks" needs docs/f/spec.md (the requirements), which is empty.\nWrite the document first and have it reviewed with "onceover phase specify".',
    );
    repo.write('docs/f/spec.md', '# Spec\n');
    expect(told(await repo.phase(['create-plan']), 2)).toBe(
      'onceover: "onceover phase create-plan" reviews docs/f/plan.md (the order of the work), which does not exist.\nWrite the document first.',
    );
  });

  test('outside a repository: exit code 3', async () => {
    const end = await onceover(temporaryFolder(), ['phase', 'specify', 'f', '--json']);
    expect(toldInJson(end, 3).kind).toBe('not-a-repository');
  });
});
