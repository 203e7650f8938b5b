import type { Place } from '../domain/change.ts';
import type { Comparison, LeftOut } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { type GitAnswer, git } from './git.ts';
import { insideAny } from './inside-any.ts';
import { readNulList } from './nul-list.ts';
import { QUIET } from './quiet.ts';
import type { IndexEnv } from './snapshot-index.ts';
import { type SortedOut, sortOut } from './untracked.ts';
import { notCheckedOut, stagedNames } from './users-index.ts';

/** What was seen: the differences as git writes them, and what was not looked into. */
type Looked = Pick<SortedOut, 'withheld' | 'unnameable'> & { readonly diff: Buffer };

type Ask = (args: readonly string[], input?: Buffer) => Promise<Result<GitAnswer>>;

/**
 * Brings an index of our own up to the working tree. Its entries come from the last commit, never from the user's
 * index: what git was told there to take as unchanged would go unseen.
 */
export async function look(
  place: Place,
  { comparison, left, env }: { readonly comparison: Comparison; readonly left: LeftOut; readonly env: IndexEnv },
): Promise<Result<Looked>> {
  const options = { env: { ...env, GIT_LITERAL_PATHSPECS: '0' }, config: UNDISTURBED };
  const ask: Ask = (args, input) => git(place.root, args, input === undefined ? options : { ...options, input });
  const isUnborn = comparison.baseName === null;
  const [read, staged, elsewhere] = await Promise.all([
    ask(isUnborn ? ['read-tree', '--empty'] : ['read-tree', '-m', 'HEAD']),
    stagedNames(place, isUnborn ? comparison.baseTree : 'HEAD'),
    notCheckedOut(place),
  ]);
  if (!read.ok) return read;
  if (!staged.ok) return staged;
  if (!elsewhere.ok) return elsewhere;
  const hidden = await hide(ask, elsewhere.value);
  if (!hidden.ok) return hidden;
  const [updated, others] = await Promise.all([
    openEyed(ask, ['add', '-u', '--', ':/', ...left.folders.map(notThis)]),
    openEyed(ask, ['ls-files', '-z', '--others', '--exclude-standard']),
  ]);
  if (!updated.ok) return updated;
  if (!others.ok) return others;
  const unknown = { others: readNulList(others.value.stdout), staged: staged.value };
  const sorted = await sortOut(place, unknown, insideAny(left.folders));
  const added = sorted.add.length === 0 ? done(null) : await ask(['update-index', ...ADD], sorted.add);
  if (!added.ok) return added;
  const diff = await ask(['diff-index', '--cached', ...RAW, comparison.baseTree, '--']);
  if (!diff.ok) return diff;
  const shown = await mark(ask, '--no-skip-worktree', hidden.value);
  return shown.ok ? done({ ...sorted, diff: diff.value.stdout }) : shown;
}

/** How differences are asked for: whole ids, submodules too, whatever the user's settings are. */
export const RAW = ['--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];

// A file that is gone by now was never there.
const ADD = ['--add', '--remove', '-z', '--stdin'];

const notThis = (folder: string) => `:(top,exclude,literal)${folder}`;

// Nothing of the user's settings may keep git from looking, or have it write down not to look.
const UNDISTURBED = [
  ...QUIET,
  'core.sparseCheckout=false',
  'index.sparse=false',
  'index.skipHash=false',
  'core.ignoreStat=false',
  'core.checkStat=default',
  'core.trustctime=true',
  'core.safecrlf=false',
  'submodule.recurse=false',
];

// Marked only while this goes on: a kept mark would hide a later deletion.
async function hide(ask: Ask, elsewhere: ReadonlySet<string>): Promise<Result<Buffer>> {
  if (elsewhere.size === 0) return done(Buffer.alloc(0));
  const missing = await ask(['ls-files', '-z', '--deleted']);
  if (!missing.ok) return missing;
  const names = missing.value.stdout.toString('latin1').split('\0');
  const hidden = names.filter((name) => elsewhere.has(name)).map((name) => `${name}\0`);
  return mark(ask, '--skip-worktree', Buffer.from(hidden.join(''), 'latin1'));
}

async function mark(ask: Ask, flag: string, names: Buffer): Promise<Result<Buffer>> {
  const marked = names.length === 0 ? done(null) : await ask(['update-index', flag, '-z', '--stdin'], names);
  return marked.ok ? done(names) : marked;
}

const BLIND =
  /^(?:warning: could not open directory |(?!warning: |hint: ).*: (?:Permission denied|Input\/output error|Stale ))/m;

// git goes on where it may not look, and says so in passing.
async function openEyed(ask: Ask, args: readonly string[]): Promise<Result<GitAnswer>> {
  const answer = await ask(args);
  if (!answer.ok || !BLIND.test(answer.value.stderr)) return answer;
  return failed({ kind: 'git-failed', command: `git ${args.join(' ')}`, said: answer.value.stderr.trim() });
}
