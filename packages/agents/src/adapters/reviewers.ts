import { randomUUID } from 'node:crypto';
import type { ResumeAbility, Usage } from '@onceover/base/kernel/agent';
import { type CommitId, digestOf } from '@onceover/base/kernel/ids';
import type {
  AskEnd,
  AskOptions,
  Question,
  ReviewedTrees,
  ReviewerFacts,
  Reviewers,
} from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { decodeUtf8, readPlainFile } from '@onceover/base/platform/private-files';
import { type BaseCheckout, openBaseCheckout } from '@onceover/repo/git/base-checkout';
import type { Agent, AgentQuestion } from './agent.ts';
import { API_VERSION, isApiAgent, keepsConversations } from './api-agent.ts';
import { type AgentCall, callAgent, notCalled } from './call-agent.ts';
import { commandAgent } from './command.ts';
import { nameInside, startedFromBase } from './from-base.ts';
import {
  installedVersion,
  isCustomCommand,
  type KnownAgent,
  missingAgents,
  openVersions,
  type Versions,
} from './installed.ts';
import { shorten } from './parse-output.ts';

/**
 * Returns a function that runs only one job at a time per session. If `stop` is aborted, waiting jobs start at once and
 * end themselves, because they check `stop`.
 */
function openSessionLocks() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, stop: AbortSignal | null, job: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const whenStopped = () => new Promise((resolve) => stop?.addEventListener('abort', resolve, { once: true }));
    const run = before === undefined ? job() : Promise.race([before, whenStopped()]).then(job);
    // If `stop` is aborted, this job may start before `before` has ended, so the next job has to wait for both.
    last.set(key, Promise.allSettled([before, run]));
    return run;
  };
}

type Options = {
  readonly known: readonly KnownAgent[];
  readonly root: string;
  readonly commonDir: string;
  /** The setting `agents`, in order of preference; `null` for all installed agents. */
  readonly preference: readonly string[] | null;
  /** Returns whether this agent version can resume sessions. If that is unknown, tests it first. */
  resumable(name: string, version: string): Promise<ResumeAbility>;
  /** Returns whether this agent version is known to fork sessions correctly. By default, no version is. */
  forkable?(agent: Agent, version: string): boolean;
  readonly scratchBase?: string;
  /** The repository, for reviewers that read its files from git. */
  readonly repository?: RepositoryPaths;
  /**
   * On a pull request, a commit of the base branch, otherwise `null`. Custom commands that review are started from its
   * files.
   */
  readonly base?: CommitId | null;
};

/** The version to use if an agent reports none. Its sessions are never resumed, because the version may be untested. */
const UNKNOWN_VERSION = 'unknown';

const WATCH_PAUSE_MS = 100;

/** Opens the agents of this machine as reviewers. Calls in the same session run one after the other. */
export function openReviewers(options: Options): Reviewers {
  const { known, root } = options;
  const versions = openVersions(options.commonDir);
  const inTurn = openSessionLocks();
  const checkout = options.base == null ? null : openBaseCheckout(options, options.base);
  const abilities = new Map<string, ReturnType<Options['resumable']>>();
  const find = (name: string) => known.find(({ agent }) => agent.name === name) ?? notInstalled(name);
  const abilityOf = (name: string, version: string) => {
    const key = JSON.stringify([name, version]);
    const ability = abilities.get(key) ?? options.resumable(name, version);
    abilities.set(key, ability);
    return ability;
  };
  return {
    ...listReviewers(known, options.preference, root),
    refused: refusedAgents(options),
    async describe(name) {
      const knownAgent = find(name);
      const version = (await versionOf(knownAgent, versions, root)) ?? UNKNOWN_VERSION;
      return {
        ...reviewerFacts(knownAgent, version),
        async canResume() {
          if (isApiAgent(knownAgent)) return keepsConversations(knownAgent);
          if (isCustomCommand(knownAgent)) return knownAgent.settings?.resume === true;
          return version !== UNKNOWN_VERSION && (await abilityOf(name, version)).kind === 'yes';
        },
        async deferredReason() {
          if (isApiAgent(knownAgent) || isCustomCommand(knownAgent) || version === UNKNOWN_VERSION) return null;
          const ability = await abilityOf(name, version);
          return ability.kind === 'no' ? ability.why : null;
        },
        // The conversations of a model API are onceover's own files, so they can be resumed and forked without a test.
        canFork: () =>
          keepsConversations(knownAgent) ||
          (!isApiAgent(knownAgent) &&
            version !== UNKNOWN_VERSION &&
            options.forkable?.(knownAgent.agent, version) === true),
        usualModel: usualModelOf(knownAgent),
      };
    },
    async ask(name, question, asking) {
      const knownAgent = find(name);
      const whole = { ...question, ...asking };
      const send = () =>
        isApiAgent(knownAgent)
          ? askApiAgent(knownAgent, options.repository ?? null, whole)
          : sendFromBase(knownAgent, checkout, options, whole);
      const { sessionId } = question;
      return sessionId === null ? send() : inTurn(JSON.stringify([name, sessionId]), asking.stop, send);
    },
  };
}

