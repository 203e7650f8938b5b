import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Job, Step } from '../domain/job.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Problem, ProblemKind } from '../domain/problem.ts';
import { repoPath } from '../domain/repo-path.ts';
import { done, type Result } from '../domain/result.ts';
import { checkFolder, listFolder } from '../io/files.ts';
import { diskFiles, type TextFiles } from '../io/text-files.ts';
import { type ParsedJob, parseJob } from './parse-job.ts';
import { readSaying, readWhole, unusable } from './whole-text.ts';

const JOBS = '.deepwork/jobs';
const FILE = 'job.yml';

/** A job that can be used, or what is wrong with it; `name` is that of its folder. */
export type LoadedJob = { readonly name: string } & (
  | { readonly job: Job; readonly problems: readonly [] }
  | { readonly job: null; readonly problems: readonly Problem[] }
);

/** Reads every `.deepwork/jobs/<job>/job.yml`; one that is broken does not stop the others. */
export function loadJobs(root: string): Result<readonly LoadedJob[]> {
  const there = checkFolder(root, JOBS);
  if (!there.ok) return there;
  const listed = listFolder(join(root, JOBS));
  if (!listed.ok) return listed;
  const names = listed.value.filter(({ name, isFile }) => !isFile && !name.startsWith('.')).map(({ name }) => name);
  return done(names.sort(byCodePoint).map((name) => loadJob(root, name)));
}

function loadJob(root: string, name: string): LoadedJob {
  const folder = `${JOBS}/${name}` as RepoPath;
  const file = `${folder}/${FILE}`;
  const broken = (problems: readonly Omit<Problem, 'file'>[]): LoadedJob => ({
    name,
    job: null,
    problems: problems.map((problem) => ({ file, ...problem })),
  });
  const there = checkFolder(root, folder);
  if (!there.ok) return broken([unusable(file, 'not-a-file')]);
  const files = diskFiles(join(root, folder));
  const read = readWhole(files, FILE);
  // What a link leads to, wherever that is, is no file of the job's.
  if (!read.ok) return broken([unusable(file, read.why === 'outside' ? 'not-a-file' : read.why)]);
  const parsed = parseJob(read.text);
  if (!parsed.ok) return broken(parsed.problems);
  const completed = complete(files, folder, name, parsed.job);
  return completed.ok ? { name, job: completed.job, problems: [] } : broken(completed.problems);
}

function complete(
  files: TextFiles,
  folder: RepoPath,
  folderName: string,
  { nameAt, ...parsed }: ParsedJob,
):
  | { readonly ok: true; readonly job: Job }
  | { readonly ok: false; readonly problems: readonly Omit<Problem, 'file'>[] } {
  const problems: Omit<Problem, 'file'>[] = [];
  if (parsed.name !== folderName) {
    problems.push({ ...nameAt, what: { kind: 'job-name-differs', name: parsed.name, folder: folderName } });
  }
  const steps: Step[] = [];
  for (const { instructionsFile, ...step } of parsed.steps) {
    const { path, line, column } = instructionsFile;
    const read = readInstructions(files, path, folder);
    if (read.ok) steps.push({ ...step, instructions: read.text, instructionsFile: read.file });
    else problems.push({ line, column, what: read.what });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, job: { ...parsed, steps, folder } };
}

function readInstructions(
  files: TextFiles,
  path: string,
  folder: RepoPath,
):
  | { readonly ok: true; readonly text: string; readonly file: RepoPath }
  | { readonly ok: false; readonly what: ProblemKind } {
  const outside = { ok: false, what: { kind: 'outside-job', path, folder } } as const;
  const inside = repoPath(path);
  if (inside === null) return outside;
  const read = readSaying(files, inside);
  if (read.ok) return { ok: true, text: read.text, file: `${folder}/${inside}` as RepoPath };
  // The folder stands for the root here, so that a link out of it is seen.
  return read.why === 'outside' ? outside : { ok: false, what: { kind: 'unusable-file', path, why: read.why } };
}
