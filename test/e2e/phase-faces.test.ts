import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorDocumentSchema } from '../../src/report/error-schema.ts';
import { phasePlanSchema, phaseSchema } from '../../src/report/phase-schema.ts';
import { onceover } from '../support/cli.ts';
import { APPROVED, featureRepo, fixes, objects } from '../support/phase/feature-repo.ts';
import { temporaryFolder } from '../support/repo.ts';
import { startOnceover, told, toldInJson } from '../support/told.ts';

const VAGUE = objects('Requirement 3 names no time.', { location: 'spec.md:6', suggestion: 'Name it.' });

describe('what people see', () => {
  test('a fixer mends, both reviewers approve: the table, what was done, how it ended', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, APPROVED, APPROVED);
    repo.answers('one', fixes('Requirement 3: within 2 seconds.'));
    const { code, stdout, stderr } = await repo.phase(['specify', '--fixer', 'one']);
    expect(code, stderr).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/\d+\.\dk|\b\d{3}\b/g, 'N'));
    expect(lines.slice(0, 7)).toEqual([
      'specify of docs/f',
      '',
      expect.stringMatching(/^Round +Who +Agent +Asked +Prompt +Result$/),
      expect.stringMatching(/^1 of 5 +spec-reviewer +two +fresh +N +1 blocker$/),
      expect.stringMatching(/^ +implementer +one +fresh +N +fix 1$/),
      expect.stringMatching(/^2 of 5 +spec-reviewer +two +(fresh|resumed) +N +approved.*$/),
      expect.stringMatching(/^1 of 5 +phase-reviewer +two +fresh +N +approved.*$/),
    ]);
    expect(stdout).toContain('\nFix 1: Now it says: Requirement 3: within 2 seconds.\n');
    expect(stdout).toContain(
      '\nApproved: docs/f/spec.md, by spec-reviewer and phase-reviewer, after 1 fix. (exit code 0)\nPaid: 4 dispatches.\n',
    );
    expect(stderr).toMatch(
      /^Iteration 1 of 5 \(specify\): spec-reviewer\nspec-reviewer: asking two \(fresh\)\nspec-reviewer: NEEDS WORK, 1 blocker, /,
    );
    expect(stderr).toContain('Committed 1 file: onceover: specify review iteration 1\n');
  });

  test('one look, and nobody to mend: what is open, and what to do', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE);
    const { code, stdout } = await repo.phase(['specify']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '\nOpen: 1 blocker\n  blocker  spec-reviewer, spec.md:6\n    Requirement 3 names no time.\n    Suggestion: Name it.\n',
    );
    expect(stdout).toContain('Not approved: 1 issue is open, and nobody was asked to mend it. (exit code 1)');
    expect(stdout).toContain('onceover phase specify docs/f; with --fixer AGENT an agent mends');
  });

  test('at the cap: not approved; taken as it is: accepted with notes, in no word approved', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, VAGUE);
    const capped = await repo.phase(['specify', '--max-iterations', '1']);
    expect(capped.code, capped.stdout).toBe(1);
    expect(capped.stdout).toContain(
      'Not approved: after 1 iteration of a loop, as many as there may be, 2 issues are open.',
    );
    const accepted = await repo.phase(['specify', '--accept-with-notes']);
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(accepted.stdout).toContain('Accepted with notes, not approved: ');
    expect(accepted.stdout).not.toMatch(/^Approved/m);
    expect(repo.calls()).toHaveLength(2);
    const document = await repo.phaseDocument(['specify', '--accept-with-notes']);
    expect(document.status).not.toBe('approved');
  });

  test('no verdict: who, why, exit code 3, and nothing is approved', async () => {
    const repo = featureRepo();
    repo.answers('two', { $exit: 1, $raw: '' });
    repo.answers('one', { $exit: 1, $raw: '' });
    const { code, stdout } = await repo.phase(['specify']);
    expect(code, stdout).toBe(3);
    expect(stdout).toMatch(/\nNo verdict of spec-reviewer: \w+ failed: /);
    expect(stdout).toMatch(/\nCould not judge: spec-reviewer gave no verdict, .* \(exit code 3\)\n/);
    expect(stdout).not.toMatch(/approved/i);
  });

  test('Ctrl-C: 130, what was done until then, and how to go on', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, { ...APPROVED, $sleep: 20_000 });
    repo.answers('one', fixes('Requirement 3: within 2 seconds.'));
    const started = startOnceover(repo.root, ['phase', 'specify', 'docs/f', '--fixer', 'one']);
    await started.said('Iteration 2 of 5');
    while (repo.calls('two').length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    started.child.kill('SIGINT');
    const end = await started.ended;
    expect(end.code).toBe(130);
    expect(end.stdout).toBe('');
    expect(end.stderr).toMatch(/\nonceover: Interrupted: what was started has been ended\.\n\nspecify of docs\/f\n/);
    expect(end.stderr).toMatch(/\nFix 1: Now it says: .*\nNo verdict of spec-reviewer: interrupted\n/);
    expect(end.stderr).toContain('\nNothing was approved.\n');
    expect(end.stderr).toContain('\nTo begin anew with what is there now: onceover phase specify docs/f --fixer one\n');
  });
});

