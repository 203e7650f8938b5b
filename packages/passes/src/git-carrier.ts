import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { CarrierTrouble, Failure } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { removeFile, statIfPresent, tryDisk } from '@onceover/base/platform/files';
import { readPlainFile } from '@onceover/base/platform/private-files';
import type { ProcessRunEnd } from '@onceover/base/platform/run-process';
import { NO_USER_PROGRAMS } from '@onceover/repo/git/environment';
import { asResult, GitError, git, gitText } from '@onceover/repo/git/git';
import { formatOf, type ObjectFormat } from '@onceover/repo/git/tree-files';
import type { NewTip } from './git-new-tip.ts';
import { type ObjectReader, openObjectReader } from './git-object-reader.ts';
import { findInRef, type KeyFiles, UnusableRef, walkRef } from './git-pass-tree.ts';
import { type Clone, openQuarantine, type Quarantine } from './git-quarantine.ts';
import { distinctFiles, isStorable } from './stored-files.ts';
import type { PassCarrier, StoredFile } from './types.ts';

/** The git ref on the remote that stores the signed passes and waivers. */
const PASSES_REF = 'refs/onceover/passes';

/** Time limits in milliseconds; tests use shorter ones. */
type Limits = {
  readonly fetchMs: number;
  /** How long a fetch may run without progress. A first fetch with many files may take longer than this in total. */
  readonly stalledMs: number;
  readonly pushMs: number;
  readonly readMs: number;
  readonly staleLockMs: number;
};

const LIMITS: Limits = { fetchMs: 60_000, stalledMs: 5000, pushMs: 60_000, readMs: 60_000, staleLockMs: 10_000 };

const MOST_ATTEMPTS = 12;

/** How long a fetch counts as recent, in milliseconds. */
const FRESH_MS = 60_000;

/** The most files that `all` returns; `MOST_BYTES` limits their total size. */
const MOST_FILES = 200_000;
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * Shares signed passes and waivers through a ref of a git remote. `remote` must be the name of a configured remote,
 * because git would run a program for some addresses. Fetched files stay in this clone below `refs/onceover/fetched/`.
 */
