import type { Answers } from '@onceover/agents/dispatch/answer-schemas';
import { openQueue } from '@onceover/agents/dispatch/limits';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Entry } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { findFile, readFileName } from '../../findings/finding-path.ts';
import { fileFingerprint, findingLocator, locateFinding } from '../../findings/locate-finding.ts';
import type { ReportedProblem, SlotReview } from '../../findings/match-findings.ts';
import { addedLines, isOnUnchangedLines } from '../../findings/unchanged-lines.ts';
import type { SlotJob } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';
import type { IterationContext } from './iteration.ts';

/**
 * Turns a reviewer's answer into a `SlotReview`: finds the place of each problem in the files and adds the earlier
 * findings.
 */
export async function interpretAnswer(
  context: IterationContext,
  job: SlotJob,
  agent: string,
  answer: Answers['gate'],
  isStale: boolean,
): Promise<Result<SlotReview>> {
  const { comparison } = context.facts;
  const { settings } = context.request;
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const filesByName = await namedFiles(context, job, answer.violations);
  if (!filesByName.ok) return filesByName;
  const earlier = job.state.findings.flatMap(({ finding }) => finding.file ?? []);
  const reading = await readFiles(
    context,
    job,
    [...filesByName.value.values()].map(({ file }) => file).concat(earlier),
  );
  if (!reading.ok) return reading;
  const files = reading.value;
  const problems = answer.violations.map((violation): ReportedProblem => {
    const name = violation.file.trim();
    const { file, line: lineInName } = filesByName.value.get(violation.file) ?? NO_FILE;
    const knownFile = file === null ? undefined : files.get(file);
    const line = violation['no_such_line'] === true ? 0 : (violation.line ?? lineInName);
    const location =
      knownFile?.locate(line, violation.code ?? null) ?? locateFinding(null, line, violation.code ?? null);
    const entry = file === null ? null : (entries.get(file) ?? null);
    return {
      file,
      line: location.line,
      code: violation.code ?? null,
      anchor: location.anchor,
      issue: file === null && name !== '' ? `${name}: ${violation.issue}` : violation.issue,
      fix: violation.fix ?? null,
      priority: violation.priority,
      mark: name !== '' && entry === null ? 'off-diff' : location.mark,
      entry,
      seen: knownFile?.seen ?? null,
    };
  });
  const seenBefore = await earlierReviews(context, job, problems);
  return ok({
    ...{ gate: job.gate.id, slot: job.slot, content: job.gate.content, agent, iteration: context.iteration },
    at: context.ports.clock.now().toISOString(),
    scope: comparison.scope.key,
    where: comparison.where,
    isRerun: reviewsBefore(job).length > 0,
    failOn: settings.failOn,
    rerunNewIssueThreshold: settings.rerunNewIssueThreshold,
    convergence: settings.convergence,
    seenBefore,
    status: answer.status,
    reported: problems,
    previous: answer.previous ?? [],
    message: answer.message ?? null,
    earlier: job.state.findings,
    entryNow: (file) => entries.get(file) ?? null,
    isStale,
    seenNow: (file) => files.get(file)?.seen ?? null,
  });
}

/**
 * Returns the records of the reviewer's earlier reviews. Ignores records that other tools wrote and reviews with
 * another prompt.
 */
function reviewsBefore({ state, slot, gate }: SlotJob): readonly SlotRecord[] {
  return state.cycle.filter(
    ({ slot: recordSlot, own, status }) =>
      recordSlot === slot && own?.promptDigest === gate.rubric.digest && (status === 'pass' || status === 'fail'),
  );
}

/**
 * Returns a function that counts the reviewer's earlier reviews, for problems whose lines have not changed since the
 * last of them. Only reviews with a stored verdict count, because anyone can write a record. If the setting
 * `convergence` is off or the earlier snapshot is lost, the count is 0.
 */
