import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { Place } from '../domain/change.ts';
import { type QualityCli, type QualityDispatch, QualityGateError, type QualityQuestions } from '../domain/quality.ts';
import { done, type Result } from '../domain/result.ts';
import type { Settings } from '../domain/settings.ts';
import { openBudget } from '../execute/budget.ts';
import { agentQualityCli } from '../execute/quality-cli.ts';
import { findPlace } from '../io/place.ts';
import { openSnapshots } from '../io/snapshots.ts';
import { barredAgents } from './barred-agents.ts';
import { reviewersOf } from './reviewers.ts';
import { readSettings } from './run-settings.ts';

/** Who evaluates where nobody else is named. */
export const USUAL_AGENT = 'claude';

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

/** Where evaluations belong to something that has a budget and a ledger. */
export type QualityAccount = { evaluated(questions: QualityQuestions): void };

/** An agent of this machine as whoever evaluates, with the settings of the repository that `root` is in. */
export async function openQualityCli(
  root: string,
  options: QualityCliOptions,
  account: QualityAccount | null = null,
): Promise<Result<QualityCli>> {
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
  return done(qualityCliOf(place.value, read.value.settings, options, account));
}

/** The same where place and settings are known. The agent is started in the root of the repository, as for every review. */
function qualityCliOf(
  place: Place,
  settings: Settings,
  options: QualityCliOptions,
  account: QualityAccount | null,
): QualityCli {
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
    // Whoever opens one in a program of theirs counts for themselves: it may live for days.
    budget: account === null ? null : openBudget(settings.budget),
    told: (dispatch) => options.onDispatch?.(dispatch),
    evaluated: (questions) => account?.evaluated(questions),
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
