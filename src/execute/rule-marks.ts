import type { RepoPath } from '../domain/brand.ts';
import type { GateId, ReviewGate } from '../domain/gate.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import type { Contents, Passes, Snapshots } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { Settings } from '../domain/settings.ts';
import type { ReviewTask, RuleTask, TaskContext } from '../domain/task.ts';
import { isTrusted } from '../plan/decide-instructions.ts';
import { identify } from '../plan/identify.ts';
import { isMarkable, isReadable } from '../plan/markable.ts';
import { checkReviewId } from '../plan/review-id.ts';
import { taskFacts } from '../plan/task-facts.ts';
import { readReferences } from './references.ts';

type MarkPorts = { readonly passes: Passes; contents(): Contents };

/** The rule gates whose task carries a mark for its files, and by its instructions, as they are. */
export async function markedTasks(
  ports: MarkPorts & { readonly snapshots: Pick<Snapshots, 'trackedIn'> },
  gates: readonly ReviewGate[],
  cache: Settings['cache'],
  allChanged: readonly RepoPath[],
): Promise<Result<ReadonlySet<GateId>>> {
  const tracked = await ports.snapshots.trackedIn(GENERATED_FOLDER);
  if (!tracked.ok) return tracked;
  const marked = await ports.passes.marked();
  if (!marked.ok) return marked;
  const found = new Set<GateId>();
  const contents = ports.contents();
  for (const { task, gates: own } of await reviewTasks(contents, gates)) {
    // A mark that git tracks came with the change.
    const isTracked = [...tracked.value].some((path) => path.endsWith(`/${task.id}.passed`));
    if (!marked.value.ids.has(task.id) || isTracked) continue;
    const facts = taskFacts(task, { allChanged, references: await referencesOf(task, contents) });
    if (!isTrusted(await ports.passes.receipt(task.id), facts, cache)) continue;
    for (const gate of own) if (gate.entries.every(isMarkable)) found.add(gate.id);
  }
  return done(found);
}

/** Tells, later, whether the files of a rule's gate have been left alone since now. */
export function watchMarked(
  snapshots: Pick<Snapshots, 'touched'>,
  gates: Iterable<ReviewGate>,
): (gate: ReviewGate) => boolean {
  const touched = ({ entries }: ReviewGate) => snapshots.touched(entries.map(({ path }) => path));
  const before = new Map<GateId, string>();
  for (const gate of gates) if (gate.kind === 'rule') before.set(gate.id, touched(gate));
  return (gate) => before.get(gate.id) === touched(gate);
}

/**
 * Marks the tasks all of whose gates passed, so that `instructions` need not ask for them either. A mark is for what is on
 * disk by then, so the files must have been left alone since before it was looked whether they passed.
 */
export async function markPassed(
  ports: MarkPorts,
  gates: readonly ReviewGate[],
  passed: ReadonlySet<GateId>,
  now: Date,
  allChanged: readonly RepoPath[],
  isLeftAlone: (gate: ReviewGate) => boolean,
): Promise<Result<void>> {
  if (!gates.some((gate) => gate.kind === 'rule' && passed.has(gate.id))) return done(undefined);
  const contents = ports.contents();
  for (const { task, gates: own } of await reviewTasks(contents, gates)) {
    if (!own.every((gate) => passed.has(gate.id) && isLeftAlone(gate)) || checkReviewId(task.id) !== null) continue;
    const references = await referencesOf(task, contents);
    const remembered = await ports.passes.remember([taskFacts(task, { allChanged, references })]);
    if (!remembered.ok) return remembered;
    const marked = await ports.passes.mark(task.id, 'run', now);
    if (!marked.ok) return marked;
  }
  return done(undefined);
}

async function referencesOf({ parts }: ReviewTask, contents: Contents): Promise<TaskContext['references']> {
  const read = parts.map(async (part) => [part, (await readReferences(part, contents)).references] as const);
  return new Map(await Promise.all(read));
}

/** The tasks of rule gates as the instructions flow knows them: files that are there, ids by content. */
async function reviewTasks(
  contents: Contents,
  gates: readonly ReviewGate[],
): Promise<readonly { readonly task: ReviewTask; readonly gates: readonly ReviewGate[] }[]> {
  const owners = new Map<RuleTask, ReviewGate>();
  const tasks = [];
  for (const gate of gates) {
    if (gate.task === null) continue;
    const isThere = new Set(gate.entries.filter(isReadable).map(({ path }) => path));
    const files = gate.task.files.filter((path) => isThere.has(path));
    // What is only deleted leaves nothing to vouch for.
    if (files.length === 0) continue;
    const task = { ...gate.task, files };
    owners.set(task, gate);
    tasks.push({ task, content: await contents.digest(files) });
  }
  return identify(tasks).map((task) => ({ task, gates: task.parts.flatMap((part) => owners.get(part) ?? []) }));
}
