import type { EntrySettings } from '../../config/settings.ts';
import { byCodePoint } from '../../kernel/collections.ts';
import { shellWord } from '../../kernel/escape.ts';
import { compileGlob } from '../../kernel/glob.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';
import type {
  ImportedCheck,
  ImportedEntry,
  ImportedPrompt,
  ImportPlan,
  NotImported,
  SourceCheck,
  SourceConfig,
  SourceEntry,
  SourceReview,
} from './types.ts';

/** The folder of the prompts. */
export const PROMPTS = '.onceover/reviews';

/** The facts about a repository that an import depends on. */
export type ImportFacts = {
  /** The existing prompts by name in lower case; null for one that cannot be read. */
  readonly prompts: ReadonlyMap<string, string | null>;
  /** The prompts that `onceover.yml` uses. An earlier import wrote them, and the user may have edited them. */
  readonly inUse: ReadonlySet<string>;
  /** The text that replaces a built-in prompt of the other tool. */
  readonly standIn: string;
  isFolder(path: string): boolean;
  /** Globs of files that tools write. */
  readonly toolWritten: readonly string[];
};

/** Plans the entries of `onceover.yml`, and one prompt per text, word for word. */
export function planImport(source: SourceConfig, facts: ImportFacts): ImportPlan {
  const left: NotImported[] = [...source.left];
  const prompts = openPrompts(facts);
  const table = openEntries();
  for (const entry of source.entries) {
    const path = entry.path.kind === 'entry' ? fromEntryPath(entry.path.text) : fromFileGlob(entry.path.text);
    const reviews = entry.reviews.map((review) => ({ ...review, prompt: prompts.add(review) }));
    if (!path.ok) {
      const written = [...new Set(reviews.map(({ prompt }) => prompt))];
      left.push({ ...entry.at, what: { kind: 'path', path: entry.path.text, said: path.said, prompts: written } });
      continue;
    }
    const gates = table.at(path.path, excludesOf(entry, path.path, facts, left));
    for (const check of entry.checks) gates.addCheck(toCheck(check, path.path, facts));
    for (const { prompt, about, numReviews, agents, timeoutSeconds } of reviews) {
      const name = prompt.slice(PROMPTS.length + 1, -'.md'.length);
      gates.addReview({ name, prompt, about, numReviews, agents, timeoutSeconds });
    }
  }
  for (const review of source.spare) {
    left.push({ ...review.at, what: { kind: 'not-in-use', name: review.name, prompt: prompts.add(review) } });
  }
  return { settings: source, entries: table.entries(), prompts: prompts.all(), left: inOrder(left) };
}

/** Returns the checks and reviews that `onceover.yml` does not have yet. */
export function notYetIn(
  entries: readonly ImportedEntry[],
  configured: readonly EntrySettings[],
): readonly ImportedEntry[] {
  const prompts = new Set(
    configured.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => promptName(prompt))),
  );
  const runs = new Set(configured.flatMap(({ checks }) => Object.values(checks).map(({ run }) => run)));
  return entries
    .map((entry) => ({
      ...entry,
      checks: entry.checks.filter(({ run }) => !runs.has(run)),
      reviews: entry.reviews.filter(({ prompt }) => !prompts.has(promptName(prompt))),
    }))
    .filter(({ checks, reviews }) => checks.length + reviews.length > 0);
}