export function openGitCarrier(clone: Clone, remote: string, limits: Partial<Limits> = {}): Result<PassCarrier> {
  if (!isRemoteName(remote)) return err(trouble(remote, 'not-a-remote', ''));
  const { fetchMs, stalledMs, pushMs, readMs, staleLockMs } = { ...LIMITS, ...limits };
  const mirror = mirrorOf(remote);
  const withReader = <T>(use: (reader: ObjectReader) => Promise<T>) => reading(clone, remote, readMs, use);

  async function fetch(stop: AbortSignal | null, timeoutMs = fetchMs): Promise<Result<boolean>> {
    const tip = await inQuarantine(clone, async (quarantine) => {
      const end = await quarantine.run(fetchArgs(remote), { stop, timeoutMs, idleMs: stalledMs });
      const failure = failureOf(remote, end);
      if (failure !== null && end.kind === 'ended' && end.ending === 'cancelled') return err(failure);
      const fetchHead = failure === null ? quarantine.fetched() : null;
      // If no remote has this name, git treats the name as the path of a repository and reports that path as the
      // address. So check whether the remote exists.
      if (fetchHead === null || fetchHead.address === remote.replace(/\.git$/, '')) {
        const remoteCheck = await requireRemote(clone, remote);
        if (!remoteCheck.ok) return remoteCheck;
      }
      if (isMissingRef(end)) return ok(null);
      if (failure !== null) return err(failure);
      if (fetchHead === null) return err(trouble(remote, 'unreadable', 'git wrote no FETCH_HEAD'));
      const release = quarantine.release();
      return release.ok ? ok(fetchHead.id) : release;
    });
    return tip.ok ? setMirror(clone, { remote, mirror, staleLockMs }, tip.value) : tip;
  }

  /**
   * Makes a new commit for the ref and pushes it. If another clone pushed first, fetches and tries again on top of that
   * clone's commit.
   */
  async function publish<T>(
    stop: AbortSignal | null,
    make: (
      reader: ObjectReader,
    ) => Promise<{ readonly old: string | null; readonly next: NewTip | null; readonly done: T }>,
  ): Promise<Result<T>> {
    const deadline = Date.now() + pushMs;
    const { statementTip } = await loadNewTip();
    let last: Failure = trouble(remote, 'busy', '');
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0) return err(last);
      const newTip = await withReader(make);
      if (!newTip.ok) return newTip;
      const { old, next, done } = newTip.value;
      if (next === null) return ok(done);
      const push = await pushTip(clone, { remote, old, next }, { stop, timeoutMs: remainingMs, idleMs: null });
      if (push.kind === 'failed') return err(push.failure);
      if (push.kind === 'pushed') {
        const set = await setMirror(clone, { remote, mirror, staleLockMs }, next.commit);
        return set.ok ? ok(done) : set;
      }
      last = push.failure;
      const fetchResult = await fetch(stop, Math.max(1, deadline - Date.now()));
      if (!fetchResult.ok) return fetchResult;
      const now = await withReader((reader) => statementTip(reader, mirror));
      if (!now.ok) return now;
      // The remote refused the push although no other clone has pushed. Try again only if the cause was a lock, which
      // may soon be gone.
      if (now.value === old && !push.isLock) return err(last);
      // Wait for a random time, so that clones whose pushes were refused at the same time do not all try again at the
      // same time.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(25 * 2 ** attempt, 1000)));
    }
    return err(last);
  }

  return ok({
    name: remote,
    isFresh() {
      const age = Date.now() - (statIfPresent(join(clone.commonDir, mirror))?.mtimeMs ?? 0);
      return age >= 0 && age < FRESH_MS;
    },
    fetch: (stop) => fetch(stop),
    async find(keys) {
      const result = await withReader((reader) => findInRef(reader, mirror, keys));
      return result.ok ? ok(result.value ?? new Map()) : result;
    },
    all: (stop = null) =>
      withReader(async (reader) => {
        const files: StoredFile[] = [];
        let bytes = 0;
        for await (const keyFiles of walkRef(reader, mirror)) {
          for (const { key, file } of keyFiles.files) {
            bytes += file.statement.length + file.signature.length;
            if (files.push({ key, file }) > MOST_FILES || bytes > MOST_BYTES) throw new UnusableRef('too-large');
          }
          if (stop?.aborted === true) break;
        }
        return files;
      }),
    async push(files, stop) {
      const storableFiles = distinctFiles(files.filter(isStorable));
      if (storableFiles.length === 0) return ok({ added: 0 });
      const remoteCheck = await requireRemote(clone, remote);
      if (!remoteCheck.ok) return remoteCheck;
      const { addToTip, statementTip } = await loadNewTip();
      return publish(stop, async (reader) => {
        const old = await statementTip(reader, mirror);
        const format = old === null ? await formatOfClone(clone) : formatOf(old);
        const next = await addToTip(reader, { tip: old, format, now: Date.now() }, storableFiles);
        return { old, next: next.added === 0 ? null : next, done: { added: next.added } };
      });
    },
    async prune(isOld) {
      const fetchResult = await fetch(null);
      if (!fetchResult.ok) return fetchResult;
      const { newHistory, statementTip } = await loadNewTip();
      return publish(null, async (reader) => {
        const old = await statementTip(reader, mirror);
        const remainingFiles: KeyFiles[] = [];
        let removedCount = 0;
        for await (const keyFiles of walkRef(reader, mirror)) {
          const files = keyFiles.files.filter((file) => !isOld({ key: file.key, file: file.file }));
          removedCount += keyFiles.files.length - files.length;
          remainingFiles.push({ ...keyFiles, files: files.map((file) => ({ ...file, file: NO_FILE })) });
        }
        const next = old === null || removedCount === 0 ? null : newHistory(old, remainingFiles, Date.now());
        return { old, next, done: { removed: removedCount } };
      });
    },
  });
}

// Most runs only fetch, so load the code that writes git objects only when it is needed.
const loadNewTip = () => import('./git-new-tip.ts');

// A prune needs only the git ids of the files that it keeps. This empty file replaces their contents to save memory.
const NO_FILE: StoredFile['file'] = { statement: new Uint8Array(0), signature: '' };

function trouble(where: string, why: CarrierTrouble, message: string): Failure {
  return { kind: 'passes-carrier', where, why, said: message.trim() };
}

