import { join } from 'node:path';
import { readSourceText, readWithNotice, unusable } from '../../config/read-file.ts';
import { checkShape, readYaml } from '../../config/yaml.ts';
import { diskFiles, sparseFiles, type TextFiles } from '../../git/tree-files.ts';
import { byCodePoint } from '../../kernel/collections.ts';
import type { PlacedProblem, Problem, ProblemKind } from '../../kernel/failure.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';
import type { RepositoryPaths } from '../../kernel/repository.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { checkFolder, listFolder } from '../../platform/files.ts';
import type { Job, Step } from '../types.ts';
import { checkJob, type JobDocument, jobSchema, stepsInOrder } from './check.ts';

type Position = { readonly line: number; readonly column: number };

/** A parsed job whose instruction files are not read yet. */
export type ParsedJob = Omit<Job, 'steps' | 'folder'> & {
  readonly nameAt: Position;
  readonly steps: readonly (Omit<Step, 'instructions' | 'instructionsFile'> & {
    readonly instructionsFile: { readonly path: string } & Position;
  })[];
};

/** Parses the text of a `job.yml`, or returns its problems. */
export function parseJob(
  text: string,
):
  | { readonly ok: true; readonly job: ParsedJob }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] } {
  const read = readYaml(text);
  if (!read.ok) return read;
  const checked = checkShape(jobSchema, read.value ?? {}, read.yaml);
  if (!checked.ok) return checked;
  const { place } = read.yaml;
  const problems = checkJob(checked.value, place);
  if (problems.length > 0) return { ok: false, problems };
  const { name, version, summary, common_job_info_provided_to_all_steps_at_runtime: commonInfo } = checked.value;
  const steps = checked.value.steps.map(({ instructions_file: path, ...step }, i) => ({
    ...step,
    dependencies: [...new Set(step.dependencies)],
    instructionsFile: { path, ...place(['steps', i, 'instructions_file']) },
    inputs: step.inputs.map((input) =>
      'file' in input
        ? ({ kind: 'file', output: input.file, fromStep: input.from_step } as const)
        : ({ kind: 'user', ...input } as const),
    ),
    outputs: Object.entries(step.outputs).map(([output, spec]) => ({ name: output, ...spec })),
  }));
  const workflows = workflowsOf(checked.value);
  return {
    ok: true,
    job: { name, nameAt: place(['name']), version, summary, commonInfo: commonInfo.trim(), workflows, steps },
  };
}

function workflowsOf({ name, summary, steps, workflows }: JobDocument): Job['workflows'] {
  if (workflows.length === 0) return [{ name, summary, groups: stepsInOrder(steps).map((id) => [id]) }];
  return workflows.map((workflow) => ({
    name: workflow.name,
    summary: workflow.summary,
    groups: workflow.steps.map((entry) => (typeof entry === 'string' ? [entry] : entry)),
  }));
}

const JOBS = '.deepwork/jobs';

const FILE = 'job.yml';

/** A valid job, or its problems. `name` is the name of its folder. */
export type LoadedJob = { readonly name: string } & (
  | { readonly job: Job; readonly problems: readonly [] }
  | { readonly job: null; readonly problems: readonly Problem[] }
);

/** Reads every `.deepwork/jobs/<job>/job.yml`, also outside a sparse checkout. Invalid jobs do not stop the others. */
export function loadJobs(repository: Pick<RepositoryPaths, 'root' | 'index'>): Result<readonly LoadedJob[]> {
  const { root, index } = repository;
  const present = checkFolder(root, JOBS);
  if (!present.ok) return present;
  const listed = listFolder(join(root, JOBS));
  if (!listed.ok) return listed;
  const files = sparseFiles(repository);
  const leftOut = files.leftOut(JOBS);
  if (leftOut === null) return err({ kind: 'disk', action: 'read', path: index, code: 'unreadable' });
  const folders = listed.value.filter(({ isFile }) => !isFile).map(({ name }) => name);
  const names = [...folders, ...leftOut.flatMap(jobNameOf)].filter((name) => !name.startsWith('.'));
  return ok([...new Set(names)].sort(byCodePoint).map((name) => loadJob(root, files, name)));
}

/** Returns the name of the job if the path is its `job.yml`. */
function jobNameOf(path: string): readonly string[] {
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
  if (!checkFolder(root, folder).ok) return broken([unusable(file, 'not-a-file')]);
  const files = filesIn(root, folder, all);
  const read = readSourceText(files, FILE);
  // A link to a file outside the folder does not count as a file of the job.
  if (!read.ok) return broken([unusable(file, read.why === 'outside' ? 'not-a-file' : read.why)]);
  const parsed = parseJob(read.text);
  if (!parsed.ok) return broken(parsed.problems);
  const { nameAt, ...job } = parsed.job;
  const problems: Omit<Problem, 'file'>[] = [];
  if (job.name !== name) problems.push({ ...nameAt, what: { kind: 'job-name-differs', name: job.name, folder: name } });
  const steps: Step[] = [];
  for (const { instructionsFile, ...step } of job.steps) {
    const { path, line, column } = instructionsFile;
    const instructions = readInstructions(files, path, folder);
    if ('problem' in instructions) problems.push({ line, column, what: instructions.problem });
    else steps.push({ ...step, ...instructions });
  }
  return problems.length > 0 ? broken(problems) : { name, job: { ...job, steps, folder }, problems: [] };
}

/** Opens the files of a job with its folder as the root, so that a link out of the folder is detected. */
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

function readInstructions(
  files: TextFiles,
  path: string,
  folder: RepoPath,
): Pick<Step, 'instructions' | 'instructionsFile'> | { readonly problem: ProblemKind } {
  const outside = { problem: { kind: 'outside-job', path, folder } } as const;
  const inside = repoPath(path);
  if (inside === null) return outside;
  const read = readWithNotice(files, inside);
  if (read.ok) return { instructions: read.text, instructionsFile: `${folder}/${inside}` as RepoPath };
  return read.why === 'outside' ? outside : { problem: { kind: 'unusable-file', path, why: read.why } };
}
