import { randomUUID } from 'node:crypto';
import type { AskEnd, AskOptions, AskSubject, Question, Reviewers } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { Settings } from '@onceover/repo/config/settings';
import { openClientBoss } from '@onceover/store/boss';
import { connect, type Database } from '@onceover/store/connect';
import { userConfigPath } from '@onceover/store/has-store';
import { openRepositoryRow, readCloneFacts } from '@onceover/store/identity';
import { migrate } from '@onceover/store/migrate';
import { isTrustedRun } from '@onceover/store/store';
import { StoreError, storeError } from '@onceover/store/store-error';
import { readUserConfig, type StoreSettings } from '@onceover/store/user-config';
import { notCalled } from '../adapters/call-agent.ts';
import { type KnownAgent, knownAgents } from '../adapters/installed.ts';
import { listReviewers, notInstalled, reviewerFacts } from '../adapters/reviewers.ts';
import { type ClientCalls, openCalls } from './calls.ts';
import { callKey, madeBy } from './decide-call.ts';
import { openFollower } from './follow-calls.ts';
import { treeOf } from './pack-trees.ts';
import { partsOf, uploadSnapshot } from './snapshots.ts';
import type { CallRequest, Offer, Urgency } from './types.ts';

/** Access to the reviewers that run on workers. */
export type RemoteReviewers = {
  /** Returns the agents that workers offer now, as reviewers. */
  reviewers(): Promise<Reviewers>;
  close(): Promise<void>;
};

/**
 * Connects to the team's store, so that workers run the reviewers instead of this machine. `onceover prove` reviews
 * temporary repositories, so `proofOf` names the repository to which its agent calls belong. Throws a `StoreError`.
 */
export async function openRemote(
  repository: RepositoryPaths,
  settings: Pick<Settings, 'agent' | 'agents'>,
  proofOf?: RepositoryPaths,
): Promise<RemoteReviewers> {
  const { store } = orThrow(readUserConfig(process.env));
  if (store === null) throw storeError(userConfigPath(process.env), 'no-address', '');
  const urgency = proofOf === undefined ? urgencyOf(process.env) : 'background';
  return openRemoteAt(repository, settings, { store, urgency, of: proofOf ?? repository });
}

/**
 * `of` is the repository to which the agent calls belong in the team store; by default, the repository with the
 * reviewed files.
 */
type RemoteUse = { readonly urgency: Urgency; readonly of?: RepositoryPaths };

/** Like `openRemote`, but the caller chooses the team store. */
export async function openRemoteAt(
  repository: RepositoryPaths,
  settings: Pick<Settings, 'agent' | 'agents'>,
  use: { readonly store: StoreSettings } & RemoteUse,
): Promise<RemoteReviewers> {
  const { url, waitSeconds } = use.store;
  const database = orThrow(await connect(url, { waitSeconds, connections: 2 }));
  try {
    return orThrow(await openWith(database, repository, settings, use));
  } catch (error) {
    await database.close();
    throw error;
  }
}

function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new StoreError(result.failure);
  return result.value;
}

/** In CI, no person waits at a terminal, so the agent calls of people come first. */
function urgencyOf(env: NodeJS.ProcessEnv): Urgency {
  return env['CI'] === undefined || env['CI'] === '' || env['CI'] === 'false' ? 'person' : 'ci';
}

async function openWith(
  database: Database,
  repository: RepositoryPaths,
  settings: Pick<Settings, 'agent' | 'agents'>,
  { urgency, store, of = repository }: RemoteUse & { readonly store: StoreSettings },
): Promise<Result<RemoteReviewers>> {
  const migration = await migrate(database);
  if (!migration.ok) return migration;
  const facts = await readCloneFacts(of);
  if (!facts.ok) return facts;
  const row = await openRepositoryRow(database, facts.value);
  if (!row.ok) return row;
  const boss = await openClientBoss(database);
  if (!boss.ok) return boss;
  const calls = openCalls(database, boss.value, row.value.id);
  if ((await calls.offers()).length === 0) {
    // Stop the queue, because its timers would keep the process running.
    await boss.value.stop({ graceful: false });
    throw storeError(database.where, 'no-worker', '');
  }
  const upload = ({ tree, baseTree }: CallRequest) =>
    uploadSnapshot(database, row.value.id, repository.root, partsOf(tree, baseTree));
  const agents = await knownAgents(settings.agent, {}, repository.root);
  const mayShare = isTrustedRun(store, process.env);
  return ok({
    reviewers: async () =>
      remoteReviewers({
        known: agents,
        calls,
        upload,
        urgency,
        mayShare,
        preference: settings.agents,
        root: repository.root,
      }),
    async close() {
      await boss.value.stop({ graceful: false });
      await database.close();
    },
  });
}