/** Whether the text can be the name of a git remote, rather than an address or an option. */
export function isRemoteName(name: string): boolean {
  if (name.length > 100 || !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(name)) return false;
  return !/\.\.|\/\/|\/\.|\.\/|[./]$|\.lock(?:\/|$)/.test(name);
}

// A remote name cannot contain `+`. Replacing `/` with `+` thus gives each remote its own ref, and no ref lies inside
// another.
function mirrorOf(remote: string): string {
  return `refs/onceover/fetched/${remote.replaceAll('/', '+')}`;
}

function fetchArgs(remote: string): readonly string[] {
  const mirror = mirrorOf(remote);
  return [
    'fetch',
    // With this option, git prints something every second, so a slow fetch can be distinguished from a stalled one.
    '--progress',
    '--no-tags',
    '--no-prune',
    '--no-auto-maintenance',
    '--no-write-commit-graph',
    '--recurse-submodules=no',
    // In a partial clone, git would otherwise not fetch the contents of the files.
    '--no-filter',
    // Without this option, git would also apply the user's own fetch settings for the remote, which could update other
    // refs.
    '--refmap=',
    // Tell the remote only about the commit of the last fetch, not about the whole history of the clone. Before the
    // first fetch there is no such ref: git rejects the name of a missing ref, but accepts a pattern (`[…]`) that
    // matches nothing.
    `--negotiation-tip=${mirror.slice(0, -1)}[${mirror.slice(-1)}]`,
    remote,
    PASSES_REF,
  ];
}

async function inQuarantine<T>(clone: Clone, work: (quarantine: Quarantine) => Promise<Result<T>>): Promise<Result<T>> {
  const quarantine = openQuarantine(clone);
  if (!quarantine.ok) return quarantine;
  try {
    return await work(quarantine.value);
  } catch (error) {
    if (error instanceof GitError) return err(error.failure);
    throw error;
  } finally {
    quarantine.value.remove();
  }
}

async function reading<T>(
  clone: Clone,
  remote: string,
  readMs: number,
  use: (reader: ObjectReader) => Promise<T>,
): Promise<Result<T>> {
  const reader = openObjectReader(clone.root, readMs);
  try {
    return ok(await use(reader));
  } catch (error) {
    if (error instanceof GitError) return err(error.failure);
    if (!(error instanceof UnusableRef)) throw error;
    return err(trouble(remote, error.why === 'too-large' ? 'too-large' : 'unreadable', error.why));
  } finally {
    reader.close();
  }
}

/** Fails if no remote has this name, because git would treat the name as a path in the working tree. */
async function requireRemote({ root }: Clone, remote: string): Promise<Result<void>> {
  const pattern = `^remote\\.${remote.replaceAll('.', '\\.')}\\.url$`;
  const answer = await asResult(git(root, ['config', '--get-regexp', pattern], { expected: [0, 1] }));
  if (!answer.ok) return answer;
  return answer.value.code === 0 ? ok(undefined) : err(trouble(remote, 'not-a-remote', ''));
}

async function formatOfClone({ root }: Clone): Promise<ObjectFormat> {
  return (await gitText(root, ['rev-parse', '--show-object-format'])) === 'sha256' ? 'sha256' : 'sha1';
}

function isMissingRef(end: ProcessRunEnd): boolean {
  return end.kind === 'ended' && end.ending === 'by-itself' && MISSING_REF.test(end.stderr.text);
}

const MISSING_REF = /^fatal: couldn't find remote ref refs\/onceover\/passes$/im;

/** Returns why a git command that uses the network failed; `null` if it succeeded. */
function failureOf(remote: string, end: ProcessRunEnd): Failure | null {
  if (end.kind === 'not-started')
    return end.code === 'ENOENT' ? { kind: 'git-missing' } : trouble(remote, 'unreachable', end.code);
  if (end.ending === 'cancelled') return trouble(remote, 'stopped', '');
  if (end.ending !== 'by-itself') return trouble(remote, 'timeout', '');
  return end.code === 0 ? null : trouble(remote, 'unreachable', withoutProgress(end.stderr.text).slice(-LONGEST_SAID));
}

const LONGEST_SAID = 2000;