/** Returns the names of the agents that can review, in order of preference, and those that cannot be started. */
export function listReviewers(
  agents: readonly KnownAgent[],
  preference: readonly string[] | null,
  root: string,
): Pick<Reviewers, 'names' | 'found' | 'missing'> {
  return { names: preferredNames(agents, preference), found: foundNames(agents), missing: missingAgents(agents, root) };
}

/** Returns the facts about an agent that are the same on all machines. */
export function reviewerFacts(
  knownAgent: KnownAgent,
  version: string,
): Omit<ReviewerFacts, 'canResume' | 'deferredReason' | 'canFork' | 'usualModel'> {
  const { agent, settings } = knownAgent;
  return {
    model: settings?.model ?? null,
    version,
    toolsDigest: toolsDigest(knownAgent),
    diffLimit: agent.diffLimit,
    promptLimit: isCustomCommand(knownAgent) ? null : agent.diffLimit,
    sharesPrefix: agent.abilities.stablePart === 'cached',
    forksCached: agent.abilities.fork === 'cached',
    timeoutSeconds: settings?.timeoutSeconds ?? null,
    canFix: agent.canFix && settings?.sandbox !== true,
    provider: agent.priceProvider,
  };
}

// Load the code for model APIs and the price list only if a reviewer needs them.
async function askApiAgent(...call: Parameters<typeof import('./ask-api.ts')['askApi']>): Promise<AskEnd> {
  return (await import('./ask-api.ts')).askApi(...call);
}

// Returns the default model in the user's settings. If the file cannot be read, the model is unknown, which affects
// only the provider's caching rules.
export function usualModelOf({ agent, settings, env }: KnownAgent): string | null {
  if (agent.usualModel === undefined || settings?.model != null) return null;
  const settingsFile = readPlainFile(agent.usualModel.file(env), LONGEST_SETTINGS);
  return settingsFile.ok
    ? agent.usualModel.read(decodeUtf8(settingsFile.bytes, { isCut: settingsFile.cut })?.text ?? '')
    : null;
}

const LONGEST_SETTINGS = 64 * 1024;

function foundNames(agents: readonly KnownAgent[]): readonly string[] {
  return agents.filter(({ program }) => program !== null).map(({ agent }) => agent.name);
}

// Returns the agents to use, in order of preference. By default, agents that only the settings define are used only if
// no built-in agent is installed.
function preferredNames(agents: readonly KnownAgent[], preference: readonly string[] | null): readonly string[] {
  const names = foundNames(agents);
  if (preference !== null) return preference.filter((name) => names.includes(name));
  const usual = foundNames(
    agents.filter(
      (knownAgent) => !isCustomCommand(knownAgent) && !isApiAgent(knownAgent) && knownAgent.settings?.acp == null,
    ),
  );
  return usual.length > 0 ? usual : names;
}

/** Returns a placeholder for a name that is neither a built-in agent nor a configured one. */
export function notInstalled(name: string): KnownAgent {
  return { agent: commandAgent({ name, command: [name], resume: false }), settings: null, program: null, env: {} };
}

// Returns the version of an agent. For a custom command, this is a digest of its command line, because the command is
// not started for that.
export async function versionOf(knownAgent: KnownAgent, versions: Versions, root: string): Promise<string | null> {
  const { program, settings } = knownAgent;
  if (program === null) return null;
  if (settings?.api != null) return API_VERSION;
  if (settings?.command != null) return digestOf(settings.command).slice(0, 16);
  return installedVersion(knownAgent, root, versions);
}

/**
 * On a pull request, returns the built-in agents that would load a file that the author can edit, each with that path.
 */
