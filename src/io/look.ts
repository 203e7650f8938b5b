import { existsSync } from 'node:fs';
import type { Place } from '../domain/change.ts';
import type { Comparison, LeftOut } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { type GitAnswer, git } from './git.ts';
import { hiddenText } from './hidden-text.ts';
import { mayName } from './index-bytes.ts';
import { insideAny } from './inside-any.ts';
import { type KeptAnswers, keepBase, openKeptAnswers } from './kept-answers.ts';
import { readNulList } from './nul-list.ts';
import type { IndexWork, OwnIndex } from './snapshot-index.ts';
import { undisturbed } from './undisturbed.ts';
import { type SortedOut, sortOut } from './untracked.ts';
import { isOnDisk, notCheckedOut, stagedElsewhere, stagedNames } from './users-index.ts';

/** What was seen: the differences as git writes them, and what was not looked into. */
type Looked = Pick<SortedOut, 'withheld' | 'unnameable'> & {
  readonly diff: Buffer;
  /** Names that are not the last commit's, as git lists them. */
  readonly newNames: readonly Buffer[];
  /** Whether an entry's name may have this part; looked for once in the same index. */
  mayName(index: Buffer, part: string): boolean;
};

type Ask = (args: readonly string[], input?: Buffer) => Promise<Result<GitAnswer>>;

/**
 * Brings an index of our own up to the working tree. Its names come from the last commit, never from the user's index:
 * what git was told there to take as unchanged would go unseen.
 */
export async function look(
  place: Place,
  { comparison, left, index }: { readonly comparison: Comparison; readonly left: LeftOut; readonly index: OwnIndex },
): Promise<Result<IndexWork<Looked>>> {
  const options = { env: { ...index.env, GIT_LITERAL_PATHSPECS: '0' }, config: undisturbed(place.commonDir) };
  const ask: Ask = (args, input) => git(place.root, args, input === undefined ? options : { ...options, input });
  const { headCommit: commit } = comparison;
  const head = commit ?? comparison.baseTree;
  const start = () => ask(commit === null ? ['read-tree', '--empty'] : ['read-tree', '-m', commit]);
  const update = () => openEyed(ask, ['add', '-u', '--', ':/', ...left.folders.map(notThis)]);

  const kept = openKeptAnswers(place);
  const isFirst = !existsSync(index.env.GIT_INDEX_FILE);
  const read = index.hasNames ? done(null) : await start();
  if (!read.ok) return read;
  // Else all that is the commit's would be taken in as if it were new, and each later look would compare it name by name.
  if (isFirst) await git(place.root, ['update-index', '-q', '--refresh'], { ...options, expected: [0, 1] });
  const names = index.count();
  const list = () => openEyed(ask, ['ls-files', '-z', '--others', '--exclude-standard']);
  const [updated, listed, staged] = await Promise.all([update(), list(), stagedNames(place, head, kept)]);
  if (!updated.ok) return updated;
  if (!listed.ok) return listed;
  if (!staged.ok) return staged;
  const isAway = (name: string) => !isOnDisk(place, Buffer.from(name, 'utf8').toString('latin1'));
  const hasAll = index.count() === names && !staged.value.names.some(isAway);
  const hidden = hasAll ? done(NONE) : await bringBack(place, { ask, start, update, head });
  if (!hidden.ok) return hidden;
  // What has taken the place of a file that is gone was that file to git until now.
  const others = hasAll ? listed : await list();
  if (!others.ok) return others;

  const unknown = { others: readNulList(others.value.stdout), staged: staged.value };
  const sorted = await sortOut(place, unknown, insideAny(left.folders));
  const added = sorted.add.length === 0 ? done(null) : await openEyed(ask, ['update-index', ...ADD], sorted.add);
  if (!added.ok) return added;
  const unseen = await hiddenText(place, index.env.GIT_INDEX_FILE, ask);
  if (!unseen.ok) return unseen;
  const whole =
    unseen.value.length === 0 ? done(null) : await ask(['update-index', '-z', '--index-info'], unseen.value);
  if (!whole.ok) return whole;
  const diff = await difference(ask, index, comparison.baseTree, kept);
  if (!diff.ok) return diff;
  if (comparison.scope.kind === 'full' && comparison.baseName !== null) keepBase(kept, comparison.baseName);
  kept.save();
  const sum = index.sum();
  const shown = await mark(ask, '--no-skip-worktree', hidden.value);
  if (!shown.ok) return shown;
  const newNames = [others.value.stdout, staged.value.listed];
  return done({
    value: { ...sorted, diff: diff.value, newNames, mayName: mayNameBy(kept, sum) },
    hasNames: hasAll && sorted.add.length === 0,
  });
}

function mayNameBy(kept: KeptAnswers, sum: string): Looked['mayName'] {
  return (index, part) => {
    const question = `names ${part}`;
    const known = kept.get(question, sum);
    if (known !== null) return known.length > 0;
    const may = mayName(index, part);
    kept.put(question, sum, Buffer.from(may ? 'yes' : ''));
    kept.save();
    return may;
  };
}

/** What an index differs in from a tree; asked once for the same two. */
async function difference(ask: Ask, index: OwnIndex, tree: string, kept: KeptAnswers): Promise<Result<Buffer>> {
  const key = `${index.sum()} ${tree}`;
  const known = kept.get('diff', key);
  if (known !== null) return done(known);
  const answer = await ask(['diff-index', '--cached', ...RAW, tree, '--']);
  if (!answer.ok) return answer;
  kept.put('diff', key, answer.value.stdout);
  return done(answer.value.stdout);
}

type Steps = {
  readonly ask: Ask;
  readonly start: () => ReturnType<Ask>;
  readonly update: () => ReturnType<Ask>;
  readonly head: string;
};

// Something is not on disk: a sparse checkout left it out, or it was deleted.
async function bringBack(place: Place, { ask, start, update, head }: Steps): Promise<Result<Buffer>> {
  const elsewhere = await notCheckedOut(place);
  if (!elsewhere.ok) return elsewhere;
  if (elsewhere.value.size === 0) return done(NONE);
  const read = await start();
  if (!read.ok) return read;
  const hidden = await hide(ask, elsewhere.value);
  if (!hidden.ok) return hidden;
  const updated = await update();
  if (!updated.ok) return updated;
  const staged = await stagedElsewhere(place, head, elsewhere.value);
  if (!staged.ok || staged.value.length === 0) return staged.ok ? hidden : staged;
  const taken = await ask(['update-index', '-z', '--index-info'], staged.value);
  return taken.ok ? hidden : taken;
}

const NONE = Buffer.alloc(0);

/** How differences are asked for: whole ids, submodules too, whatever the user's settings are. */
export const RAW = ['--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];

// A file that is gone by now was never there.
const ADD = ['--add', '--remove', '-z', '--stdin'];

const notThis = (folder: string) => `:(top,exclude,literal)${folder}`;

// Marked only while this goes on: a kept mark would hide a later deletion.
async function hide(ask: Ask, elsewhere: ReadonlySet<string>): Promise<Result<Buffer>> {
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
  /^(?:warning: could not open directory |Ignoring path |(?!warning: |hint: ).*: (?:Permission denied|Input\/output error|Stale ))/m;

// git goes on where it may not look, and says so in passing.
async function openEyed(ask: Ask, args: readonly string[], input?: Buffer): Promise<Result<GitAnswer>> {
  const answer = await ask(args, input);
  if (!answer.ok || !BLIND.test(answer.value.stderr)) return answer;
  return failed({ kind: 'git-failed', command: `git ${args.join(' ')}`, said: answer.value.stderr.trim() });
}
