import { setMaxListeners } from 'node:events';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import type { AskEnd, AskOptions, Question, ReviewedTrees } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { openFetch } from '@onceover/base/platform/proxy';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { callApi } from '../api/call-api.ts';
import { openTranscripts } from '../api/transcripts.ts';
import { notCalled } from './call-agent.ts';
import type { KnownAgent } from './installed.ts';
import { listPrice } from './prices.ts';
import { openTreeReader } from './tree-reader.ts';

/** Calls a reviewer that is a model API. If its key is missing, sends nothing. */
export async function askApi(
  { settings, agent, env }: KnownAgent,
  repository: RepositoryPaths | null,
  { stop, watch, begun, trees, ...question }: Question & AskOptions,
): Promise<AskEnd> {
  const api = settings?.api ?? null;
  if (api === null || repository === null) return notCalled({ kind: 'not-found', program: agent.program });
  const key = api.key === null ? null : (env[api.key] ?? '');
  const logIn = agent.access?.logIn ?? '';
  if (key === '') {
    return notCalled({ kind: 'not-logged-in', said: `the environment variable ${api.key} is not set`, logIn });
  }
  const reviewedTrees = trees === undefined ? await currentTrees(repository) : ok(trees);
  if (!reviewedTrees.ok) return notCalled({ kind: 'agent-error', said: `git failed: ${reviewedTrees.failure.kind}` });
  // Every request listens to this signal, and there can be many at once, so turn off Node's warning about that.
  if (stop !== null) setMaxListeners(0, stop);
  const at = new Date();
  const end = await callApi({
    ...{ settings: api, key, question, options: { stop, watch, ...(begun === undefined ? {} : { begun }) } },
    files: openTreeReader(repository, reviewedTrees.value),
    transcripts: openTranscripts(repository.commonDir),
    fetch: openFetch(env),
    isProvider: api.isProvider,
    price(model, usage, hourTokens) {
      const cost = listPrice(agent.priceProvider, { model, usage, at });
      const noTokens = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null };
      const hourWriteCost = listPrice(agent.priceProvider, {
        model,
        usage: { ...noTokens, cacheWriteTokens: hourTokens },
        at,
      });
      if (cost === null) return null;
      // The price list assumes the five-minute cache, which costs 1.25 times the price of input tokens. The one-hour
      // cache costs 2 times.
      const whole = cost + (hourWriteCost ?? 0) * (2 / 1.25 - 1);
      // Both providers document half the price for batches; OpenAI documents the same for `flex`.
      return api.tier === 'standard' ? whole : whole / 2;
    },
  });
  return !end.ok && end.failure.kind === 'not-logged-in' ? { ...end, failure: { ...end.failure, logIn } } : end;
}

/** Returns the current working tree and the last commit, for questions that name no trees. */
async function currentTrees(repository: RepositoryPaths): Promise<Result<ReviewedTrees>> {
  const snapshots = openSnapshots(repository);
  const comparison = await snapshots.compare({ kind: 'uncommitted' }, repository.usualBase);
  if (!comparison.ok) return comparison;
  const snapshot = await snapshots.take(comparison.value, { folders: [GENERATED_FOLDER] });
  const head = snapshot.ok ? await snapshot.value.tree() : snapshot;
  return head.ok ? ok({ head: head.value, base: comparison.value.baseTree, hidden: [GENERATED_FOLDER] }) : head;
}