type Context = {
  readonly known: readonly KnownAgent[];
  readonly calls: ClientCalls;
  readonly urgency: Urgency;
  /** Whether calls of other clients count in this run. If not, each question is a call of its own. */
  readonly mayShare: boolean;
  readonly preference: readonly string[] | null;
  readonly root: string;
  upload(request: CallRequest): Promise<string | null>;
};

async function remoteReviewers(context: Context): Promise<Reviewers> {
  const { known, calls, root } = context;
  const offers = await calls.offers();
  const offerOf = (knownAgent: KnownAgent) =>
    offers.find(({ agent, made }) => agent === knownAgent.agent.name && made === madeBy(knownAgent.settings)) ?? null;
  // An agent counts as installed if a worker offers it. This machine does not need to know the program's path on the
  // worker.
  const remoteAgents = known.map((knownAgent) => ({
    ...knownAgent,
    program: offerOf(knownAgent) === null ? null : knownAgent.agent.program,
  }));
  const find = (name: string) => known.find(({ agent }) => agent.name === name) ?? notInstalled(name);
  const follower = openFollower(calls);
  return {
    ...listReviewers(remoteAgents, context.preference, root),
    async describe(name) {
      const knownAgent = find(name);
      const offer: Offer | null = offerOf(knownAgent);
      return {
        ...reviewerFacts(knownAgent, offer?.version ?? 'unknown'),
        usualModel: offer?.usualModel ?? null,
        // Any worker may take an agent call, but a session exists on one machine only. So every call starts a new
        // session.
        canResume: async () => false,
        deferredReason: async () => null,
        canFork: () => false,
        sharesPrefix: false,
        canFix: false,
      };
    },
    async ask(name, question, options) {
      const { subject, stop } = options;
      if (subject === undefined || question.writes === true || question.sessionId !== null) {
        return notCalled({ kind: 'agent-error', said: 'workers do not take this kind of call' });
      }
      if (stop?.aborted === true) return notCalled({ kind: 'cancelled' });
      // The base can be a commit. Workers get only the files of that commit, not its history.
      const base = await treeOf(root, subject.baseTree);
      if (!base.ok) return notCalled({ kind: 'agent-error', said: 'git could not read the files of the base' });
      const request = requestOf(find(name), question, { tree: subject.tree, baseTree: base.value });
      try {
        return await askWorker(context, follower, request, { ...options, subject });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return notCalled({ kind: 'unreachable', said: saidBy(error) });
      }
    },
  };
}

function requestOf(
  { agent, settings }: KnownAgent,
  question: Question,
  { tree, baseTree }: Pick<CallRequest, 'tree' | 'baseTree'>,
): CallRequest {
  const { stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds, mostRetries = null } = question;
  return {
    agent: agent.name,
    made: madeBy(settings),
    model: question.model ?? settings?.model ?? null,
    sandbox: settings?.sandbox === true,
    ...{ stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds, mostRetries, tree, baseTree },
  };
}

/** How often to repeat an agent call that was cancelled while this client was still waiting for it. */
const MOST_ASKS = 3;

/** Sends an agent call to the workers, or waits for the same call of another client, and returns the answer. */
async function askWorker(
  { calls, upload, urgency: usual, mayShare }: Context,
  follower: ReturnType<typeof openFollower>,
  request: CallRequest,
  { subject, stop, watch }: AskOptions & { readonly subject: AskSubject },
): Promise<AskEnd> {
  // Everyone who can write to the database can add an answer under a key that they can compute, so an untrusted run uses
  // a random one.
  const key = callKey(request, subject.asker, subject.mayShare && mayShare ? null : randomUUID());
  const urgency = subject.isAudit === true ? 'background' : usual;
  const { accepts } = subject;
  for (let asks = 0; asks < MOST_ASKS; asks++) {
    let id = await calls.find({ key, urgency, accepts });
    let isNew = false;
    if (id === null) {
      const why = await upload(request);
      if (why !== null) return notCalled({ kind: 'agent-error', said: `the files could not be uploaded: ${why}` });
      ({ id, isNew } = await calls.add({ key, request, urgency, accepts }));
    }
    const askEnd = await follower.follow(id, request, { stop, watch });
    if (askEnd !== 'cancelled') return isNew ? askEnd : withoutCost(askEnd);
    if (stop?.aborted === true) return notCalled({ kind: 'cancelled' });
  }
  return notCalled({ kind: 'agent-error', said: 'the call was cancelled several times' });
}

const FREE = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, costUsd: 0 };

/**
 * Returns the answer of a shared agent call with zero cost, because the client that added the call already counts its
 * tokens.
 */
function withoutCost(end: AskEnd): AskEnd {
  if (end.ok) return { ...end, reply: { ...end.reply, usage: end.reply.usage === null ? null : FREE } };
  return { ...end, usage: end.usage === null ? null : FREE };
}

/** Returns the error message of the team store, for people. */
export function saidBy({ failure }: StoreError): string {
  return failure.kind === 'store-failed' ? `${failure.where}: ${failure.said || failure.why}` : failure.kind;
}
