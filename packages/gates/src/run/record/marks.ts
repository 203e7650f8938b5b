import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import { folderOf, GENERATED_FOLDER, isInside } from '@onceover/base/kernel/paths';
import type { Contents, Snapshots } from '@onceover/base/kernel/repository';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import type { Settings } from '@onceover/repo/config/settings';
import type { ReviewGate } from '../../gate-types.ts';
import { isReadable, isTrusted, passMarkCovers } from '../../rules/decide.ts';
import { INSTRUCTIONS_FOLDER } from '../../rules/passes.ts';
import { taskFacts } from '../../rules/review-id.ts';
import { type ReferenceFiles, readContext } from '../../rules/select-files.ts';
import { identify } from '../../rules/tasks.ts';
import type { RuleReviewTask, RuleTask, TaskFacts } from '../../rules/types.ts';
import type { RunFacts, RunPorts } from '../ports.ts';

type MarkPorts = Pick<RunPorts, 'passes' | 'contents' | 'references'>;

type MarkOptions = Pick<Settings, 'cache'> & {
  readonly allChanged: readonly RepoPath[];
  readonly isPullRequest: boolean;
};

const MARKS = `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`;

/** Returns the gates of rules whose review task is marked as passed with its current files and instructions. */
export async function markedTasks(
  ports: MarkPorts & { readonly snapshots: Pick<Snapshots, 'trackedIn'> },
  gates: readonly ReviewGate[],
  { cache, allChanged, isPullRequest }: MarkOptions,
): Promise<Result<ReadonlySet<GateId>>> {
  const trackedPaths = await ports.snapshots.trackedIn(folderOf(GENERATED_FOLDER) as RepoPath);
  if (!trackedPaths.ok) return trackedPaths;
  // git lists a folder as tracked only if it is a submodule. The author of the change controls its files, so ignore the
  // marks of passed reviews in it.
  if ([...trackedPaths.value].some((path) => isInside(MARKS, path))) return ok(new Set());
  const marks = await ports.passes.marked();
  if (!marks.ok) return marks;
  const trackedMarks = new Set([...trackedPaths.value].map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const markedGates = new Set<GateId>();
  const contents = ports.contents();
  for (const { task, gates: taskGates } of await reviewTasks(contents, gates)) {
    // If git tracks the mark of a passed review, the mark came with the change under review, so it does not count.
    if (!marks.value.ids.has(task.id) || trackedMarks.has(`${task.id}.passed`)) continue;
    const facts = await factsOf(task, ports.references(), allChanged);
    const receipt = await ports.passes.receipt(task.id);
    // On a pull request, a mark of a passed review counts only if the git folder has a receipt for it, because the
    // author cannot write there.
    if ((receipt === null && isPullRequest) || !isTrusted(receipt, facts, cache)) continue;
    for (const gate of taskGates) if (gate.entries.every(passMarkCovers)) markedGates.add(gate.id);
  }
  return ok(markedGates);
}

/**
 * Marks the review tasks whose gates all passed, so that `onceover instructions` leaves them out. A mark applies to the
 * files on disk, so a task gets none if its files were written to after its reviewers ran.
 */
export async function markPassed(
  ports: MarkPorts,
  gates: readonly ReviewGate[],
  passedGates: ReadonlySet<GateId>,
  now: Date,
  allChanged: readonly RepoPath[],
  isUntouched: (gate: ReviewGate) => boolean,
): Promise<Result<void>> {
  if (!gates.some((gate) => gate.kind === 'rule' && passedGates.has(gate.id))) return ok(undefined);
  const ruleTasks = await reviewTasks(ports.contents(), gates);
  const tasks = ruleTasks.filter(({ gates: taskGates }) =>
    taskGates.every((gate) => passedGates.has(gate.id) && isUntouched(gate)),
  );
  const references = ports.references();
  const facts = [];
  for (const { task } of tasks) facts.push(await factsOf(task, references, allChanged));
  const rememberResult = await ports.passes.remember(facts);
  if (!rememberResult.ok) return rememberResult;
  return forEachOk(facts, ({ id }) => ports.passes.mark(id, 'run', now));
}

/** Returns the facts of the review tasks whose gates pass and whose reviewers all saw the current content. */
export async function passingTasks(
  ports: Pick<RunPorts, 'contents' | 'references'>,
  states: RunFacts['reviews'],
  allChanged: readonly RepoPath[],
): Promise<readonly TaskFacts[]> {
  const passing = new Set(states.filter(({ certified }) => certified).map(({ gate }) => gate));
  const tasks = await reviewTasks(
    ports.contents(),
    states.map(({ gate }) => gate),
  );
  const references = ports.references();
  const facts: TaskFacts[] = [];
  for (const { task, gates } of tasks) {
    if (gates.every((gate) => passing.has(gate))) facts.push(await factsOf(task, references, allChanged));
  }
  return facts;
}

async function factsOf(task: RuleReviewTask, references: ReferenceFiles, allChanged: readonly RepoPath[]) {
  return taskFacts(task, (await readContext(task.parts, references, allChanged)).context);
}

/** Returns the review tasks that the gates of rules stand for, with the ids that `onceover instructions` gives them. */
async function reviewTasks(
  contents: Contents,
  gates: readonly ReviewGate[],
): Promise<readonly { readonly task: RuleReviewTask; readonly gates: readonly ReviewGate[] }[]> {
  const owners = new Map<RuleTask, ReviewGate>();
  const tasks = [];
  for (const gate of gates) {
    if (gate.task === null) continue;
    const readable = new Set(gate.entries.filter(isReadable).map(({ path }) => path));
    const files = gate.task.files.filter((path) => readable.has(path));
    // If all files of a task are deleted, it has no content that could be marked as passed.
    if (files.length === 0) continue;
    const task = { ...gate.task, files };
    owners.set(task, gate);
    tasks.push({ task, content: await contents.digest(files) });
  }
  return identify(tasks).map((task) => ({ task, gates: task.parts.flatMap((part) => owners.get(part) ?? []) }));
}
