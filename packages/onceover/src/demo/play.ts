import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSessionPrompts } from '@onceover/agents/dispatch/cooldowns';
import { estimateTokens } from '@onceover/base/kernel/agent';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { makeParents, tryDisk } from '@onceover/base/platform/files';
import { ownCommand } from '@onceover/base/platform/own-program';
import { cost } from '@onceover/gates/cost/read';
import type { RunOutcome, SlotOutcome } from '@onceover/gates/result/types';
import { gateNames } from '@onceover/gates/run/decide/cycles';
import { READ_ONLY, runGates } from '@onceover/gates/run/open-run';
import { openRecords } from '@onceover/gates/run/record/records';
import { readSettings } from '@onceover/repo/config/effective-settings';
import { leavePullRequest } from '@onceover/repo/config/pull-request';
import { asResult, git } from '@onceover/repo/git/git';
import { findRepository } from '@onceover/repo/git/locate';
import { type DemoAct, type DemoFile, type DemoOutcome, filesBefore, STORY } from './project.ts';

/** Whether a run had the planned result. If not, the demo's explanation of this run would be wrong. */
export function matchesStory(act: Pick<DemoAct, 'exitCode' | 'slots'>, outcome: RunOutcome): boolean {
  const slots = outcome.gates.flatMap((gate) => gate.slots.map((slot) => slotState(slot, gate.status === 'holds')));
  return outcome.exitCode === act.exitCode && slots.join() === act.slots.join();
}

function slotState({ status, dispatch }: SlotOutcome, isUnchanged: boolean): string {
  if (status === 'skipped_prior_pass') return 'rests';
  return isUnchanged ? 'holds' : `${status} ${dispatch}`;
}

export type DemoOptions = {
  /** The command that starts a scripted reviewer. The name of the reviewer is added as the last argument. */
  readonly reviewer: readonly string[];
  readonly keep: boolean;
  readonly stop: AbortSignal;
  /** Called after each run. */
  tell(number: number, outcome: RunOutcome): void;
};

/**
 * Plays the demo, which consists of real runs in a temporary repository. At the end it removes the repository, unless
 * `keep` is set.
 */
export async function playDemo(options: DemoOptions): Promise<Result<DemoOutcome>> {
  const startedAt = performance.now();
  const folderResult = tryDisk('write', tmpdir(), () => realpathSync(mkdtempSync(join(tmpdir(), 'onceover-demo-'))));
  if (!folderResult.ok) return folderResult;
  const folder = folderResult.value;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  // A second Ctrl-C ends the program without running "finally", so the folder is also removed on exit.
  process.once('exit', remove);
  leavePullRequest(process.env);
  // Git templates, hooks, commit signing, a store for teams or another base branch would change the results of the
  // runs.
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ONCEOVER_STORE: '' });
  let isKept = false;
  try {
    const result = await play(folder, options);
    isKept = options.keep && result.ok && !options.stop.aborted;
    if (!result.ok) return result;
    // The user starts the next commands in the kept folder, where "npx onceover" finds no installed onceover, or else
    // in the current project.
    const program = ownCommand(isKept ? null : process.cwd(), process);
    const durationMs = Math.round(performance.now() - startedAt);
    return ok({ ...result.value, folder: isKept ? folder : null, program, durationMs });
  } finally {
    process.off('exit', remove);
    if (!isKept) remove();
  }
}

const CHANGE = { kind: 'change', base: null } as const;

type Played = Omit<DemoOutcome, 'folder' | 'program' | 'durationMs'>;

async function play(folder: string, options: DemoOptions): Promise<Result<Played>> {
  const place = await makeRepository(folder, options.reviewer);
  if (!place.ok) return place;
  const runs: RunOutcome[] = [];
  let strayedRun: number | null = null;
  for (const [i, act] of STORY.entries()) {
    const writeResult = writeFiles(folder, act.writes);
    if (!writeResult.ok) return writeResult;
    const how = { ...READ_ONLY, selection: CHANGE, startedBy: 'person', stop: options.stop } as const;
    const ran = await runGates(place.value, how);
    if (!ran.ok) return ran;
    if (options.stop.aborted) break;
    runs.push(ran.value);
    options.tell(i + 1, ran.value);
    if (matchesStory(act, ran.value)) continue;
    strayedRun = i + 1;
    break;
  }
  const costs = await cost(place.value, { feature: null, since: null, branch: null });
  if (!costs.ok) return costs;
  if (costs.value.kind !== 'all') throw new Error('the demo does not request the cost of a feature');
  const beginnings = await sharedBeginnings(place.value, runs);
  return beginnings.ok
    ? ok({ runs, strayed: strayedRun, cost: costs.value.report, shared: beginnings.value })
    : beginnings;
}

async function makeRepository(folder: string, reviewer: readonly string[]): Promise<Result<RepositoryPaths>> {
  // With an empty template, git does not copy the user's hooks and ignore rules into the repository.
  const initResult = await asResult(git(folder, ['init', '--quiet', '--template=', '--initial-branch=main']));
  if (!initResult.ok) return initResult;
  const writeResult = writeFiles(folder, filesBefore(reviewer));
  if (!writeResult.ok) return writeResult;
  const setupResult = await forEachOk(
    [
      // Set a name in the repository, so that the user can commit there later without a git configuration.
      ['config', 'user.name', 'onceover demo'],
      ['config', 'user.email', 'demo@example.invalid'],
      ['add', '--all'],
      ['commit', '--quiet', '--message', 'A shop'],
      ['checkout', '--quiet', '-b', 'cart'],
    ],
    (words) => asResult(git(folder, words)),
  );
  if (!setupResult.ok) return setupResult;
  return findRepository(folder);
}

function writeFiles(folder: string, files: readonly DemoFile[]): Result<void> {
  return tryDisk('write', folder, () => {
    for (const { path, text } of files) {
      const file = join(folder, path);
      makeParents(dirname(file));
      writeFileSync(file, text);
    }
  });
}

/**
 * Counts the new sessions whose prompts begin like an earlier one of the same run, and the tokens of these beginnings.
 */
async function sharedBeginnings(
  place: RepositoryPaths,
  runs: readonly RunOutcome[],
): Promise<Result<DemoOutcome['shared']>> {
  const settings = await readSettings(place, CHANGE);
  if (!settings.ok) return settings;
  const names = gateNames(runs[0]?.gates ?? []);
  const past = await openRecords(place.root, settings.value.settings.logDir).read(names, new Set());
  if (!past.ok) return past;
  const prompts = openSessionPrompts(place.commonDir);
  const sessionKeys = new Set<string>();
  const beginnings = { looks: 0, tokens: 0 };
  for (const { iteration, own } of past.value.slots) {
    if (own?.dispatch !== 'fresh' || own.session === null) continue;
    const { stableDigest } = own.session;
    const key = `${iteration} ${stableDigest}`;
    if (sessionKeys.has(key)) {
      const text = (await prompts.read(stableDigest)) ?? '';
      beginnings.looks++;
      beginnings.tokens += estimateTokens(text.length);
    }
    sessionKeys.add(key);
  }
  return ok(beginnings);
}
