import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { Answers } from '@onceover/agents/dispatch/answer-schemas';
import { openReviewersFor } from '@onceover/agents/dispatch/choose-agents';
import { converse } from '@onceover/agents/dispatch/converse';
import { type Budget, openBudget, openQueue } from '@onceover/agents/dispatch/limits';
import { probeEntry } from '@onceover/agents/ledger/entries';
import { openLedger } from '@onceover/agents/ledger/store';
import type { Clock, Reviewers } from '@onceover/base/kernel/ports';
import { ok, type Result } from '@onceover/base/kernel/result';
import { describeTrouble } from '@onceover/base/ui/describe-agent-failure';
import { readSettings } from '@onceover/repo/config/effective-settings';
import type { Settings } from '@onceover/repo/config/settings';
import { findRepository } from '@onceover/repo/git/locate';
import {
  type QualityCall,
  type QualityCli,
  QualityCliError,
  type QualityDispatch,
  QualityGateError,
  type QualityQuestions,
} from './types.ts';

type QualityAgent = {
  readonly agent: string;
  readonly reviewers: Reviewers;
  /** How many reviews may run at the same time. */
  readonly atOnce: number;
  readonly settings: Pick<Settings, 'cacheTtl' | 'idleTimeoutSeconds'>;
  readonly clock: Clock;
  readonly stop: AbortSignal | null;
  readonly budget: Pick<Budget, 'spend' | 'used' | 'retried'> | null;
  /** Called after every call to the agent. */
  told(dispatch: QualityDispatch): void;
  /** Called once for each review, after its last call. Not called if the agent was never called. */
  evaluated(questions: QualityQuestions): Promise<void>;
};

/** Returns a reviewer that calls the agent without write access. At most `atOnce` calls run in parallel. */
export function agentQualityCli(options: QualityAgent): QualityCli {
  const inTurn = openQueue(options.atOnce);
  return { run: (call) => inTurn(() => evaluate(options, call)) };
}

async function evaluate(options: QualityAgent, call: QualityCall): Promise<Answers['quality']> {
  const { agent, reviewers, settings, clock, stop, budget } = options;
  const { promptLimit: limit } = await reviewers.describe(agent);
  const characters = call.systemPrompt.length + call.prompt.length;
  if (limit !== null && characters > limit) {
    throw new QualityGateError(
      `The prompt with the outputs has ${characters} characters, and ${agent} accepts at most ${limit}. Split the outputs into smaller files, or into more than one step.`,
    );
  }
  const dispatches: QualityDispatch[] = [];
  const { answer, trouble } = await converse(
    {
      ...{ reviewers, clock, budget, cooldowns: null },
      async send(name, question, { mode }) {
        const { model } = await reviewers.describe(name);
        const end = await reviewers.ask(name, question, { stop, watch() {} });
        const dispatch: QualityDispatch = {
          agent,
          model: (end.ok ? end.model : null) ?? model,
          mode: mode === 'repair' ? 'repair' : 'fresh',
          usage: end.ok ? end.reply.usage : end.usage,
          durationMs: end.durationMs,
          retries: end.retries ?? 0,
          failure: end.ok ? null : end.failure,
        };
        dispatches.push(dispatch);
        options.told(dispatch);
        return end;
      },
    },
    {
      kind: 'quality',
      agent,
      others: [],
      fresh: { stable: call.systemPrompt, dynamic: call.prompt },
      resumed: null,
      options: {
        schema: call.jsonSchema,
        cacheTtl: settings.cacheTtl === 'auto' ? '5m' : settings.cacheTtl,
        timeoutSeconds: call.timeoutSeconds,
        idleSeconds: settings.idleTimeoutSeconds,
      },
      // The time limit applies to the whole review: a second question, after an invalid answer, gets only the remaining
      // time.
      sharesTimeout: true,
    },
  );
  if (dispatches.length > 0) await options.evaluated({ dispatches, isAnswered: trouble === null });
  if (trouble === null) return answer;
  const message = describeTrouble(trouble);
  throw trouble.kind === 'agent' ? new QualityCliError(message, trouble) : new QualityGateError(message);
}

/** The agent that reviews by default. */
export const USUAL_AGENT = 'claude';

/** The options for `openQualityCli`, which opens an agent as a reviewer. */
export type QualityCliOptions = {
  /** The agent to call. Default: Claude Code. */
  readonly agent?: string | undefined;
  /** How many reviews may run at the same time. Default: the `concurrency` setting. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Called after every call to the agent, even if it gave no answer. The sum of the reported usages is the total. */
  readonly onDispatch?: ((dispatch: QualityDispatch) => void) | undefined;
};

/**
 * Opens an installed agent as a reviewer, with the settings of the repository that contains `root`. The `budget`
 * setting, which is meant for one run, applies only if `onEvaluated` is given. Other callers are programs that may run
 * for days.
 */
export async function openQualityCli(
  root: string,
  options: QualityCliOptions,
  onEvaluated: QualityAgent['evaluated'] | null = null,
): Promise<Result<QualityCli>> {
  const repository = await findRepository(root);
  if (!repository.ok) return repository;
  const runSettings = await readSettings(repository.value, { kind: 'change', base: null });
  if (!runSettings.ok) return runSettings;
  runSettings.value.parsed.save();
  const { settings, source } = runSettings.value;
  const { agent = USUAL_AGENT, concurrency: atOnce = settings.concurrency, signal: stop = null } = options;
  const reviewers = await openReviewersFor(repository.value, settings, {
    stop,
    base: source.commit,
    paid: (cost) => openLedger(repository.value.commonDir).add(probeEntry(cost, 'agent', new Date())),
  });
  const path = reviewers.refused?.get(agent);
  if (path !== undefined) {
    throw new QualityGateError(`${describeTrouble({ kind: 'author-agent', agent, path })}.`);
  }
  if (!Number.isInteger(atOnce) || atOnce < 1) {
    throw new QualityGateError(`concurrency is ${atOnce}: give a whole number, 1 or more.`);
  }
  const cli = agentQualityCli({
    agent,
    reviewers,
    atOnce,
    settings,
    clock: { now: () => new Date() },
    stop,
    budget: onEvaluated === null ? null : openBudget(settings.budget),
    told: (dispatch) => options.onDispatch?.(dispatch),
    evaluated: onEvaluated ?? (async () => {}),
  });
  return ok({
    async run(call) {
      // The settings and protections of this repository do not apply outside it, so refuse a folder outside.
      const real = await realpath(resolve(call.cwd));
      if (relative(repository.value.root, real).split(sep)[0] === '..') {
        throw new QualityGateError(
          `This evaluator was opened for ${repository.value.root}, and ${call.cwd} is outside of it.`,
        );
      }
      return cli.run(call);
    },
  });
}
