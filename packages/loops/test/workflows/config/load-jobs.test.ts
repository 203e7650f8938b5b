import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeProblem } from '@onceover/base/ui/describe-problem';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { loadJobs } from '../../../src/workflows/config/load.ts';

const text = (name: string, file = 'steps/do.md') => `name: ${name}
version: "1"
summary: Does it.
steps:
  - { id: do, name: Do, description: Does it., instructions_file: ${JSON.stringify(file)} }
`;

type Project = { readonly root: string; write(path: string, content: string | Uint8Array): void };

function project(): Project {
  const root = temporaryFolder();
  return {
    root,
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
  };
}

/** Creates a project with the job `work`. */
function withJob(jobText = text('work'), instructions: string | Uint8Array = 'Do it.\n'): Project {
  const repo = project();
  repo.write('.deepwork/jobs/work/job.yml', jobText);
  repo.write('.deepwork/jobs/work/steps/do.md', instructions);
  return repo;
}

const placeOf = (root: string) => ({ root, index: join(root, '.git/index') });

function load(repo: Pick<Project, 'root'>) {
  const jobs = loadJobs(placeOf(repo.root));
  if (!jobs.ok) throw new Error(jobs.failure.kind);
  return jobs.value;
}

const problems = (repo: Project) => load(repo).flatMap((job) => job.problems.map(describeProblem));

test('finds no jobs without a folder', () => {
  expect(load(project())).toEqual([]);
});

test('reads a job with the instructions of its steps', () => {
  const [loadedJob] = load(withJob());
  expect(loadedJob).toMatchObject({ name: 'work', problems: [] });
  expect(loadedJob?.job).toMatchObject({ name: 'work', folder: '.deepwork/jobs/work' });
  expect(loadedJob?.job?.steps[0]).toMatchObject({
    instructions: 'Do it.\n',
    instructions_file: '.deepwork/jobs/work/steps/do.md',
  });
});

test.each<[string, readonly string[]]>([
  ['an index with every file', ['--no-sparse-index']],
  ['a sparse index', ['--sparse-index']],
])('reads a job outside a sparse checkout, with %s', (_, how) => {
  const files = { '.deepwork/jobs/work/job.yml': text('work'), '.deepwork/jobs/work/steps/do.md': 'Do it.\n' };
  const repo = repoWith({ ...files, 'in/x.md': 'x\n', '.deepwork/jobs/gone/job.yml': text('gone') });
  repo.git('rm', '-q', '-r', '.deepwork/jobs/gone');
  repo.git('sparse-checkout', 'set', ...how, 'in');
  expect(existsSync(join(repo.root, '.deepwork'))).toBe(false);
  const jobs = load(repo);
  expect(jobs).toMatchObject([{ name: 'work', problems: [] }]);
  expect(jobs[0]?.job?.steps[0]?.instructions).toBe('Do it.\n');
  // A file in the working tree takes precedence over the index.
  repo.write('.deepwork/jobs/work/steps/do.md', 'Do it well.\n');
  expect(load(repo)[0]?.job?.steps[0]?.instructions).toBe('Do it well.\n');
});

test('reads the other jobs if one is broken, sorted by name', () => {
  const repo = withJob();
  repo.write('.deepwork/jobs/broken/job.yml', 'name: [');
  repo.write('.deepwork/jobs/README.md', 'No job.');
  repo.write('.deepwork/jobs/.hidden/notes.md', 'No job.');
  repo.write('.deepwork/jobs/also/job.yml', text('also', 'do.md'));
  repo.write('.deepwork/jobs/also/do.md', 'Do.');
  expect(load(repo).map(({ name, job }) => [name, job !== null])).toEqual([
    ['also', true],
    ['broken', false],
    ['work', true],
  ]);
});

describe('describes a problem with its position:', () => {
  const AT = '.deepwork/jobs/work/job.yml:5:67: ';

  test.each<[title: string, repo: () => Project, said: string]>([
    [
      'a name that differs from the folder',
      () => withJob(text('other')),
      '.deepwork/jobs/work/job.yml:1:7: the job is called "other" and its folder "work"; both must have the same name',
    ],
    [
      'missing instructions',
      () => withJob(text('work', 'steps/nope.md')),
      `${AT}steps/nope.md does not exist (paths are relative to the folder of the file that names them)`,
    ],
    ['empty instructions', () => withJob(text('work'), ' \n'), `${AT}steps/do.md is empty`],
    [
      'binary instructions',
      () => withJob(text('work'), new Uint8Array([0, 255])),
      `${AT}steps/do.md is not UTF-8 text`,
    ],
    ['a folder', () => withJob(text('work', 'steps')), `${AT}steps is not a plain file`],
    [
      'a path outside the folder of the job',
      () => withJob(text('work', '../other.md')),
      `${AT}../other.md is outside .deepwork/jobs/work; move the instructions into the folder of their job`,
    ],
    [
      'an absolute path',
      () => withJob(text('work', '/etc/hostname')),
      `${AT}/etc/hostname is outside .deepwork/jobs/work; move the instructions into the folder of their job`,
    ],
    [
      'a link to a file outside the folder of the job',
      () => {
        const repo = withJob(text('work', 'link.md'));
        repo.write('README.md', 'Not for jobs.');
        symlinkSync('../../../README.md', join(repo.root, '.deepwork/jobs/work/link.md'));
        return repo;
      },
      `${AT}link.md is outside .deepwork/jobs/work; move the instructions into the folder of their job`,
    ],
    [
      'a folder without job.yml',
      () => {
        const repo = project();
        repo.write('.deepwork/jobs/work/job.yaml', text('work'));
        return repo;
      },
      '.deepwork/jobs/work/job.yml:1:1: the file does not exist',
    ],
    [
      'a link in place of the folder',
      () => {
        const repo = project();
        mkdirSync(join(repo.root, '.deepwork/jobs'), { recursive: true });
        symlinkSync(temporaryFolder(), join(repo.root, '.deepwork/jobs/work'));
        return repo;
      },
      '.deepwork/jobs/work/job.yml:1:1: the file is not a plain file',
    ],
    [
      'a link in place of the file',
      () => {
        const repo = project();
        repo.write('.deepwork/jobs/work/steps/do.md', 'Do it.');
        repo.write('job.yml', text('work'));
        symlinkSync('../../../job.yml', join(repo.root, '.deepwork/jobs/work/job.yml'));
        return repo;
      },
      '.deepwork/jobs/work/job.yml:1:1: the file is not a plain file',
    ],
    [
      'a file of more than a mebibyte',
      () => withJob(`${text('work')}# ${'x'.repeat(1024 * 1024)}\n`),
      '.deepwork/jobs/work/job.yml:1:1: the file is larger than 1 MiB',
    ],
  ])('%s', (_, repo, message) => {
    expect(problems(repo())).toEqual([message]);
  });

  test('rejects a jobs folder that is a link', () => {
    const repo = project();
    mkdirSync(join(repo.root, '.deepwork'));
    symlinkSync(temporaryFolder(), join(repo.root, '.deepwork/jobs'));
    expect(loadJobs(placeOf(repo.root))).toMatchObject({
      ok: false,
      failure: { kind: 'path-in-the-way', found: 'symlink' },
    });
  });
});
