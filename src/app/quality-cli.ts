import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { Place } from '../domain/change.ts';
import { type QualityCli, type QualityDispatch, QualityGateError } from '../domain/quality.ts';
import { done, type Result } from '../domain/result.ts';
import type { Settings } from '../domain/settings.ts';
import { agentQualityCli } from '../execute/quality-cli.ts';
import { findPlace } from '../io/place.ts';
import { openSnapshots } from '../io/snapshots.ts';
import { barredAgents } from './barred-agents.ts';
import { reviewersOf } from './reviewers.ts';
import { readSettings } from './run-settings.ts';

const USUAL_AGENT = 'claude';

/** Who evaluates, and how. */
export type QualityCliOptions = {
  /** The agent to ask; Claude Code unless given. */
  readonly agent?: string | undefined;
  /** How many evaluations go on at once; as the settings say unless given. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Hears of every question when it has ended, whatever came of it: the sum of their usage is what was paid. */
  readonly onDispatch?: ((dispatch: QualityDispatch) => void) | undefined;
};

/** An agent of this machine as whoever evaluates, with the settings of the repository that `root` is in. */
export async function openQualityCli(root: string, options: QualityCliOptions): Promise<Result<QualityCli>> {
  const place = await findPlace(root);
  if (!place.ok) return place;
  const read = await readSettings(place.value, { kind: 'change', base: null });
  if (!read.ok) return read;
  read.value.parsed.save();
  const barred = await barredAgents(openSnapshots(place.value), read.value);
  if (!barred.ok) return barred;
  const agent = options.agent ?? USUAL_AGENT;
  if (barred.value.has(agent)) {
    throw new QualityGateError(`${agent} is not asked: this pull request has written to what it is started from.`);
  }
  return done(qualityCliOf(place.value, read.value.settings, options));
}

/** The same where place and settings are known. The agent is started in the root of the repository, as for every review. */
function qualityCliOf(place: Place, settings: Settings, options: QualityCliOptions): QualityCli {
  const atOnce = options.concurrency ?? settings.concurrency;
  if (!Number.isInteger(atOnce) || atOnce < 1) {
    throw new QualityGateError(`concurrency is ${atOnce}: give a whole number, 1 or more.`);
  }
  const stop = options.signal ?? null;
  const cli = agentQualityCli({
    agent: options.agent ?? USUAL_AGENT,
    reviewers: reviewersOf(place, settings, stop),
    atOnce,
    settings,
    clock: { now: () => new Date() },
    stop,
    told: (dispatch) => options.onDispatch?.(dispatch),
  });
  return {
    async run(call) {
      await refuseElsewhere(place, call.cwd);
      return cli.run(call);
    },
  };
}

/** An agent that is asked about files of another repository would be asked with the wrong settings, and protected from the wrong files. */
async function refuseElsewhere({ root }: Place, cwd: string): Promise<void> {
  const real = await realpath(resolve(cwd));
  if (relative(root, real).split(sep)[0] === '..') {
    throw new QualityGateError(`This reviewer was opened for ${root}, and ${cwd} is not in there.`);
  }
}
