import { join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { PlacedProblem, Problem, ProblemKind } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { checkFolder, listFolder } from '@onceover/base/platform/files';
import { readNonEmpty, readSourceText, unusable } from '@onceover/repo/config/read-file';
import { checkShape, readYaml, type YamlFile } from '@onceover/repo/config/yaml';
import { diskFiles, sparseFiles, type TextFiles } from '@onceover/repo/git/tree-files';
import type { Job, Step } from '../types.ts';
import { checkJob, type JobDocument, jobSchema, orderSteps } from './check.ts';

/**
 * Parses the text of a `job.yml`. Returns the job, or its problems. A job without workflows gets one that contains all
 * its steps.
 */
export function parseJob(text: string):
  | {
      readonly ok: true;
      readonly job: Omit<Job, 'steps' | 'folder'> & Pick<JobDocument, 'steps'>;
      readonly place: YamlFile['place'];
    }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] } {
  const source = readYaml(text);
  if (!source.ok) return source;
  const shape = checkShape(jobSchema, source.value ?? {}, source.yaml);
  if (!shape.ok) return shape;
  const job = shape.value;
  const { place } = source.yaml;
  const problems = checkJob(job, place);
  if (problems.length > 0) return { ok: false, problems };
  const { name, summary } = job;
  const defaultWorkflow = { name, summary, steps: orderSteps(job.steps).order };
  const workflows = job.workflows.length === 0 ? [defaultWorkflow] : job.workflows;
  const groupedWorkflows = workflows.map((workflow) => ({
    ...workflow,
    steps: workflow.steps.map((entry) => [entry].flat()),
  }));
  return { ok: true, job: { ...job, workflows: groupedWorkflows }, place };
}

const JOBS = '.deepwork/jobs';

const FILE = 'job.yml';

/** A valid job, or the problems of an invalid one. `name` is the name of the job's folder. */
export type LoadedJob = { readonly name: string } & (
  | { readonly job: Job; readonly problems: readonly [] }
  | { readonly job: null; readonly problems: readonly Problem[] }
);

/** Reads every `.deepwork/jobs/<job>/job.yml`, even if a sparse checkout leaves it out of the working tree. */
export function loadJobs(repository: Pick<RepositoryPaths, 'root' | 'index'>): Result<readonly LoadedJob[]> {
  const { root, index } = repository;
  const present = checkFolder(root, JOBS);
  if (!present.ok) return present;
  const entries = listFolder(join(root, JOBS));
  if (!entries.ok) return entries;
  const files = sparseFiles(repository);
  const leftOut = files.leftOut(JOBS);
  if (leftOut === null) return err({ kind: 'disk', action: 'read', path: index, code: 'unreadable' });
  const folders = entries.value.filter(({ isFile }) => !isFile).map(({ name }) => name);
  const isJobFile = /^\.deepwork\/jobs\/([^/]+)\/job\.yml$/;
  const sparse = leftOut.flatMap((path) => isJobFile.exec(path)?.[1] ?? []);
  const names = [...folders, ...sparse].filter((name) => !name.startsWith('.'));
  return ok([...new Set(names)].sort(byCodePoint).map((name) => loadJob(root, files, name)));
}

function loadJob(root: string, allFiles: TextFiles, name: string): LoadedJob {
  const folder = `${JOBS}/${name}` as RepoPath;
  const file = `${folder}/${FILE}`;
  const brokenJob = (problems: readonly PlacedProblem[]): LoadedJob => ({
    name,
    job: null,
    problems: problems.map((problem) => ({ file, ...problem })),
  });
  if (!checkFolder(root, folder).ok) return brokenJob([unusable(file, 'not-a-file')]);
  const files = filesIn(root, folder, allFiles);
  const source = readSourceText(files, FILE);
  // A link to a file outside the job's folder is reported as "not a file".
  if (!source.ok) return brokenJob([unusable(file, source.why === 'outside' ? 'not-a-file' : source.why)]);
  const parsedJob = parseJob(source.text);
  if (!parsedJob.ok) return brokenJob(parsedJob.problems);
  const { job, place } = parsedJob;
  const problems: PlacedProblem[] = [];
  if (job.name !== name) {
    problems.push({ ...place(['name']), what: { kind: 'job-name-differs', name: job.name, folder: name } });
  }
  const steps: Step[] = [];
  for (const [i, step] of job.steps.entries()) {
    const instructions = readInstructions(files, step.instructions_file, folder);
    if ('kind' in instructions) problems.push({ ...place(['steps', i, 'instructions_file']), what: instructions });
    else steps.push({ ...step, ...instructions });
  }
  return problems.length > 0 ? brokenJob(problems) : { name, job: { ...job, steps, folder }, problems: [] };
}

/** Opens the files of a job with its folder as the root, so that links to files outside the folder are detected. */
function filesIn(root: string, folder: RepoPath, allFiles: TextFiles): TextFiles {
  const jobFiles = diskFiles(join(root, folder));
  return {
    ...jobFiles,
    read(path, limit) {
      const file = jobFiles.read(path, limit);
      return file.kind === 'unusable' && file.why === 'missing' ? allFiles.read(`${folder}/${path}`, limit) : file;
    },
  };
}

function readInstructions(
  files: TextFiles,
  path: string,
  folder: RepoPath,
): Pick<Step, 'instructions' | 'instructions_file'> | ProblemKind {
  const inside = repoPath(path);
  const source = inside === null ? ({ ok: false, why: 'outside' } as const) : readNonEmpty(files, inside);
  if (source.ok) return { instructions: source.text, instructions_file: `${folder}/${inside}` };
  return source.why === 'outside'
    ? { kind: 'outside-job', path, folder }
    : { kind: 'unusable-file', path, why: source.why };
}
