import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Job, Step } from '../domain/job.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Problem, ProblemKind } from '../domain/problem.ts';
import { repoPath } from '../domain/repo-path.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { checkFolder, listFolder } from '../io/files.ts';
import { diskFiles, sparseFiles, type TextFiles } from '../io/text-files.ts';
import { type ParsedJob, parseJob } from './parse-job.ts';
import { readSaying, readWhole, unusable } from './whole-text.ts';

const JOBS = '.deepwork/jobs';
const FILE = 'job.yml';

/** A job that can be used, or what is wrong with it; `name` is that of its folder. */
export type LoadedJob = { readonly name: string } & (
  | { readonly job: Job; readonly problems: readonly [] }
  | { readonly job: null; readonly problems: readonly Problem[] }
);

/** Reads every `.deepwork/jobs/<job>/job.yml`, also those that a sparse checkout leaves out; one that is broken does not stop the others. */
export function loadJobs(place: Pick<Place, 'root' | 'index'>): Result<readonly LoadedJob[]> {
  const { root, index } = place;
  const there = checkFolder(root, JOBS);
  if (!there.ok) return there;
  const listed = listFolder(join(root, JOBS));
  if (!listed.ok) return listed;
  const files = sparseFiles(place);
  const leftOut = files.leftOut(JOBS);
  if (leftOut === null) return failed({ kind: 'disk', action: 'read', path: index, code: 'unreadable' });
  const folders = listed.value.filter(({ isFile }) => !isFile).map(({ name }) => name);
  const names = [...folders, ...leftOut.flatMap(jobOf)].filter((name) => !name.startsWith('.'));
  return done([...new Set(names)].sort(byCodePoint).map((name) => loadJob(root, files, name)));
}

/** The name of the job that this is the file of. */
function jobOf(path: string): readonly string[] {
  const [name = '', file, ...more] = path.slice(JOBS.length + 1).split('/');
  return file === FILE && more.length === 0 ? [name] : [];
}

function loadJob(root: string, all: TextFiles, name: string): LoadedJob {
  const folder = `${JOBS}/${name}` as RepoPath;
  const file = `${folder}/${FILE}`;
  const broken = (problems: readonly Omit<Problem, 'file'>[]): LoadedJob => ({
    name,
    job: null,
    problems: problems.map((problem) => ({ file, ...problem })),
  });
  const there = checkFolder(root, folder);
  if (!there.ok) return broken([unusable(file, 'not-a-file')]);
  const files = filesIn(root, folder, all);
  const read = readWhole(files, FILE);
  // What a link leads to, wherever that is, is no file of the job's.
  if (!read.ok) return broken([unusable(file, read.why === 'outside' ? 'not-a-file' : read.why)]);
  const parsed = parseJob(read.text);
  if (!parsed.ok) return broken(parsed.problems);
  const completed = complete(files, folder, name, parsed.job);
  return completed.ok ? { name, job: completed.job, problems: [] } : broken(completed.problems);
}

/** The files of a job: its folder stands for the root, so that a link out of it is seen. */
function filesIn(root: string, folder: RepoPath, all: TextFiles): TextFiles {
  const own = diskFiles(join(root, folder));
  return {
    ...own,
    read(path, limit) {
      const found = own.read(path, limit);
      return found.kind === 'unusable' && found.why === 'missing' ? all.read(`${folder}/${path}`, limit) : found;
    },
  };
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
  return read.why === 'outside' ? outside : { ok: false, what: { kind: 'unusable-file', path, why: read.why } };
}