describe('what programs see', () => {
  test("one document that fits its schema, and people's lines on stderr alone", async () => {
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

  test('interrupted: the error, and what was done so far', async () => {
    const repo = featureRepo();
    repo.answers('two', { ...APPROVED, $sleep: 20_000 });
    const started = startOnceover(repo.root, ['phase', 'specify', 'docs/f', '--json']);
    while (repo.calls('two').length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    started.child.kill('SIGINT');
    const end = await started.ended;
    expect(end.code).toBe(130);
    const { error, so_far } = errorDocumentSchema.strict().parse(JSON.parse(end.stdout));
    expect(error.kind).toBe('interrupted');
    expect(so_far).toMatchObject({ status: 'error', end: 'interrupted', exit_code: 3 });
  });

  test('--dry-run asks nobody and writes nothing', async () => {
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
    expect(stdout).toContain('Nothing was asked and nothing written (--dry-run).');
    expect(repo.git('status', '--porcelain', '--ignored')).toBe(before);
    expect(repo.calls()).toEqual([]);
    expect(existsSync(join(repo.root, 'docs/f/.meta.json'))).toBe(false);
  });
});

describe('step by step', () => {
  test('what is open, a fix, its summary by argument and by standard input, the end', async () => {
    const repo = featureRepo();
    repo.answers('two', VAGUE, objects('Requirement 4 too.'), APPROVED, APPROVED);
    const first = await repo.phase(['specify', '--step']);
    expect(first.code, first.stderr).toBe(1);
    expect(first.stdout).toContain(
      'Waiting: 1 issue is open, to be mended before the next round. (exit code 1)\nNext: mend it, then: onceover phase specify docs/f --step --summary "what you did"',
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

  test('a summary that nobody waits for', async () => {
    const end = await featureRepo().phase(['specify', '--step', '--summary', 'Did it.', '--json']);
    const error = toldInJson(end, 2);
    expect(error.kind).toBe('no-waiting-loop');
    expect(error.next).toBe('Begin one with start_phase ("onceover phase specify docs/f --step").');
  });
});

describe('wrong usage: exit code 2, and a sentence', () => {
  const FIVE = 'specify, design, create-plan, create-tasks, implement';

  test.each<[readonly string[], string]>([
    [[], `Name a phase: ${FIVE}.`],
    [['spec', 'docs/f'], `"spec" is no phase.\nName one of these: ${FIVE}.`],
    [['design'], 'Name the folder of the feature: onceover phase design FOLDER.'],
    [['design', 'f', '--summary', 'x'], '--summary is for --step.'],
    [['design', 'f', '--fixer', 'a', '--step'], '--fixer and --step cannot be used together'],
    [['design', 'f', '--keep-sessions'], '--keep-sessions is for --step'],
    [['design', 'f', '--fixer', 'a', '--simplify'], '--simplify is for implement'],
    [['design', 'f', '--deepen-tests'], '--deepen-tests is for implement'],
    [['implement', 'f', '--simplify'], '--simplify needs an agent that may write: name it with --fixer.'],
    [['implement', 'f', '--deepen-tests', '--step'], '--deepen-tests needs an agent that may write'],
    [['create-plan', 'f', '--files', 'a.ts'], '--files is for implement'],
    [['create-tasks', 'f', '--base', 'main'], '--base is for implement'],
    [['specify', 'f', '--step', '--summary', 'x', '--rerun'], '--summary and --rerun cannot be used together'],
    [['specify', 'f', '--step', '--summary', 'x', '--dry-run'], '--summary cannot be used with --dry-run.'],
    [['specify', 'f', '--step', '--summary', ' '], '--summary says nothing'],
    [['specify', 'f', '--max-iterations', '6'], 'Give a whole number from 1 to 5.'],
    [['specify', 'f', '--max-iterations', '0'], 'Give a whole number from 1 to 5.'],
    [['specify', 'f', '--nope'], 'Unknown option "--nope"'],
    [['specify', 'f', 'g'], 'Too many arguments'],
  ])('onceover phase %j', async (args, said) => {
    const end = await onceover(temporaryFolder(), ['phase', ...args]);
    expect(told(end, 2)).toContain(said);
    expect(end.stdout).toBe('');
  });

  test.each<[string, readonly string[], string, string]>([
    ['no such folder', ['specify', 'nowhere'], 'no-feature', 'nowhere is not there'],
    ['a file', ['specify', 'docs/f/spec.md'], 'no-feature', 'docs/f/spec.md is not a folder'],
    ['outside', ['specify', '../x'], 'path-outside', '../x is outside the repository'],
    ['no agent of that name', ['specify', 'docs/f', '--fixer', 'nobody'], 'unknown-agent', '"nobody" is no agent'],
    ['nothing to look at', ['implement', 'docs/f', '--files', 'gone.ts'], 'nothing-to-implement', 'differs from main'],
    ['a base that is none', ['implement', 'docs/f', '--base', 'nope'], 'unknown-base', '"nope"'],
  ])('%s', async (_title, args, kind, said) => {
    const error = toldInJson(await onceover(featureRepo().root, ['phase', ...args, '--json']), 2);
    expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(said)]);
  });

  test('a document that is not there, or empty, and what has to be done first', async () => {
    const repo = featureRepo();
    repo.git('rm', '-q', 'docs/f/plan.md');
    repo.write('docs/f/spec.md', ' \n');
    expect(told(await repo.phase(['create-tasks']), 2)).toBe(
      'onceover: docs/f/spec.md (what is wanted) is empty, and "onceover phase create-tasks" rests on it.\nWrite it first and have it reviewed with "onceover phase specify".',
    );
    repo.write('docs/f/spec.md', '# Spec\n');
    expect(told(await repo.phase(['create-plan']), 2)).toBe(
      'onceover: docs/f/plan.md (the order of the work) is not there, and "onceover phase create-plan" reviews it.\nWrite it first.',
    );
  });

  test('outside a repository it is exit code 3', async () => {
    const end = await onceover(temporaryFolder(), ['phase', 'specify', 'f', '--json']);
    expect(toldInJson(end, 3).kind).toBe('not-a-repository');
  });
});