// In git's output, progress lines end with a carriage return, except the last one. The two patterns remove both kinds.
function withoutProgress(text: string): string {
  return text.replace(/[^\r\n]*\r/g, '').replace(/^(?:remote: )?[A-Z][a-z ]+: +(?:\d+% \()?\d[^\n]*\n/gm, '');
}

type Pushed =
  | { readonly kind: 'pushed' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /**
   * The push was refused: either another clone changed the ref first, or a lock on the remote (`isLock`) prevented the
   * change.
   */
  | { readonly kind: 'refused'; readonly failure: Failure; readonly isLock: boolean };

async function pushTip(
  clone: Clone,
  { remote, old, next }: { readonly remote: string; readonly old: string | null; readonly next: NewTip },
  limits: Parameters<Quarantine['run']>[1],
): Promise<Pushed> {
  const result = await inQuarantine<Pushed>(clone, async (quarantine) => {
    await quarantine.store(next.format, next.objects);
    const end = await quarantine.run(pushArgs(remote, old, next.commit), limits);
    const failure = failureOf(remote, end);
    if (failure === null) {
      const release = quarantine.release();
      return release.ok ? ok({ kind: 'pushed' }) : release;
    }
    if (end.kind !== 'ended' || end.ending !== 'by-itself' || !/^!\t/m.test(end.stdout.text)) return err(failure);
    const output = `${end.stderr.text}\n${end.stdout.text}`.slice(-LONGEST_SAID);
    const isLock = /cannot lock ref|unable to lock|\.lock\b/i.test(output);
    const why = /\.lock': File exists/.test(output)
      ? 'locked'
      : /stale info|fetch first/.test(output)
        ? 'busy'
        : 'refused';
    return ok({ kind: 'refused', failure: trouble(remote, why, output), isLock });
  });
  return result.ok ? result.value : { kind: 'failed', failure: result.failure };
}

function pushArgs(remote: string, old: string | null, commit: string): readonly string[] {
  return [
    '-c',
    `remote.${remote}.mirror=false`,
    '-c',
    'push.negotiate=false',
    'push',
    '--porcelain',
    '--no-verify',
    '--no-signed',
    '--no-follow-tags',
    '--recurse-submodules=no',
    // The remote changes the ref only if it still points at the commit on which the new commit is based.
    `--force-with-lease=${PASSES_REF}:${old ?? ''}`,
    remote,
    `${commit}:${PASSES_REF}`,
  ];
}

/**
 * Sets this clone's copy of the ref to `tip`, the commit that the remote's ref points at. `null` means that the remote
 * has no such ref. Returns whether the copy changed.
 */
async function setMirror(
  { root, commonDir }: Clone,
  { remote, mirror, staleLockMs }: { readonly remote: string; readonly mirror: string; readonly staleLockMs: number },
  tip: string | null,
): Promise<Result<boolean>> {
  const file = join(commonDir, mirror);
  const content = readPlainFile(file, 128);
  if (tip !== null && content.ok && content.bytes.toString('latin1').trim() === tip) {
    // The modification time of this file records when this clone last fetched.
    tryDisk('write', file, () => utimesSync(file, new Date(), new Date()));
    return ok(false);
  }
  const input = Buffer.from(tip === null ? `delete ${mirror}\0\0` : `update ${mirror}\0${tip}\0\0`, 'latin1');
  const config = [...NO_USER_PROGRAMS, 'core.logAllRefUpdates=false', 'core.filesRefLockTimeout=1000'];
  const update = () => asResult(git(root, ['update-ref', '--no-deref', '-z', '--stdin'], { config, input }));
  const first = await update();
  if (first.ok) return ok(true);
  if (!isLocked(first.failure)) return first;
  // Only onceover writes this ref, and locks it for milliseconds. So an old lock was left by a killed process.
  const lock = `${file}.lock`;
  const age = Date.now() - (statIfPresent(lock)?.mtimeMs ?? Date.now());
  if (age < staleLockMs) return err(trouble(remote, 'locked', `${lock} exists`));
  removeFile(lock);
  const second = await update();
  return second.ok ? ok(true) : second;
}

function isLocked(failure: Failure): boolean {
  return failure.kind === 'git-failed' && /\.lock': File exists/.test(failure.said);
}
