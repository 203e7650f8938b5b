import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DemoFile, filesBefore } from '../demo/project.ts';
import { isAsTold, STORY } from '../demo/story.ts';
import type { Place } from '../domain/change.ts';
import type { DemoOutcome } from '../domain/demo.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { RunOutcome } from '../domain/run.ts';
import { codeOf } from '../io/files.ts';
import { git } from '../io/git.ts';
import { findPlace } from '../io/place.ts';
import { estimateTokens } from '../plan/estimate.ts';
import { gateNames } from '../plan/record-names.ts';
import { openOpenings } from '../stores/openings.ts';
import { openRecords } from '../stores/records.ts';
import { cost } from './cost.ts';
import { DEMO_SESSIONS } from './demo-reviewer.ts';
import { NOBODY, run } from './run.ts';
import { readSettings } from './run-settings.ts';

export type DemoOptions = {
  /** The words that start a scripted reviewer; its name is added. */
  readonly reviewer: readonly string[];
  readonly keep: boolean;
  readonly stop: AbortSignal;
  /** Hears of each run as it has ended. */
  tell(number: number, outcome: RunOutcome): void;
};

/** Plays the demo: real runs in a temporary repository, which is removed unless it is to be kept. */
export async function playDemo(options: DemoOptions): Promise<Result<DemoOutcome>> {
  const begun = performance.now();
  const made = makeFolder();
  if (!made.ok) return made;
  const folder = made.value;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  // Also where the program is ended at once, by a second Ctrl-C.
  process.once('exit', remove);
  leaveUsersWorld();
  let isKept = false;
  try {
    const played = await play(folder, options);
    isKept = options.keep && played.ok && !options.stop.aborted;
    if (!played.ok) return played;
    return done({ ...played.value, folder: isKept ? folder : null, durationMs: Math.round(performance.now() - begun) });
  } finally {
    process.off('exit', remove);
    if (!isKept) remove();
  }
}

function makeFolder(): Result<string> {
  try {
    return done(realpathSync(mkdtempSync(join(tmpdir(), 'onceover-demo-'))));
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path: tmpdir(), code: codeOf(error) });
  }
}

/**
 * Git reads no settings of the user or the machine from here on, and this is nobody's pull request: templates, hooks,
 * signing or another repository's variables are no part of the demo.
 */
function leaveUsersWorld(): void {
  for (const name of Object.keys(process.env)) {
    if ((name.startsWith('GIT_') && name !== 'GIT_EXEC_PATH') || PULL_REQUEST.test(name)) delete process.env[name];
  }
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });
}

const PULL_REQUEST =
  /^(?:GITHUB_(?:EVENT_NAME|BASE_REF)|BUILD_REASON|CI_MERGE_REQUEST_.*|BITBUCKET_PR_.*|BUILDKITE_PULL_REQUEST.*|CIRCLE_PULL_REQUEST|TRAVIS_PULL_REQUEST|CHANGE_(?:ID|TARGET)|DRONE_PULL_REQUEST|SYSTEM_PULLREQUEST_.*)$/;

type Played = Omit<DemoOutcome, 'folder' | 'durationMs'>;

async function play(folder: string, options: DemoOptions): Promise<Result<Played>> {
  const place = await makeRepository(folder, options.reviewer);
  if (!place.ok) return place;
  const runs: RunOutcome[] = [];
  let strayed: number | null = null;
  for (const [i, act] of STORY.entries()) {
    const written = writeFiles(folder, act.writes);
    if (!written.ok) return written;
    const ran = await run(place.value, {
      ...NOBODY,
      selection: { kind: 'change', base: null },
      startedBy: 'person',
      stop: options.stop,
    });
    if (!ran.ok) return ran;
    if (options.stop.aborted) break;
    runs.push(ran.value);
    options.tell(i + 1, ran.value);
    if (isAsTold(act, ran.value)) continue;
    strayed = i + 1;
    break;
  }
  const costs = await cost(place.value, { feature: null, since: null, branch: null });
  if (!costs.ok) return costs;
  if (costs.value.kind !== 'all') throw new Error('the cost of a feature was not asked for');
  const shared = await sharedBeginnings(place.value, runs);
  return shared.ok ? done({ runs, strayed, cost: costs.value.report, shared: shared.value }) : shared;
}

async function makeRepository(folder: string, reviewer: readonly string[]): Promise<Result<Place>> {
  const ask = (...args: string[]) => git(folder, args);
  // An empty template: no hooks, no exclude file of anybody's.
  const begun = await ask('init', '--quiet', '--template=', '--initial-branch=main');
  if (!begun.ok) return begun;
  const written = writeFiles(folder, [...filesBefore(reviewer), { path: `${DEMO_SESSIONS}/README`, text: SESSIONS }]);
  if (!written.ok) return written;
  for (const words of [
    // Kept in the repository, so that whoever looks around in it can commit there.
    ['config', 'user.name', 'onceover demo'],
    ['config', 'user.email', 'demo@example.invalid'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'A shop'],
    ['checkout', '--quiet', '-b', 'cart'],
  ]) {
    const answered = await ask(...words);
    if (!answered.ok) return answered;
  }
  return findPlace(folder);
}

const SESSIONS = 'What the scripted reviewers of the demo remember of their sessions.\n';

function writeFiles(folder: string, files: readonly DemoFile[]): Result<void> {
  for (const { path, text } of files) {
    const file = join(folder, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } catch (error) {
      return failed({ kind: 'disk', action: 'write', path: file, code: codeOf(error) });
    }
  }
  return done(undefined);
}

/** What sessions that were opened in one run have alike: the engine keeps the text that opened each. */
async function sharedBeginnings(place: Place, runs: readonly RunOutcome[]): Promise<Result<DemoOutcome['shared']>> {
  const settings = await readSettings(place, { kind: 'change', base: null });
  if (!settings.ok) return settings;
  const names = gateNames(runs[0]?.gates ?? []);
  const past = await openRecords(place.root, settings.value.settings.logDir).read(names, new Set());
  if (!past.ok) return past;
  const openings = openOpenings(place.commonDir);
  const met = new Set<string>();
  let shared = { looks: 0, tokens: 0 };
  for (const { iteration, own } of past.value.slots) {
    if (own?.dispatch !== 'fresh' || own.session === null) continue;
    const { stableDigest } = own.session;
    const key = `${iteration} ${stableDigest}`;
    if (met.has(key)) {
      const text = (await openings.read(stableDigest)) ?? '';
      shared = { looks: shared.looks + 1, tokens: shared.tokens + estimateTokens(text.length) };
    }
    met.add(key);
  }
  return done(shared);
}
