import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, readAction } from '@onceover/testing/composite-action.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const LINK = 'https://github.com/owner/shop/actions/runs/1/artifacts/2';

test.each([
  ['of the artifact', LINK, ['--report-url', LINK]],
  ['of no artifact', '', []],
])('publishes with the address %s', (_title, address, more) => {
  const program = join(temporaryFolder(), 'program.mjs');
  writeFileSync(program, 'console.log(JSON.stringify(process.argv.slice(2)));');
  const env = {
    ...{ ONCEOVER_PROGRAM: program, ONCEOVER_RUN: 'run.json', ONCEOVER_SUMMARY: 'comment' },
    ...{ ONCEOVER_TOKEN: 't', ONCEOVER_REPORT_URL: address },
  };
  const { status, stdout } = spawnSync(process.execPath, [join(PROJECT, 'action/publish.mjs')], { env });
  expect(status).toBe(0);
  expect(JSON.parse(String(stdout))).toEqual(['publish', '--from', 'run.json', '--summary', 'comment', ...more]);
});

test('the step that publishes gets the address from the step that keeps the page', () => {
  const { steps } = readAction().runs;
  const kept = steps.find(({ name }) => name === 'Keep the page');
  const publish = steps.find(({ name }) => name === 'Publish');
  expect(kept?.id).toBe('page');
  expect(publish).toMatchObject({ env: { ONCEOVER_REPORT_URL: expect.stringContaining('page.outputs.artifact-url') } });
  expect(steps.indexOf(kept as (typeof steps)[0])).toBeLessThan(steps.indexOf(publish as (typeof steps)[0]));
});
