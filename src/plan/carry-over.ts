import type { RepoPath } from '../domain/brand.ts';
import type {
  CarriedCheck,
  CarriedEntry,
  CarriedOver,
  CarriedReview,
  ForeignCheck,
  ForeignConfig,
  ForeignEntry,
  ForeignReview,
  LeftOver,
} from '../domain/carry-over.ts';
import { byCodePoint } from '../domain/order.ts';
import { repoPath } from '../domain/repo-path.ts';
import type { EntrySettings } from '../domain/settings.ts';
import { shellWord } from '../domain/shell-word.ts';
import { openTable } from './carried-entries.ts';
import { nameOf, openShelf, PROMPTS, type PromptFacts } from './carried-prompts.ts';
import { type ForeignPath, fromEntryPath, fromExclude, fromFileGlob } from './foreign-path.ts';
import { gateName } from './gate-name.ts';

/** What must be known of the repository. */
export type CarryFacts = PromptFacts & {
  isFolder(path: string): boolean;
  /** Globs of what tools write here. */
  readonly toolWritten: readonly string[];
};

/** Decides what becomes of another tool's configuration: entry points, and a prompt for every text, word for word. */
export function carryOver(foreign: ForeignConfig, facts: CarryFacts): CarriedOver {
  const left: LeftOver[] = [...foreign.left];
  const shelf = openShelf(facts);
  const table = openTable();
  for (const entry of foreign.entries) {
    const path = entryPath(entry);
    const reviews = entry.reviews.map((review) => ({ review, prompt: shelf.put(review) }));
    if (!path.ok) {
      const prompts = [...new Set(reviews.map(({ prompt }) => prompt))];
      left.push({ ...entry.at, what: { kind: 'path', path: entry.path.text, said: path.said, prompts } });
      continue;
    }
    const exclude = excludes(entry, path.path, facts, left);
    for (const check of entry.checks) table.addCheck(path.path, exclude, toCheck(check, path.path, facts));
    for (const { review, prompt } of reviews) table.addReview(path.path, exclude, toReview(review, prompt));
  }
  for (const review of foreign.spare) {
    left.push({ ...review.at, what: { kind: 'not-in-use', name: review.name, prompt: shelf.put(review) } });
  }
  const { base, maxRetries, rerunNewIssueThreshold, agents, models } = foreign;
  return {
    settings: { base, maxRetries, rerunNewIssueThreshold, agents, models },
    entries: table.entries(),
    prompts: shelf.prompts(),
    left: inOrder(left),
  };
}

/** What the settings do not have yet: reviews whose prompt no gate names, and checks that no gate runs. */
export function notYetIn(
  entries: readonly CarriedEntry[],
  configured: readonly EntrySettings[],
): readonly CarriedEntry[] {
  const prompts = new Set(
    configured.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => nameOf(prompt))),
  );
  const runs = new Set(configured.flatMap(({ checks }) => Object.values(checks).map(({ run }) => run)));
  return entries
    .map((entry) => ({
      ...entry,
      checks: entry.checks.filter(({ run }) => !runs.has(run)),
      reviews: entry.reviews.filter(({ prompt }) => !prompts.has(nameOf(prompt))),
    }))
    .filter(({ checks, reviews }) => checks.length + reviews.length > 0);
}

/** As they stand in the files; the list of settings that nothing is like closes it. */
function inOrder(left: readonly LeftOver[]): readonly LeftOver[] {
  const isList = ({ what }: LeftOver) => Number(what.kind === 'settings');
  return [...left].sort(
    (a, b) => isList(a) - isList(b) || byCodePoint(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}

function entryPath({ path }: ForeignEntry): ForeignPath {
  return path.kind === 'entry' ? fromEntryPath(path.text) : fromFileGlob(path.text);
}

function excludes(entry: ForeignEntry, path: string, facts: CarryFacts, left: LeftOver[]): readonly string[] {
  const given = entry.exclude.flatMap(({ at, glob }) => {
    const written = fromExclude(glob);
    if (written.ok) return [written.path];
    const isTold = left.some(({ what, line }) => what.kind === 'exclude' && line === at.line && what.glob === glob);
    if (!isTold) left.push({ ...at, what: { kind: 'exclude', glob, said: written.said } });
    return [];
  });
  return [...new Set([...(entry.leavesOutWritten && path === '.' ? facts.toolWritten : []), ...given])];
}

function toReview(review: ForeignReview, prompt: RepoPath): CarriedReview {
  const { about, numReviews, agents, timeoutSeconds } = review;
  const name = prompt.slice(PROMPTS.length + 1, -'.md'.length);
  return { name, prompt, about, numReviews, agents, timeoutSeconds };
}

function toCheck(check: ForeignCheck, entry: string, { isFolder }: CarryFacts): CarriedCheck {
  const { timeoutSeconds } = check;
  const command = check.command.trimEnd();
  const name = gateName(check.name, 'check');
  const run = folderWords(check.folder, entry, isFolder);
  return { name, run: run === null ? command : `cd ${run} || exit\n${command}`, timeoutSeconds };
}

/** The folder to change to, as a word for a shell; null: the root, where checks run here. */
function folderWords(folder: string | null, entry: string, isFolder: CarryFacts['isFolder']): string | null {
  if (folder !== null)
    return repoPath(folder) === '' ? null : shellWord(folder.startsWith('-') ? `./${folder}` : folder);
  if (/^[^*?[\]{}\\]+\/\*$/.test(entry)) return '"$ONCEOVER_ENTRY"';
  const path = repoPath(entry);
  if (path === null || path === '' || !isFolder(path)) return null;
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}
