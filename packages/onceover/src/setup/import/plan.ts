import { basename } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import { quoteName, shellWord, showInvisible } from '@onceover/base/kernel/escape';
import { compileGlob } from '@onceover/base/kernel/glob';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import { someNames } from '@onceover/base/ui/wording';
import type { EntrySettings } from '@onceover/repo/config/settings';
import codeQuality from '../code-quality.md';
import type { ImportedEntry, ImportNote, SourceConfig, SourceEntry, SourceReview } from './types.ts';

/** The folder in the repository to which imported prompts are written. */
export const PROMPTS = '.onceover/reviews';

/** Facts about the repository that decide what an import writes. */
export type ImportFacts = {
  /** The text of each existing prompt, by name in lower case; null if a prompt cannot be read. */
  readonly prompts: ReadonlyMap<string, string | null>;
  /**
   * The names of the prompts that `onceover.yml` uses. An import does not overwrite them, because the user may have
   * edited them.
   */
  readonly inUse: ReadonlySet<string>;
  isFolder(path: string): boolean;
  /** Globs of generated files in the repository, such as lockfiles. */
  readonly toolWritten: readonly string[];
};

/**
 * Returns the entries of `onceover.yml` and the prompts to write. The text of each review becomes a prompt without
 * changes. `left` has a line for each part that is not imported or works differently in onceover.
 */
