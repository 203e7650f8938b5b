import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { gateRepo } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

test('a valid configuration exits with 0 and counts its parts', async () => {
  const end = await onceover(gateRepo().root, ['config', 'check']);
  expect(end).toMatchObject({ code: 0, stdout: 'The configuration is valid: 1 gate, 0 rules, 0 jobs.\n', stderr: '' });
});

test('a missing prompt and a broken rule file exit with 2 and are named', async () => {
  const repo = gateRepo();
  rmSync(join(repo.root, '.onceover/reviews/code-quality.md'));
  repo.write('.deepreview', 'style:\n  match: {}\n');
  const end = await onceover(repo.root, ['config', 'check']);
  expect(end.code).toBe(2);
  expect(end.stdout).toContain('the prompt file .onceover/reviews/code-quality.md does not exist');
  expect(end.stdout).toContain('.deepreview');
  const json = await onceover(repo.root, ['config', 'check', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, gates: 1 });
  expect(json.code).toBe(2);
});

test('a mistake in onceover.yml exits with 2 and gives its line', async () => {
  const repo = gateRepo();
  repo.write('onceover.yml', 'version: 1\ngatez: []\n');
  const end = await onceover(repo.root, ['config', 'check']);
  expect(end.code).toBe(2);
  expect(end.stderr).toMatch(/onceover\.yml:2:1.*gatez/s);
});

test('the command runs no check and no reviewer', async () => {
  const repo = gateRepo({ gates: '  - path: src\n    checks:\n      trace: { run: touch ran }\n' });
  expect((await onceover(repo.root, ['config', 'check'])).code).toBe(0);
  expect(repo.git('status', '--porcelain')).not.toContain('ran');
  expect(repo.calls()).toEqual([]);
});

test('a gate path that matches no file is a warning', async () => {
  const repo = gateRepo({ gates: '  - path: SRC\n    checks:\n      lint: { run: "true" }\n' });
  const warning = 'onceover.yml: no file matches the gate path SRC.';
  const end = await onceover(repo.root, ['config', 'check']);
  expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining(`Warning: ${warning}`) });
  const json = await onceover(repo.root, ['config', 'check', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ valid: true, warnings: [expect.stringContaining(warning)] });
});
