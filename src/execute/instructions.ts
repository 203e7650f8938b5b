import type { RepoPath, ReviewId } from '../domain/brand.ts';
import type { Changes } from '../domain/change.ts';
import { isGenerated } from '../domain/generated.ts';
import type { InstructionsOutcome, Notice, WrittenTask } from '../domain/instructions.ts';
import type { Mark, TaskFacts } from '../domain/pass.ts';
import type { Contents, InstructionFiles, Passes, Repository } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Rule } from '../domain/rule.ts';
import type { Settings } from '../domain/settings.ts';
import type { ReferenceText, ReviewTask, RuleTask, TaskContext } from '../domain/task.ts';
import { type Candidate, decideInstructions, type InstructionsPlan } from '../plan/decide-instructions.ts';
import { identify } from '../plan/identify.ts';
import { hiddenByLogDir } from '../plan/log-dir.ts';
import { checkReviewId } from '../plan/review-id.ts';
import { taskFacts } from '../plan/task-facts.ts';
import { planTasks } from '../plan/tasks.ts';
import { instructionFile } from '../prompt/instruction-file.ts';
import { readReferences } from './references.ts';
import { type SelectedFiles, selectChanged, selectListed } from './select-files.ts';

export type InstructionPorts = {
  readonly repository: Repository;
  readonly contents: Contents;
  readonly passes: Passes;
  readonly instructionFiles: InstructionFiles;
};

export type InstructionsRequest = {
  readonly rules: readonly Rule[];
  readonly changes: Changes;
  readonly settings: Settings;
  /** Null: the changed files. */
  readonly listed: readonly RepoPath[] | null;
  readonly base: string | null;
  /** Where a marker is, to tell whether git tracks it. */
  markerPath(id: ReviewId): RepoPath;
};

/** Everything that is known and decided before anything is written. */
export type PreparedInstructions = {
  readonly files: SelectedFiles;
  readonly candidates: readonly Candidate[];
  readonly plan: InstructionsPlan;
  readonly context: TaskContext;
  readonly notices: readonly Notice[];
};

/** Reads what there is and decides which reviews are to be done. */
export async function prepareInstructions(
  ports: InstructionPorts,
  request: InstructionsRequest,
): Promise<Result<PreparedInstructions>> {
  const { changes, settings } = request;
  const hidden = hiddenByLogDir(changes.listing.tracked, settings.logDir);
  if (hidden.length > 0) return failed({ kind: 'log-dir-hides', logDir: settings.logDir, files: hidden });
  const files =
    request.listed === null
      ? done(selectChanged(changes, settings.logDir))
      : await selectListed(request.listed, changes, ports, { logDir: settings.logDir, base: request.base });
  if (!files.ok) return files;
  const tasks = planTasks(request.rules, { changed: files.value.files, unchanged: () => files.value.unchanged() });
  const { context, notices } = await readContext(tasks, files.value, ports.contents);
  const reviews = await identifyTasks(tasks, ports.contents);
  const candidates = await findMarks(reviews, context, ports.passes, request);
  if (!candidates.ok) return candidates;
  const plan = decideInstructions(candidates.value.candidates, settings.cache);
  return done({
    files: files.value,
    candidates: candidates.value.candidates,
    plan,
    context,
    notices: [
      ...files.value.notices,
      ...withheldFrom(request.rules, files.value),
      ...notices,
      ...candidates.value.notices,
      ...plan.notices,
    ],
  });
}

/** The withheld files that a review would be about if they were not. */
function withheldFrom(rules: readonly Rule[], { files, withheld }: SelectedFiles): readonly Notice[] {
  if (withheld.length === 0) return [];
  const tasks = planTasks(rules, { changed: [...files, ...withheld], unchanged: () => [] });
  const reviewed = new Set(tasks.flatMap((task) => task.files));
  return withheld.filter((path) => reviewed.has(path)).map((path) => ({ kind: 'withheld', path }));
}

/** Writes the instruction files that were decided on, and remembers what each review is about. */
export async function writeInstructions(
  ports: InstructionPorts,
  request: InstructionsRequest,
  prepared: PreparedInstructions,
): Promise<Result<InstructionsOutcome>> {
  const { plan, context } = prepared;
  const toWrite = plan.decisions.filter((decision) => decision.kind === 'write');
  const facts = new Map(prepared.candidates.map((candidate) => [candidate.task.id, candidate.facts]));
  const remembered = await ports.passes.remember(
    toWrite.map((decision) => facts.get(decision.task.id)).filter((one): one is TaskFacts => one !== undefined),
  );
  if (!remembered.ok) return remembered;
  const texts = new Map(
    toWrite.map(({ task }): [ReviewId, string] => [
      task.id,
      instructionFile(task, { ...context, cacheable: checkReviewId(task.id) === null }),
    ]),
  );
  const paths = await ports.instructionFiles.replace(texts);
  if (!paths.ok) return paths;
  const written = toWrite.flatMap(({ task, why }): WrittenTask[] => {
    const file = paths.value.get(task.id);
    return file === undefined ? [] : [{ task, file, why }];
  });
  return done({
    selection:
      request.listed === null
        ? { kind: 'changed', base: request.changes.base?.name ?? null, count: prepared.files.files.length }
        : { kind: 'listed', count: prepared.files.files.length },
    ruleCount: request.rules.length,
    written,
    skipped: plan.decisions.filter((decision) => decision.kind === 'skip').map((decision) => decision.task),
    notices: prepared.notices,
  });
}

async function readContext(
  tasks: readonly RuleTask[],
  files: SelectedFiles,
  contents: Contents,
): Promise<{ readonly context: TaskContext; readonly notices: readonly Notice[] }> {
  const references = new Map<RuleTask, readonly ReferenceText[]>();
  const notices = new Map<string, Notice>();
  for (const task of tasks) {
    const read = await readReferences(task, contents);
    references.set(task, read.references);
    for (const notice of read.notices) notices.set(JSON.stringify(notice), notice);
  }
  return { context: { allChanged: files.files, references }, notices: [...notices.values()] };
}

async function identifyTasks(tasks: readonly RuleTask[], contents: Contents): Promise<readonly ReviewTask[]> {
  const identified = [];
  for (const task of tasks) identified.push({ task, content: await contents.digest(task.files) });
  return identify(identified);
}

async function findMarks(
  reviews: readonly ReviewTask[],
  context: TaskContext,
  passes: Passes,
  request: InstructionsRequest,
): Promise<Result<{ readonly candidates: readonly Candidate[]; readonly notices: readonly Notice[] }>> {
  const marked = await passes.marked();
  if (!marked.ok) return marked;
  const tracked = new Set(request.changes.listing.tracked.filter((path) => isGenerated(path, request.settings.logDir)));
  const candidates: Candidate[] = [];
  const notices: Notice[] = [];
  for (const task of reviews) {
    const mark: Mark | null = marked.value.ids.has(task.id)
      ? { tracked: tracked.has(request.markerPath(task.id)), receipt: await passes.receipt(task.id) }
      : null;
    if (marked.value.notFiles.has(task.id)) notices.push({ kind: 'marker-not-a-file', id: task.id });
    candidates.push({ task, facts: taskFacts(task, context), mark });
  }
  return done({ candidates, notices });
}