function refusedAgents({ known, root, base = null }: Options): ReadonlyMap<string, string> {
  if (base === null) return new Map();
  const inside = known.map((knownAgent) => [knownAgent.agent.name, nameInside(knownAgent, root)] as const);
  return new Map(inside.flatMap(([name, path]) => (path === null ? [] : [[name, path] as const])));
}

/** Calls the agent. On a pull request, a custom command that reviews is started in a checkout of the base branch. */
async function sendFromBase(
  knownAgent: KnownAgent,
  checkout: BaseCheckout | null,
  options: Options,
  question: Question & AskOptions,
): Promise<AskEnd> {
  const { root } = options;
  // A fixing agent has to edit the working tree, so it is started there.
  if (checkout === null || knownAgent.program === null || !isCustomCommand(knownAgent) || question.writes === true) {
    return sendTo(knownAgent, options, question, root);
  }
  return checkout.use(async (folder) => {
    if (folder.ok) return sendTo(startedFromBase(knownAgent, root, folder.value), options, question, folder.value);
    const { failure } = folder;
    const why = failure.kind === 'git-failed' ? failure.said : failure.kind === 'disk' ? failure.code : failure.kind;
    return notCalled({ kind: 'agent-error', said: shorten(`could not check out the base branch: ${why}`) });
  });
}

async function sendTo(
  { agent, settings, program, env }: KnownAgent,
  { root, scratchBase, repository }: Options,
  { stop, watch, begun, subject: _, idleSeconds, ...question }: Question & AskOptions,
  cwd: string,
): Promise<AskEnd> {
  if (program === null) return notCalled({ kind: 'not-found', program: settings?.path ?? agent.program });
  const reports = openRareReports(watch);
  try {
    return await callAgent({
      agent,
      program,
      cwd,
      ...(cwd === root ? {} : { root }),
      env,
      question: { ...question, newSessionId: randomUUID(), model: question.model ?? settings?.model ?? null },
      // An agent that prints no events may print nothing until it answers, so it has no limit for silence.
      idleSeconds: agent.conclude === undefined ? idleSeconds : question.timeoutSeconds,
      sandbox: settings?.sandbox === true,
      signal: stop,
      ...(scratchBase === undefined ? {} : { scratchBase }),
      ...copiesSnapshot(agent, repository, question.trees),
      watch(events, usage) {
        if (events.begun) begun?.();
        reports.watch(events.doing, usage);
      },
    });
  } finally {
    reports.end();
  }
}

/** For an agent that works in a copy: returns a function that writes the files of the reviewed snapshot. */
function copiesSnapshot(
  { worksInCopy }: Agent,
  repository: RepositoryPaths | undefined,
  trees: ReviewedTrees | undefined,
): Pick<AgentCall, 'copyFiles'> {
  if (worksInCopy !== true || repository === undefined || trees === undefined) return {};
  return {
    copyFiles: async (into, isLeftOut) =>
      (await import('./acp-copy.ts')).copySnapshot({ repository, trees, into }, isLeftOut),
  };
}

/**
 * Limits how often progress is reported. The first report is passed on at once; after that, only the latest one is,
 * after a pause.
 */
function openRareReports(watch: AskOptions['watch']) {
  let latest: readonly [doing: string | null, usage: Usage | null] | null = null;
  let pause: NodeJS.Timeout | undefined;
  const report = () => {
    pause = undefined;
    if (latest === null) return;
    watch(...latest);
    latest = null;
    pause = setTimeout(report, WATCH_PAUSE_MS).unref();
  };
  return {
    watch(doing: string | null, usage: Usage | null) {
      latest = [doing, usage];
      if (pause === undefined) report();
    },
    end: () => clearTimeout(pause),
  };
}

const NO_QUESTION: Omit<AgentQuestion, 'model'> = {
  stable: 'stable',
  dynamic: 'dynamic',
  schema: {},
  sessionId: null,
  newSessionId: 'new',
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 1,
};

/** Returns a digest of what is the same for all questions: arguments, configured variables and files. */
function toolsDigest({ agent, settings }: KnownAgent): string {
  const files: (readonly [string, string])[] = [];
  const model = settings?.model ?? null;
  const putFile = (name: string, text: string) => {
    files.push([name, text]);
    return `/${name}`;
  };
  const { args, env } = agent.invoke({ ...NO_QUESTION, model }, putFile, '/');
  // An environment variable can select another model, which does not know the session. So the digest includes these
  // variables.
  return digestOf([agent.name, model, args, { ...env, ...settings?.env }, files]);
}
