import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';

/** A commit of the repository, with the number of lines that it added and removed in each file. */
export type PastCommit = {
  readonly id: CommitId;
  readonly parent: CommitId;
  readonly subject: string;
  readonly files: readonly { readonly path: RepoPath; readonly added: number; readonly removed: number }[];
};

const FIX =
  /\b(?:fix(?:e[sd]|ing)?|bug(?:fix)?|regression|crash(?:es|ed)?|leak(?:s|ed)?|race|deadlock|overflow|incorrect(?:ly)?|wrong(?:ly)?|off[- ]by[- ]one)\b/i;

// Commits with one of these words in their subject usually fix something other than the behaviour of the program.
const NOT_A_BUG =
  /\b(?:typos?|lint(?:er|ing)?|docs?|documentation|readme|comments?|style|format(?:ting)?|tests?|flaky|ci|build|deps?|dependenc(?:y|ies)|bump|changelog|release|merge|revert|spelling|wording|links?|types?|typings?|warnings?)\b/i;

const TEST =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|testdata|fixtures?|e2e|examples?|bench(?:marks?)?)\/|(?:[._-](?:test|spec|bench)|_test)\.[^/]+$|(?:^|\/)(?:test_[^/]+|conftest)\.py$/i;

const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|scala|ex|exs|lua|pl|pm|sh|sql|dart|zig)$/i;

/** Whether a file is source code that is not a test. */
export function isSourceFile(path: string): boolean {
  return (
    CODE.test(path) &&
    !TEST.test(path) &&
    !/(?:^|\/)(?:node_modules|vendor|dist|build|third_party)\/|\.min\.|\.d\.ts$/.test(path)
  );
}

const FEW_FILES = 3;
const FEW_LINES = 20;

/**
 * Returns the commits that look like a small bug fix, judged by their message and the size of their source code
 * changes.
 */
export function smallFixes(commits: readonly PastCommit[]): readonly PastCommit[] {
  return commits.filter(({ subject, files }) => {
    const source = files.filter(({ path }) => isSourceFile(path));
    const lines = source.reduce((sum, { added, removed }) => sum + added + removed, 0);
    // Leave out fixes that only remove code: undoing such a fix only adds code, and reviewers could not know what is
    // wrong with that code.
    const adds = source.some(({ added }) => added > 0);
    const isSmall = source.length > 0 && source.length <= FEW_FILES && lines <= FEW_LINES && adds;
    return isSmall && FIX.test(subject) && !NOT_A_BUG.test(subject);
  });
}

// The size limits of a real change that is used in test cases. A change of few source files often includes tests, docs
// and a changelog, so the limit for all files is higher.
const MOST_HOST_FILES = { source: 8, all: 24 };
const HOST_LINES = { least: 3, most: 250 };
const FIXED_WITHIN = 40;

/**
 * Returns the commits that are plausible changes without a known bug. `commits` is sorted, newest first. A commit is
 * left out if it is a fix itself, or if one of the next 40 commits after it fixed something in the same source file.
 */
export function cleanChanges(commits: readonly PastCommit[]): readonly PastCommit[] {
  return commits.filter(({ subject, files }, i) => {
    const source = files.filter(({ path }) => isSourceFile(path));
    const addedLines = files.reduce((sum, file) => sum + file.added, 0);
    if (source.length === 0 || source.length > MOST_HOST_FILES.source) return false;
    if (files.length > MOST_HOST_FILES.all) return false;
    if (addedLines < HOST_LINES.least || addedLines > HOST_LINES.most || isFixSubject(subject)) return false;
    const later = commits.slice(Math.max(0, i - FIXED_WITHIN), i).filter((commit) => isFixSubject(commit.subject));
    const fixedPaths = new Set(later.flatMap((commit) => commit.files.map(({ path }) => path)));
    return source.every(({ path }) => !fixedPaths.has(path));
  });
}

function isFixSubject(subject: string): boolean {
  return FIX.test(subject) || /\brevert\b/i.test(subject);
}

/** Parses the output of `git log --format=%x00%H %P%n%s --numstat`. Leaves out commits without a parent. */
export function readLog(output: string): readonly PastCommit[] {
  return output.split('\0').flatMap((block) => {
    const [head = '', subject = '', ...rows] = block.split('\n');
    const [id = '', parent = ''] = head.trim().split(' ');
    if (!isHash(id) || !isHash(parent)) return [];
    const files = rows.flatMap((row) => {
      const [addedCount = '', removedCount = '', path = ''] = row.split('\t');
      // A binary file has "-" for its numbers, and git quotes a name with unusual characters. Leave both out.
      if (!/^\d+$/.test(addedCount) || !/^\d+$/.test(removedCount) || path === '' || path.startsWith('"')) return [];
      return [{ path: path as RepoPath, added: Number(addedCount), removed: Number(removedCount) }];
    });
    return files.length === 0 ? [] : [{ id: id as CommitId, parent: parent as CommitId, subject, files }];
  });
}

function isHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
