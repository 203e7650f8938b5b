import type { RepoPath } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import {
  cleanCase,
  editsInLines,
  type HostedEdit,
  historyCase,
  mutantCase,
  type ReadCommit,
  SCENARIOS,
  scenarioCase,
} from '../decide/cases.ts';
import { cleanChanges, isSourceFile, type PastCommit, smallFixes } from '../decide/commits.ts';
import { applyEdit } from '../decide/edits.ts';
import { seededRandom, shuffled } from '../decide/random.ts';
import type { CaseSource, ProofCase } from '../types.ts';
import { differingLines, readCommitFiles, readCommits } from './history.ts';
import type { Parsers } from './parsers.ts';

export type GatherOptions = {
  readonly repository: RepositoryPaths;
  readonly parsers: Parsers;
  readonly seed: number;
  /** How many test cases are wanted in total. Each source offers at most this number. */
  readonly most: number;
  /** The sources of test cases that are wanted; empty for all sources. */
  readonly sources: readonly CaseSource[];
  /** How many planted bugs each real change offers. With checks, most of them are needed to replace caught ones. */
  readonly bugsPerChange: number;
  /** Whether a gate reviews this file. */
  covers(path: RepoPath): boolean;
};

/**
 * Makes test cases from the history of the repository: undone bug fixes, real changes as they are, and real changes
 * with a planted bug or a harmless edit. Further bugs in the same changes come last, so that they only replace others.
 */
export async function gatherCases(options: GatherOptions): Promise<Result<readonly ProofCase[]>> {
  const { repository, seed } = options;
  const commits = await readCommits(repository);
  if (!commits.ok) return commits;
  const random = seededRandom(seed);
  const isCovered = ({ files }: PastCommit) => files.some(({ path }) => isSourceFile(path) && options.covers(path));
  const fixes = shuffled(smallFixes(commits.value).filter(isCovered), random);
  const hosts = shuffled(cleanChanges(commits.value).filter(isCovered), random);
  const cases: ProofCase[] = [];
  for (const fix of fixes) {
    if (cases.length >= options.most) break;
    const fixCase = await undoneFix(fix, options);
    if (fixCase !== null) cases.push(fixCase);
  }
  const useCounts = new Map<string, number>();
  const spare: ProofCase[] = [];
  let fromHosts = 0;
  for (const host of hosts) {
    if (isEnough([...cases, ...spare], fromHosts, options)) break;
    const commitFiles = await readCommitFiles(repository.root, host);
    if (commitFiles === null) continue;
    const hostCases = await editedCases(commitFiles, options, random, useCounts);
    cases.push(cleanCase(commitFiles), ...hostCases.cases);
    spare.push(...hostCases.spare);
    fromHosts++;
  }
  return ok([...cases, ...shuffled(spare, random)]);
}

/**
 * Whether enough real changes were used. One change gives up to four test cases from different sources, but often
 * fewer.
 */
function isEnough(
  cases: readonly ProofCase[],
  fromHosts: number,
  { sources, most, bugsPerChange }: Pick<GatherOptions, 'sources' | 'most' | 'bugsPerChange'>,
): boolean {
  const countedSources = FROM_HOSTS.filter((source) => sources.includes(source));
  if (countedSources.length === 0) return fromHosts >= most;
  const isFull = (source: CaseSource) =>
    cases.filter((proofCase) => proofCase.source === source).length >=
    (source === 'mutant' ? most * bugsPerChange : most);
  return countedSources.every(isFull) || fromHosts >= most * HOSTS_PER_CASE;
}

const FROM_HOSTS = ['clean', 'mutant', 'trap', 'scenario'] as const;
const HOSTS_PER_CASE = 8;

async function undoneFix(fix: PastCommit, { repository: { root }, covers }: GatherOptions): Promise<ProofCase | null> {
  const commitFiles = await readCommitFiles(root, fix);
  if (commitFiles === null) return null;
  const source = fix.files.map(({ path }) => path).filter((path) => isSourceFile(path) && covers(path));
  const places = await Promise.all(
    source.map(async (file) =>
      (await differingLines(root, fix.id, fix.parent, file)).map((range) => ({ file, ...range })),
    ),
  );
  return historyCase(commitFiles, source, places.flat());
}

/**
 * Edits the lines that a commit added and returns up to three test cases: one with a bug, one with a harmless edit, and
 * one with two rounds. `spare` are test cases with other bugs in the same commit.
 */
async function editedCases(
  host: ReadCommit,
  { repository: { root }, parsers, covers, bugsPerChange }: GatherOptions,
  random: () => number,
  useCounts: Map<string, number>,
): Promise<{ readonly cases: readonly ProofCase[]; readonly spare: readonly ProofCase[] }> {
  const places: HostedEdit[] = [];
  for (const [path, text] of host.after) {
    const parser = text === null || !isSourceFile(path) || !covers(path) ? null : parsers.parserFor(path);
    const edits = parser?.edits(path, text ?? '') ?? null;
    if (parser === null || text === null || edits === null) continue;
    const addedRanges = await differingLines(root, host.commit.parent, host.commit.id, path);
    const usableEdits = editsInLines(edits, text, addedRanges).filter((edit) =>
      parser.parses(path, applyEdit(text, edit)),
    );
    places.push(...usableEdits.map((edit) => ({ path, text, edit })));
  }
  const shuffledPlaces = shuffled(places, random);
  // Take the kind of bug that was used least so far, so that rare kinds occur too.
  const uses = ({ edit }: HostedEdit) => useCounts.get(edit.class ?? '') ?? 0;
  const bugs = shuffledPlaces.filter(({ edit }) => edit.class !== null);
  const trap = shuffledPlaces.find(({ edit }) => edit.class === null);
  const [bug, ...otherBugs] = [...bugs].sort((a, b) => uses(a) - uses(b));
  const cases: ProofCase[] = trap === undefined ? [] : [mutantCase(host, trap)];
  if (bug === undefined) return { cases, spare: [] };
  const note = ({ edit }: HostedEdit) => useCounts.set(edit.class ?? '', (useCounts.get(edit.class ?? '') ?? 0) + 1);
  note(bug);
  cases.push(mutantCase(host, bug));
  const apart = bugs.filter((candidate) => candidate.path === bug.path && areApart(candidate, bug));
  const kind = SCENARIOS[Math.floor(random() * SCENARIOS.length)] ?? 'after-pass';
  const partner = kind === 'sibling-left' ? apart.find(({ edit }) => edit.class === bug.edit.class) : apart[0];
  if (partner !== undefined) cases.push(scenarioCase(host, kind, partner, bug));
  return { cases, spare: otherBugs.slice(0, bugsPerChange - 1).map((otherBug) => mutantCase(host, otherBug)) };
}

function areApart(a: HostedEdit, b: HostedEdit): boolean {
  const [first, second] = a.edit.start < b.edit.start ? [a, b] : [b, a];
  const between = first.edit.end <= second.edit.start ? a.text.slice(first.edit.end, second.edit.start) : '';
  return between.split('\n').length > 3;
}
