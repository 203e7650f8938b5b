import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateRepo } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

const REVIEW = '{ prompt: .onceover/reviews/code-quality.md }';

test('without an agent, the run says so before it runs the checks', async () => {
  const repo = gateRepo({
    gates: `  - path: src\n    checks: { slow: { run: touch ran } }\n    reviews: { q: ${REVIEW} }`,
  });
  const program = join(repo.root, 'review.sh');
  writeFileSync(program, '#!/bin/sh\n');
  repo.write('onceover.yml', readFileSync(join(repo.root, 'onceover.yml'), 'utf8').replace(/agents:.*gates:/s, AGENT));
  chmodSync(program, 0o644);
  const run = await repo.document();
  expect(existsSync(join(repo.root, 'ran'))).toBe(false);
  expect(run).toMatchObject({ code: 3, status: 'error' });
  expect(run.gates).toMatchObject([
    { kind: 'check', status: 'not_run', why: 'no-agent' },
    { kind: 'review', status: 'error', slots: [{ why: 'no-agent', detail: expect.stringContaining(CHMOD) }] },
  ]);
  const { stdout } = await repo.run();
  expect(stdout).toContain(`Next: run "${CHMOD}", then run "onceover run" again.`);
  await repo.run(['--all']);
  expect(existsSync(join(repo.root, 'ran'))).toBe(true);
});

const CHMOD = 'chmod +x ./review.sh';

const AGENT = `agents: [mine]
agent:
  mine: { command: [./review.sh] }
gates:`;

test('a fixer that is not installed is named, with the command that installs it', async () => {
  const repo = gateRepo();
  const end = await repo.run(['--until-pass', '--fixer', 'claude']);
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('claude is not installed.')]);
  expect(end.stderr).toContain('Run "npm install -g @anthropic-ai/claude-code".');
});

test('an agent of the settings that is not installed is named if another agent takes its place', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 2 });
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  repo.write('onceover.yml', settings.replace('agents: [one]', 'agents: [one, codex]'));
  const said = 'codex is not installed, so other agents reviewed instead; run "onceover doctor" for details';
  expect((await repo.run()).stderr).toContain(`Warning: ${said}`);
  expect(repo.calls('one')).toHaveLength(2);
  // A run that calls no agent does not repeat the warning.
  expect((await repo.run()).stderr).not.toContain(said);
});
