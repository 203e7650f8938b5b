import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CLI } from '@onceover/testing/cli.ts';
import { failing } from '@onceover/testing/gates.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { type Clone, reviewedBranch, team } from '@onceover/testing/sharing.ts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Job = { readonly variables: Readonly<Record<string, string>>; readonly script: readonly string[] };

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/ci.md'), 'utf8');
const [, recipe = ''] = /```yaml\n# \.gitlab-ci\.yml\n([^`]*)```/.exec(page) ?? [];
const { review } = parse(recipe) as { readonly review: Job };

/** Runs the script of the job in a clone as a GitLab runner makes it. npm installs nothing, and onceover is the build. */
function play(clone: Clone): Promise<{ readonly code: unknown; readonly said: string }> {
  const home = dirname(clone.root);
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(bin, 'onceover'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
  const clean = cleanEnvironment(home);
  const mergeRequest = { CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
  const env = {
    ...{ ...clean, PATH: `${bin}:${clean['PATH']}`, ONCEOVER_PACKAGE: 'onceover.tgz' },
    ...{
      CI: 'true',
      GITLAB_CI: 'true',
      CI_PIPELINE_SOURCE: 'merge_request_event',
      ...mergeRequest,
      ...review.variables,
    },
  };
  return new Promise((settle) => {
    const script = review.script.join('\n');
    execFile('bash', ['-eo', 'pipefail', '-c', script], { cwd: clone.root, env }, (error, stdout, stderr) =>
      settle({ code: error?.code ?? 0, said: stdout + stderr }),
    );
  });
}

test('the GitLab job of docs/ci.md accepts the passes of a laptop, and that of a fork reviews', async () => {
  const house = team();
  const laptop = house.clone({ key: 'dev@example.com' });
  expect((await reviewedBranch(laptop, 'work', ['src', 'api'])).shared).toEqual({ passes: 2, waivers: 0 });
  house.forget();

  const job = house.clone();
  job.git('checkout', '-q', '--detach', 'origin/work');
  // The runner fetches only the commit of the merge request.
  job.git('update-ref', '-d', 'refs/remotes/origin/main');
  const accepted = await play(job);
  expect([accepted.code, house.calls()]).toEqual([0, 0]);
  expect(accepted.said).toContain('accepted: passed by dev@example.com');
  expect(readFileSync(join(job.root, 'onceover.xml'), 'utf8')).toContain('accepted: passed by dev@example.com');

  // The remote of a fork has the branches, and no passes.
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  const fork = house.clone();
  fork.git('checkout', '-q', '--detach', 'origin/work');
  const bare = join(dirname(fork.root), 'fork.git');
  fork.git('clone', '-q', '--bare', '--single-branch', '--branch', 'main', `file://${house.bare}`, bare);
  fork.git('remote', 'set-url', 'origin', `file://${bare}`);
  const reviewed = await play(fork);
  expect(reviewed.said).not.toContain('accepted: passed by');
  expect(reviewed.said).toContain('(no pass accepted: no other clone shared a pass of this code)');
  expect([reviewed.code, house.calls()]).toEqual([1, 2]);
}, 120_000);
