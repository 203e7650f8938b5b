import type { output } from 'zod';
import type { RepoPath } from '../domain/brand.ts';
import type { ForeignCheck, ForeignConfig, ForeignEntry, ForeignReview } from '../domain/carry-over.ts';
import { PRIORITIES, type Priority } from '../domain/finding.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { type Findings, type ForeignFile, ignoreOthers, openFindings, readForeignYaml } from './foreign-file.ts';
import { readChecks, toCheck } from './gauntlet-checks.ts';
import { inlineGate } from './gauntlet-files.ts';
import { type GauntletReview, isShared, readReviews, sharedAgents, toReview } from './gauntlet-reviews.ts';
import { CARRIED, gauntletCheck, gauntletConfig, gauntletReview } from './gauntlet-shape.ts';

/** The folders that its configuration may be in: the newer name first. */
export const GAUNTLET_FOLDERS = ['.validator', '.gauntlet'];

/** The file in it that must be there. */
export const GAUNTLET_FILE = 'config.yml';

type Gauntlet = ForeignFile<output<typeof gauntletConfig>>;

/** Everything that the entry points can name. */
type Gates = {
  readonly checks: Map<string, ForeignCheck>;
  readonly reviews: Map<string, GauntletReview>;
  readonly used: Set<string>;
};

/** Reads the configuration of agent gauntlet: entry points with their checks and reviews. */
export async function readGauntlet(files: ProjectFiles, folder: string): Promise<Result<ForeignConfig>> {
  const file = `${folder}/${GAUNTLET_FILE}`;
  const read = await files.read(file as RepoPath);
  if (!read.ok) return read;
  const findings = openFindings();
  const found = readForeignYaml(file, read.value ?? '', gauntletConfig, findings);
  const checks = await readChecks(files, folder, findings);
  if (!checks.ok) return checks;
  const reviews = await readReviews(files, folder, findings);
  if (!reviews.ok) return reviews;
  const gates: Gates = { checks: checks.value, reviews: reviews.value, used: new Set() };
  const entries = found === null ? [] : await readEntries(files, folder, found, gates, findings);
  if (found === null || findings.problems.length > 0) {
    return failed({ kind: 'broken-config', problems: findings.problems });
  }
  const spare = spareReviews(gates, findings);
  const settings = toSettings(found, findings);
  return done({ tool: 'gauntlet', source: folder, ...settings, entries, spare, left: findings.allLeft() });
}

async function readEntries(
  files: ProjectFiles,
  folder: string,
  found: Gauntlet,
  gates: Gates,
  findings: Findings,
): Promise<readonly ForeignEntry[]> {
  // A gate that one entry point defines may be named by any other, also by one before it.
  await takeInline(files, folder, found, gates, findings);
  return found.value.entry_points.map((entry, i): ForeignEntry => {
    const at = ['entry_points', i];
    ignoreOthers(found, at, entry, CARRIED.entry, findings, 'entry_points');
    return {
      at: found.place([...at, 'path']),
      path: { kind: 'entry', text: entry.path },
      exclude: (entry.exclude ?? []).map((glob, n) => ({ at: found.place([...at, 'exclude', n]), glob })),
      leavesOutWritten: false,
      checks: namesIn(entry.checks).flatMap((name, n) => {
        const check = use('check', name, gates.checks, found.place([...at, 'checks', n]));
        return check === undefined ? [] : [check];
      }),
      reviews: namesIn(entry.reviews).flatMap((name, n) => {
        const one = use('review', name, gates.reviews, found.place([...at, 'reviews', n]));
        return one?.review == null || !one.enabled ? [] : [one.review];
      }),
    };
  });

  function use<T>(gate: 'check' | 'review', name: string, all: ReadonlyMap<string, T>, at: ForeignEntry['at']) {
    gates.used.add(`${gate} ${name}`);
    const one = all.get(name);
    if (one === undefined) findings.leave(at, { kind: 'undefined-gate', name, gate });
    return one;
  }
}

type Named = output<typeof gauntletConfig>['entry_points'][number]['checks'];

function namesIn(given: Named): readonly string[] {
  return [...new Set((given ?? []).map((one) => (typeof one === 'string' ? one : (Object.keys(one)[0] ?? ''))))];
}

async function takeInline(
  files: ProjectFiles,
  folder: string,
  found: Gauntlet,
  { checks, reviews }: Gates,
  findings: Findings,
): Promise<void> {
  for (const [i, entry] of found.value.entry_points.entries()) {
    for (const [n, given] of (entry.checks ?? []).entries()) {
      if (typeof given === 'string') continue;
      const inline = inlineGate(found, ['entry_points', i, 'checks', n], given, gauntletCheck, findings);
      if (inline !== null) checks.set(inline.name, toCheck(inline.name, found, inline.at, inline.value, findings));
    }
    for (const [n, given] of (entry.reviews ?? []).entries()) {
      if (typeof given === 'string') continue;
      const inline = inlineGate(found, ['entry_points', i, 'reviews', n], given, gauntletReview, findings);
      if (inline === null) continue;
      const { name, value, at } = inline;
      reviews.set(name, await toReview({ files, folder, findings }, name, found, at, value));
    }
  }
}

/** Reviews that no entry point uses, or that are switched off: their texts are kept all the same. */
function spareReviews({ checks, reviews, used }: Gates, findings: Findings): readonly ForeignReview[] {
  for (const [name, { at }] of checks) {
    if (!used.has(`check ${name}`)) findings.leave(at, { kind: 'not-in-use', name, prompt: null });
  }
  return [...reviews].flatMap(([name, { review, enabled }]) =>
    review?.text != null && !(enabled && used.has(`review ${name}`)) ? [review] : [],
  );
}

const THRESHOLDS: readonly unknown[] = PRIORITIES;

function toSettings(found: Gauntlet, findings: Findings) {
  const { value, place } = found;
  const { cli, max_retries: retries, rerun_new_issue_threshold: threshold } = value;
  ignoreOthers(found, [], value, CARRIED.config, findings);
  ignoreOthers(found, ['cli'], cli, ['default_preference', 'adapters'], findings);
  const models = Object.entries(cli?.adapters ?? {}).flatMap(([name, adapter]) => {
    const at = ['cli', 'adapters', name];
    ignoreOthers(found, at, adapter, ['model'], findings, 'cli.adapters');
    return isShared(name) && adapter?.model != null ? [[name, adapter.model] as const] : [];
  });
  if (threshold != null && !THRESHOLDS.includes(threshold)) {
    findings.ignore(place(['rerun_new_issue_threshold'], 'key'), 'rerun_new_issue_threshold');
  }
  if (value.stop_hook != null && value.stop_hook.enabled !== false) {
    findings.leave(place(['stop_hook'], 'key'), { kind: 'stop-hook' });
  }
  const wanted = cli?.default_preference ?? Object.keys(cli?.adapters ?? {});
  return {
    base: value.base_branch ?? null,
    maxRetries: retries == null || !(retries >= 0) ? null : Math.min(1000, Math.floor(retries)),
    rerunNewIssueThreshold: THRESHOLDS.includes(threshold) ? (threshold as Priority) : null,
    agents: wanted.length === 0 ? null : sharedAgents(wanted, place(['cli']), findings),
    models,
  };
}