async function earlierReviews(
  { ports, request }: IterationContext,
  job: SlotJob,
  problems: readonly ReportedProblem[],
): Promise<SlotReview['seenBefore']> {
  const { unchangedCode, ratchet } = request.settings.convergence;
  const pastReviews = reviewsBefore(job);
  if (unchangedCode === 'block' && !ratchet) return () => 0;
  const contents = [...new Set(pastReviews.flatMap(({ own }) => own?.content ?? []))];
  const { id: gate, rubric } = job.gate;
  const key = { gate, slot: job.slot, scope: pastReviews.at(-1)?.own?.scope ?? '', promptDigest: rubric.digest };
  const storedReceipts = await Promise.all(
    contents.map((content) => ports.receipts.find('review', { ...key, content })),
  );
  const receipts = storedReceipts.filter((receipt) => receipt !== null);
  const tree = receipts.find(({ content }) => content === pastReviews.at(-1)?.own?.content)?.tree;
  if (tree === undefined) return () => 0;
  const paths = [...new Set(problems.flatMap(({ file }) => file ?? []))];
  const presentPaths = await ports.snapshots.filesIn(tree, paths);
  const sections = presentPaths.ok ? await ports.snapshots.plainSections(tree, job.tree, paths) : presentPaths;
  if (!presentPaths.ok || !sections.ok) return () => 0;
  const addedLinesByPath = new Map(
    sections.value.flatMap(({ paths: sectionPaths, text }) => sectionPaths.map((path) => [path, addedLines(text)])),
  );
  return (problem) => {
    if (problem.file === null || !presentPaths.value.has(problem.file)) return 0;
    return isOnUnchangedLines(problem, addedLinesByPath.get(problem.file) ?? new Set()) ? receipts.length : 0;
  };
}

type NamedFile = { readonly file: RepoPath | null; readonly line: number | null };

const NO_FILE: NamedFile = { file: null, line: null };

/**
 * Maps each file name in an answer to the file that the reviewer means: a file of the gate, of the change or of the
 * repository.
 */
async function namedFiles(
  { ports, request, changed, isChanged }: IterationContext,
  job: SlotJob,
  violations: Answers['gate']['violations'],
): Promise<Result<ReadonlyMap<string, NamedFile>>> {
  const gatePaths = job.gate.entries.map(({ path }) => path);
  const spellings = new Map(violations.map(({ file }) => [file, readFileName(file, request.root)]));
  const unchangedPaths = new Set(
    [...spellings.values()].flatMap(({ paths }) => paths).filter((path) => !isChanged(path)),
  );
  const existingPaths = await ports.snapshots.filesIn(job.tree, [...unchangedPaths]);
  if (!existingPaths.ok) return existingPaths;
  const exists = (path: RepoPath) => isChanged(path) || existingPaths.value.has(path);
  const pairs = [...spellings].map(([name, spelling]): [string, NamedFile] => {
    const file = findFile(spelling, gatePaths, exists) ?? findFile(spelling, changed, exists) ?? spelling.literal;
    return [name, { file, line: spelling.line }];
  });
  return ok(new Map(pairs));
}

type KnownFile = { readonly locate: ReturnType<typeof findingLocator>; readonly seen: string | null };

/** Reads files from the reviewed git tree, a few at a time. */
async function readFiles(
  { ports }: IterationContext,
  job: SlotJob,
  paths: readonly (RepoPath | null)[],
): Promise<Result<ReadonlyMap<RepoPath, KnownFile>>> {
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const distinct = [...new Set(paths.filter((path) => path !== null))];
  const queue = openQueue(FILES_AT_ONCE);
  const texts = await Promise.all(distinct.map((path) => queue(() => ports.snapshots.textIn(job.tree, path))));
  const files = new Map<RepoPath, KnownFile>();
  for (const [i, path] of distinct.entries()) {
    const text = texts[i];
    if (text?.ok !== true) return text ?? ok(files);
    files.set(path, { locate: findingLocator(text.value), seen: fileFingerprint(entries.get(path), text.value) });
  }
  return ok(files);
}

const FILES_AT_ONCE = 8;