/** Sorts by position; the list of unknown settings comes last. */
function inOrder(left: readonly NotImported[]): readonly NotImported[] {
  const isList = ({ what }: NotImported) => Number(what.kind === 'settings');
  return [...left].sort(
    (a, b) => isList(a) - isList(b) || byCodePoint(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}

/** Returns the name of a prompt for comparison: some file systems ignore case. */
export function promptName(prompt: string): string {
  return prompt
    .slice(prompt.lastIndexOf('/') + 1)
    .replace(/\.md$/, '')
    .toLowerCase();
}

/** Gives each text a file; two reviews with the same name and text share one. */
function openPrompts(facts: ImportFacts) {
  const added = new Map<string, ImportedPrompt>();
  return {
    add(review: SourceReview): RepoPath {
      const text = review.text === null ? facts.standIn : fileText(review.text);
      const name = firstFree(gateName(review.name, 'review'), (candidate) => {
        const key = candidate.toLowerCase();
        const other = added.get(key)?.text ?? facts.prompts.get(key);
        return other === undefined || other === text || (!added.has(key) && facts.inUse.has(key));
      });
      const path = `${PROMPTS}/${name}.md` as RepoPath;
      const prompt = added.get(name.toLowerCase()) ?? { path, text, isOurs: review.text === null };
      added.set(name.toLowerCase(), prompt);
      return prompt.path;
    },
    all: () => [...added.values()],
  };
}

/** Returns the text without blank lines at its start, and with a line break at its end. */
function fileText(text: string): string {
  const body = text.replace(/^(?:[ \t]*\r?\n)+/, '');
  return body.endsWith('\n') ? body : `${body}\n`;
}

/** Collects checks and reviews by path. Two of them share a name only if no path can match both. */
function openEntries() {
  const rows: { -readonly [Key in keyof ImportedEntry]: ImportedEntry[Key] }[] = [];
  const used: { readonly kind: string; readonly path: string; readonly name: string }[] = [];
  const named = <T extends { readonly name: string }>(kind: string, path: string, gate: T): T => {
    const name = firstFree(
      gate.name,
      (candidate) => !used.some((one) => one.kind === kind && one.name === candidate && canOverlap(one.path, path)),
    );
    used.push({ kind, path, name });
    return { ...gate, name };
  };
  return {
    at(path: string, exclude: readonly string[]) {
      const same = rows.find((row) => row.path === path && row.exclude.join('\0') === exclude.join('\0'));
      const row = same ?? { path, exclude, checks: [], reviews: [] };
      if (same === undefined) rows.push(row);
      return {
        addCheck(check: ImportedCheck): void {
          const isThere = row.checks.some(({ run }) => run === check.run);
          if (!isThere) row.checks = [...row.checks, named('check', path, check)];
        },
        addReview(review: ImportedEntry['reviews'][number]): void {
          const isThere = row.reviews.some(({ prompt }) => prompt === review.prompt);
          if (!isThere) row.reviews = [...row.reviews, named('review', path, review)];
        },
      };
    },
    entries: () => rows.filter(({ checks, reviews }) => checks.length + reviews.length > 0),
  };
}

/** Whether two paths can give a gate the same id: `packages/*` is one entry per folder in it. */
function canOverlap(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => repoPath(path) ?? path) as [string, string];
  const includes = (each: string, folder: string) =>
    each.endsWith('/*') && folder.startsWith(each.slice(0, -1)) && !folder.slice(each.length - 1).includes('/');
  return one === other || includes(one, other) || includes(other, one);
}

/** Returns the first of name, name-2, name-3 … that is free. */
function firstFree(name: string, isFree: (name: string) => boolean): string {
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}-${i}`;
    if (isFree(candidate)) return candidate;
  }
}

const LONGEST_NAME = 60;

const LONGEST_GIVEN_NAME = 300;

/** Returns a name for a gate and its prompt file that is close to the given one. */
function gateName(given: string, otherwise: string): string {
  const plain = given
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

/** A path or glob for `onceover.yml`, or the reason why there is none. */
type ImportedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly said: string };

const GLOB = /[*?[\]{}\\]/;

const GROUP = /[?*+@!]\(/;

const HAS_GROUP = { ok: false, said: 'has a group such as "+(a|b)", which onceover does not support' } as const;

function fromEntryPath(path: string): ImportedPath {
  if (path.trim() === '' || path === '.' || path === './') return { ok: true, path: '.' };
  if (repoPath(path.replace(/\\./g, 'x')) === null) return { ok: false, said: 'leads out of the repository' };
  return repoPath(path) === '' ? { ok: true, path: '.' } : compiled(path);
}

// In a glob of files, `src/*` means the files in src; as a path in onceover.yml, it means each folder in src.
function fromFileGlob(text: string): ImportedPath {
  const glob = fromRoot(text);
  if (GROUP.test(glob)) return HAS_GROUP;
  const below = /^(.*?)\/?\*\*(?:\/\*)?$/.exec(glob)?.[1];
  return fromEntryPath(below !== undefined && !GLOB.test(below) ? below : glob.replace(/(?<=^|\/)\*$/, '?*'));
}

function fromExclude(text: string): ImportedPath {
  const glob = fromRoot(text);
  if (glob === '') return { ok: false, said: 'is empty' };
  return GROUP.test(glob) ? HAS_GROUP : compiled(glob);
}

function fromRoot(glob: string): string {
  return glob.trim().replace(/^(?:\.?\/)+/, '');
}

function compiled(path: string): ImportedPath {
  const glob = compileGlob(path, '');
  return glob.ok ? { ok: true, path } : { ok: false, said: glob.said };
}

function excludesOf(entry: SourceEntry, path: string, facts: ImportFacts, left: NotImported[]): readonly string[] {
  const given = entry.exclude.flatMap(({ at, glob }) => {
    const imported = fromExclude(glob);
    if (imported.ok) return [imported.path];
    const isNoted = left.some(({ what, line }) => what.kind === 'exclude' && line === at.line && what.glob === glob);
    if (!isNoted) left.push({ ...at, what: { kind: 'exclude', glob, said: imported.said } });
    return [];
  });
  return [...new Set([...(entry.leavesOutWritten && path === '.' ? facts.toolWritten : []), ...given])];
}

function toCheck({ name, command, folder, timeoutSeconds }: SourceCheck, entry: string, facts: ImportFacts) {
  const word = folderWord(folder, entry, facts);
  const run = command.trimEnd();
  return { name: gateName(name, 'check'), run: word === null ? run : `cd ${word} || exit\n${run}`, timeoutSeconds };
}

/** Returns the shell word of the folder that a check has to change to; null for the root, where checks run. */
function folderWord(folder: string | null, entry: string, { isFolder }: ImportFacts): string | null {
  if (folder === null && /^[^*?[\]{}\\]+\/\*$/.test(entry)) return '"$ONCEOVER_ENTRY"';
  const path = repoPath(folder ?? entry);
  if (path === '' || (folder === null && (path === null || !isFolder(path)))) return null;
  const word = folder ?? path ?? '';
  return shellWord(word.startsWith('-') ? `./${word}` : word);
}
