import type { ReviewId } from '@onceover/base/kernel/ids';
import { hiddenByLogDir, isGenerated } from '@onceover/base/kernel/paths';
import type { Changes, Listing, Repository, RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { Settings } from '@onceover/repo/config/settings';
import { openContents } from '@onceover/repo/git/working-files';
import { type DecidedReview, decideReview } from './decide.ts';
import { openProject, rulesFor } from './load.ts';
import { markerPath, openPasses, replaceInstructionFiles } from './passes.ts';
import { instructionFile } from './prompt.ts';
import { taskFacts } from './review-id.ts';
import {
  type GivenFiles,
  readContext,
  type SelectedFiles,
  selectChanged,
  selectListed,
  toPaths,
} from './select-files.ts';
import { identify, matchRules, planTasks } from './tasks.ts';
import type { InstructionsOutcome, Notice, Rule, TaskFacts, WrittenTask } from './types.ts';

/** Returns the review tasks that a run counts as passed, in the state in which they passed. */
export type PassedTasks = (
  repository: RepositoryPaths,
  options: { readonly base: string | null; readonly settings: Pick<Settings, 'passes'> },
) => Promise<ReadonlyMap<ReviewId, TaskFacts>>;

export type InstructionsWish = {
  readonly files: GivenFiles | null;
  readonly base: string | null;
  readonly passedTasks: PassedTasks;
};

/** Writes one instruction file for each review that the change or the given files need. */
export async function instructions(cwd: string, options: InstructionsWish): Promise<Result<InstructionsOutcome>> {
  const preparation = await prepareReviews(cwd, options);
  if (!preparation.ok) return preparation;
  const { root, passes, reviews, context, selection, ruleCount, notices } = preparation.value;
  const toWrite = reviews.filter(({ why }) => why !== null);
  const rememberResult = await passes.remember(toWrite.map(({ facts }) => facts));
  if (!rememberResult.ok) return rememberResult;
  const texts = toWrite.map(({ task }): [ReviewId, string] => [task.id, instructionFile(task, context)]);
  const paths = replaceInstructionFiles(root, new Map(texts));
  if (!paths.ok) return paths;
  const writtenTasks = reviews.flatMap(({ task, why }): WrittenTask[] => {
    const file = paths.value.get(task.id);
    return file === undefined || why === null ? [] : [{ task, file, why }];
  });
  const skippedTasks = reviews.filter(({ why }) => why === null).map(({ task }) => task);
  return ok({ selection, ruleCount, written: writtenTasks, skipped: skippedTasks, notices });
}

/**
 * Returns the configured rules. If files are given, returns only rules that match one of them, even if their reviews
 * passed.
 */
export async function rules(
  cwd: string,
  files: GivenFiles | null,
): Promise<Result<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }>> {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const namedFiles = toPaths(project.value.place, files);
  if (!namedFiles.ok) return namedFiles;
  const tree = await project.value.repository.listing();
  if (!tree.ok) return tree;
  const ruleSet = await rulesFor(project.value, tree.value.listing);
  const notices = [...ruleSet.notices, ...namedFiles.value.notices];
  if (namedFiles.value.listed === null) return ok({ rules: ruleSet.rules, notices });
  const matches = matchRules(ruleSet.rules, namedFiles.value.listed);
  return ok({ rules: ruleSet.rules.filter((rule) => (matches.get(rule) ?? []).length > 0), notices });
}

/**
 * Returns all reviews, each with the decision to do or skip it. `passed` contains every id that is marked as passed.
 */
export async function prepareReviews(cwd: string, options: InstructionsWish) {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const { place, repository, settings } = project.value;
  const { logDir } = settings;
  const namedFiles = toPaths(place, options.files);
  if (!namedFiles.ok) return namedFiles;
  const { listed } = namedFiles.value;
  const base = options.base ?? settings.base;
  let loading: ReturnType<typeof rulesFor> | null = null;
  const onListing = (listing: Listing) => {
    loading = rulesFor(project.value, listing);
  };
  const changes = listed === null ? await repository.changes(base, onListing) : await withoutChange(repository);
  if (!changes.ok) return changes;
  const ruleSet = await (loading ?? rulesFor(project.value, changes.value.listing));
  const hiddenPaths = hiddenByLogDir(changes.value.listing.tracked, logDir);
  if (hiddenPaths.length > 0) return err({ kind: 'log-dir-hides', logDir, files: hiddenPaths });
  const contents = openContents(place.root);
  const fileSelection =
    listed === null
      ? ok(selectChanged(changes.value, logDir))
      : await selectListed(listed, changes.value, { repository, contents }, { logDir, base });
  if (!fileSelection.ok) return fileSelection;
  const { files, unchanged } = fileSelection.value;
  const tasks = planTasks(ruleSet.rules, { changed: files, unchanged });
  const { context, notices: unusable } = await readContext(tasks, contents, files);
  const passes = openPasses(place);
  const trackedPaths = new Set(changes.value.listing.tracked.filter((path) => isGenerated(path, logDir)));
  const marks = await passes.marked();
  if (!marks.ok) return marks;
  const { ids: passedIds, notFiles } = marks.value;
  const taskContents = [];
  for (const task of tasks) taskContents.push({ task, content: await contents.digest(task.files) });
  const identified = identify(taskContents);
  const isOpen = identified.some(({ id }) => !passedIds.has(id));
  const passedInRun = isOpen ? await options.passedTasks(place, { base: options.base, settings }) : new Map();
  const reviews: DecidedReview[] = [];
  for (const task of identified) {
    const { id } = task;
    const mark = passedIds.has(id)
      ? { tracked: trackedPaths.has(markerPath(id)), receipt: await passes.receipt(id) }
      : null;
    const facts = taskFacts(task, context);
    reviews.push(decideReview({ task, facts, mark, passed: passedInRun.get(id) ?? null }, settings.cache));
  }
  const selection: InstructionsOutcome['selection'] =
    listed === null
      ? { kind: 'changed', base: changes.value.base?.name ?? null, count: files.length }
      : { kind: 'listed', count: files.length };
  const notices: readonly Notice[] = [
    ...ruleSet.notices,
    ...namedFiles.value.notices,
    ...fileSelection.value.notices,
    ...withheldNotices(ruleSet.rules, fileSelection.value),
    ...unusable,
    ...reviews.flatMap(({ task: { id } }) => (notFiles.has(id) ? [{ kind: 'marker-not-a-file', id } as const] : [])),
    ...reviews.flatMap((review) => review.notices),
  ];
  const { root } = place;
  return ok({ root, passes, passed: passedIds, reviews, context, selection, ruleCount: ruleSet.rules.length, notices });
}

/** Returns the working tree as a change without a base, because listed files are not compared with a base. */
async function withoutChange(repository: Repository): Promise<Result<Changes>> {
  const tree = await repository.listing();
  if (!tree.ok) return tree;
  const { listing, deleted } = tree.value;
  return ok({ base: null, changed: [], deleted, submodules: listing.nested, listing });
}

function withheldNotices(rules: readonly Rule[], { files, withheld }: SelectedFiles): readonly Notice[] {
  if (withheld.length === 0) return [];
  const tasks = planTasks(rules, { changed: [...files, ...withheld], unchanged: () => [] });
  const reviewedPaths = new Set(tasks.flatMap((task) => task.files));
  return withheld.filter((path) => reviewedPaths.has(path)).map((path) => ({ kind: 'withheld', path }));
}
