import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI } from '@onceover/testing/cli.ts';
import { PROJECT, readAction } from '@onceover/testing/composite-action.ts';
import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { junitProblems, sarifProblems } from '@onceover/testing/report-schemas.ts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Step = {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
};
type Workflow = { readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>> };
type Pipeline = {
  readonly review: {
    readonly script: readonly string[];
    readonly artifacts: { readonly reports: { readonly junit: string } };
  };
};

const page = readFileSync(join(PROJECT, 'docs/ci.md'), 'utf8');
const [withAction, oneJob, plain, gitlab] = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, text = '']) =>
  parse(text),
) as [Workflow, Workflow, Workflow, Pipeline];
const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

/** A clone as in CI, detached, with a reviewer that reports a finding. Settings in the change do not count. */
function machine() {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.write('onceover.yml', 'gates: []\n');
  repo.commit('no gates');
  repo.answers('one', failing('src/a.ts', 'export const b = 2;', { line: 2 }));
  const folder = dirname(repo.root);
  const [bin, root] = [join(folder, 'bin'), join(folder, 'clone')];
  mkdirSync(bin);
  for (const [name, text] of [
    ['npm', 'echo "$*" >> "$HOME/npm.log"'],
    ['onceover', `exec "${process.execPath}" "${CLI}" "$@"`],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const clean = cleanEnvironment(folder);
  const bash = (script: string, cwd: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd,
      env: { ...clean, PATH: `${bin}:${clean['PATH']}`, ...env },
      encoding: 'utf8',
    });
  bash(`git clone -q -n "${repo.root}" clone && cd clone && git checkout -q --detach origin/work`, folder);
  return { repo, folder, root, bash, installed: () => readFileSync(join(folder, 'npm.log'), 'utf8') };
}

test.each([
  ['two jobs', withAction.jobs['reviews']],
  ['one job', oneJob.jobs['gates']],
])('the workflow with the action and %s uses existing inputs', (_title, job) => {
  const step = job?.steps.at(-1);
  expect(step?.uses).toBe(`OWNER/onceover@v${version}`);
  expect(Object.keys(step?.with ?? {}).filter((name) => !(name in readAction().inputs))).toEqual([]);
});

test('the first workflow keeps code of the pull request away from keys', () => {
  const [checks, reviews] = [withAction.jobs['checks'], withAction.jobs['reviews']];
  expect(JSON.stringify(checks)).not.toContain('secrets.');
  expect(reviews?.steps.flatMap(({ run }) => run ?? [])).toEqual([expect.stringContaining('install --global')]);
});

test('the workflow without the action reviews a change with the settings of its base, and uploads its report', async () => {
  const { root, folder, bash, installed } = machine();
  const steps = plain.jobs['review']?.steps ?? [];
  const commands = steps.flatMap(({ run }) => run ?? []);
  const env = {
    ONCEOVER_PACKAGE: '/packages/onceover.tgz',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_BASE_REF: 'main',
    RUNNER_TEMP: folder,
  };
  expect(commands.map((command) => bash(command, root, env).status)).toEqual([0, 1]);
  expect(installed()).toContain('install --global /packages/onceover.tgz ');
  const uploaded = steps.at(-1)?.with?.['sarif_file']?.replace(/^\$\{\{ runner\.temp \}\}/, folder) ?? '';
  const sarif = readFileSync(uploaded, 'utf8');
  expect(sarifProblems(sarif)).toEqual([]);
  expect(JSON.parse(sarif).runs[0].properties).toMatchObject({ status: 'failed', exitCode: 1 });
});

test('the GitLab job fetches the target branch, uses its settings, and writes a report that git does not see', async () => {
  const { root, bash, installed } = machine();
  bash('git update-ref -d refs/remotes/origin/main', root);
  const env = {
    ONCEOVER_PACKAGE: '/packages/onceover.tgz',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    GITLAB_CI: 'true',
  };
  const end = bash(gitlab.review.script.join('\n'), root, env);
  expect([end.status, /F1 +high/.test(end.stdout)]).toEqual([1, true]);
  expect(installed()).toContain('install --global /packages/onceover.tgz ');
  const report = join(root, gitlab.review.artifacts.reports.junit);
  expect(existsSync(report) && (await junitProblems([readFileSync(report, 'utf8')]))).toEqual([]);
  expect(bash('git status --porcelain', root).stdout).toBe('');
});