export function planImport(source: SourceConfig, readerNotes: readonly ImportNote[], facts: ImportFacts) {
  const notes = [...readerNotes];
  const prompts = openPrompts(facts);
  const [nameCheck, nameReview] = [openNames(), openNames()];
  const gateKeys = new Set<string>();
  // The other tool may list a check or a review twice for the same files. Import it only once.
  const isNew = (...gate: readonly unknown[]) => gateKeys.size < gateKeys.add(JSON.stringify(gate)).size;
  const entries: ImportedEntry[] = [];
  for (const entry of source.entries) {
    const reviewEntries = entry.reviews.map((review) => ({ prompt: prompts.add(review), ...review.settings }));
    const to = entry.isFileGlob === true ? fromFileGlob(entry.path) : fromEntryPath(entry.path);
    if (!to.ok) {
      const promptList = someNames([...new Set(reviewEntries.map(({ prompt }) => prompt))]);
      const next = promptList === '' ? '' : `; its text is in ${promptList}: add a review for it`;
      notes.push({ at: entry.at, said: `${quoteName(entry.path)} ${showInvisible(to.said)}${next}` });
      continue;
    }
    const { path } = to;
    const exclude = excludesOf(entry, path, facts, notes);
    const covers = [repoPath(path) ?? path, exclude];
    const checks = entry.checks
      .filter(({ at: _, ...check }) => isNew(covers, check))
      .map((check): [string, { run: string; timeout: number | undefined }] => {
        const run = `${toFolder(check.folder, path, facts)}${check.command.trimEnd()}`;
        return [nameCheck(path, gateName(check.name, 'check')), { run, timeout: check.timeout }];
      });
    const reviews = reviewEntries
      .filter((review) => isNew(covers, review))
      .map((review): [string, typeof review] => [nameReview(path, basename(review.prompt, '.md')), review]);
    if (checks.length + reviews.length > 0) {
      entries.push({ path, exclude, checks: toRecord(checks), reviews: toRecord(reviews) });
    }
  }
  for (const review of source.spare) {
    const prompt = quoteName(prompts.add(review));
    const remark = `${quoteName(review.name)} is not in use; its text is in ${prompt}, which no review uses`;
    notes.push({ at: review.at, said: remark });
  }
  const inOrder = notes.sort(
    ({ at: a }, { at: b }) => byCodePoint(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
  const omissions = inOrder.map(({ at, said }) => `${quoteName(at.file)}:${at.line}:${at.column}: ${said}`);
  return { entries, prompts: prompts.all(), left: omissions };
}

/** Returns the entries with only those checks and reviews that `onceover.yml` does not have yet. */
export function notYetIn(
  entries: readonly ImportedEntry[],
  presentEntries: readonly EntrySettings[],
): readonly ImportedEntry[] {
  const prompts = presentEntries.flatMap(({ reviews }) =>
    Object.values(reviews).map(({ prompt }) => promptName(prompt)),
  );
  const runs = presentEntries.flatMap(({ checks }) => Object.values(checks).map(({ run }) => run));
  return entries
    .map(({ checks = {}, reviews = {}, ...entry }) => ({
      ...entry,
      checks: toRecord(Object.entries(checks).filter(([, { run }]) => !runs.includes(run))),
      reviews: toRecord(Object.entries(reviews).filter(([, { prompt }]) => !prompts.includes(promptName(prompt)))),
    }))
    .filter(({ checks, reviews }) => checks !== undefined || reviews !== undefined);
}

/** Returns the pairs as a record; undefined if there are none, so that the YAML gets no empty map. */
function toRecord<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> | undefined {
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Returns the file name of a prompt without `.md`. It is in lower case, because some file systems ignore case. */
export function promptName(prompt: string): string {
  return basename(prompt, '.md').toLowerCase();
}

/** Collects the prompt files to write, one for each review. Reviews with the same name and text share a file. */
function openPrompts(facts: ImportFacts) {
  const promptFiles = new Map<string, { readonly path: RepoPath; readonly text: string }>();
  return {
    add(review: SourceReview): RepoPath {
      const text = review.text === null ? codeQuality : fileText(review.text);
      const name = firstFree(gateName(review.name, 'review'), (candidate) => {
        const key = candidate.toLowerCase();
        const otherText = promptFiles.get(key)?.text ?? facts.prompts.get(key);
        return otherText === undefined || otherText === text || (!promptFiles.has(key) && facts.inUse.has(key));
      });
      const prompt = promptFiles.get(name.toLowerCase()) ?? { path: `${PROMPTS}/${name}.md` as RepoPath, text };
      promptFiles.set(name.toLowerCase(), prompt);
      return prompt.path;
    },
    all: () => [...promptFiles.values()],
  };
}

/** Returns the text without blank lines at its start, and with a line break at its end. */
function fileText(text: string): string {
  const body = text.replace(/^(?:[ \t]*\r?\n)+/, '');
  return body.endsWith('\n') ? body : `${body}\n`;
}

/**
 * Returns a function that chooses the name of each gate. Two gates get the same name only if their paths cannot
 * overlap.
 */
function openNames(): (path: string, wanted: string) => string {
  const assignments: { readonly path: string; readonly name: string }[] = [];
  return (path, baseName) => {
    const isFree = (name: string) =>
      !assignments.some((assignment) => assignment.name === name && canOverlap(assignment.path, path));
    const name = firstFree(baseName, isFree);
    assignments.push({ path, name });
    return name;
  };
}

/**
 * Whether two gates with the same name, at the paths `a` and `b`, could get the same id. For example, `packages/*`
 * overlaps with `packages/a`, because it means each folder in `packages`.
 */
function canOverlap(a: string, b: string): boolean {
  const [first, second] = [a, b].map((path) => repoPath(path) ?? path) as [string, string];
  const includes = (pattern: string, folder: string) =>
    pattern.endsWith('/*') &&
    folder.startsWith(pattern.slice(0, -1)) &&
    !folder.slice(pattern.length - 1).includes('/');
  return first === second || includes(first, second) || includes(second, first);
}

/** Returns the first of name, name-2, name-3 and so on that is not used yet. */
function firstFree(name: string, isFree: (name: string) => boolean): string {
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}-${i}`;
    if (isFree(candidate)) return candidate;
  }
}

const LONGEST_NAME = 60;

const LONGEST_GIVEN_NAME = 300;

/** Returns a valid name for a gate and its prompt file, as close to the given name as possible. */
function gateName(originalName: string, otherwise: string): string {
  const plain = originalName
    .slice(0, LONGEST_GIVEN_NAME)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/[-.]*\.[-.]*/g, '.')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST_NAME)
    .replace(/[^A-Za-z0-9]+$/, '');
  return plain === '' ? otherwise : plain;
}

/** A path or glob for `onceover.yml`, or the reason why the path of the other tool cannot be imported. */
type ImportedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly said: string };

function fromEntryPath(path: string): ImportedPath {
  if (repoPath(path.replace(/\\./g, 'x')) === null) return { ok: false, said: 'leads out of the repository' };
  return path.trim() === '' || repoPath(path) === '' ? { ok: true, path: '.' } : checkGlob(path);
}

// In the other tool, `src/*` means the files in src; in onceover.yml it would mean each folder in src. So write
// `src/?*`.
function fromFileGlob(text: string): ImportedPath {
  const glob = fromRoot(text);
  const folder = /^([^*?[\]{}\\]*?)\/?\*\*(?:\/\*)?$/.exec(glob)?.[1];
  return fromEntryPath(folder ?? glob.replace(/(?<=^|\/)\*$/, '?*'));
}

function fromExclude(text: string): ImportedPath {
  const glob = fromRoot(text);
  return glob === '' ? { ok: false, said: 'is empty' } : checkGlob(glob);
}

function fromRoot(glob: string): string {
  return glob.trim().replace(/^(?:\.?\/)+/, '');
}

function checkGlob(path: string): ImportedPath {
  if (/[?*+@!]\(/.test(path)) {
    return { ok: false, said: 'has a group such as "+(a|b)", which onceover does not support' };
  }
  const glob = compileGlob(path, '');
  return glob.ok ? { ok: true, path } : { ok: false, said: glob.said };
}

function excludesOf(entry: SourceEntry, path: string, facts: ImportFacts, notes: ImportNote[]) {
  const excludedPaths = entry.exclude.flatMap(({ at, glob }) => {
    const exclusion = fromExclude(glob);
    if (exclusion.ok) return [exclusion.path];
    const remark = `${quoteName(glob)} ${showInvisible(exclusion.said)}, so it is not excluded`;
    // Several entries can share a list of globs, so add each note only once.
    if (!notes.some((note) => note.at.line === at.line && note.said === remark)) notes.push({ at, said: remark });
    return [];
  });
  const toolGlobs = entry.leavesOutWritten === true && path === '.' ? facts.toolWritten : [];
  const globs = [...new Set([...toolGlobs, ...excludedPaths])];
  return globs.length === 0 ? undefined : globs;
}

/**
 * Returns a `cd` command to the folder in which a check has to run, because onceover runs checks at the root; '' if it
 * has to run at the root.
 */
function toFolder(folder: string | null, entry: string, { isFolder }: ImportFacts): string {
  if (folder === null && /^[^*?[\]{}\\]+\/\*$/.test(entry)) return 'cd "$ONCEOVER_ENTRY" || exit\n';
  const path = repoPath(folder ?? entry);
  if (path === '' || (folder === null && (path === null || !isFolder(path)))) return '';
  const word = folder ?? path ?? '';
  return `cd ${shellWord(word.startsWith('-') ? `./${word}` : word)} || exit\n`;
}
