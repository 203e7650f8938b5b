import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentFailure, AgentReply, Usage } from '@onceover/base/kernel/agent';
import { ACTIVE, type AskEnd, MOST_RETRIES } from '@onceover/base/kernel/ports';
import { isSymlink, statIfPresent } from '@onceover/base/platform/files';
import { type ProcessRunEnd, runProcessGroup } from '@onceover/base/platform/run-process';
import { makeScratch, type Scratch } from '@onceover/base/platform/scratch';
import { copyWorkingTree, filesNamed } from '@onceover/repo/git/working-files';
import type { CopyFiles } from './acp-copy.ts';
import { type Agent, type AgentEvents, type AgentQuestion, NO_EVENTS } from './agent.ts';
import { findProgram } from './installed.ts';
import { errorFailure, errorLines, joinTexts, shorten } from './parse-output.ts';

/** One call to an installed agent. */
export type AgentCall = {
  readonly agent: Agent;
  /** The path of the agent's program. */
  readonly program: string;
  /** Arguments before the agent's own. They are needed if `program` is a sandbox that starts the agent. */
  readonly before?: readonly string[];
  readonly cwd: string;
  /** The folder with the reviewed files, if the agent starts in a checkout of the base branch. Default: `cwd`. */
  readonly root?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly question: AgentQuestion;
  readonly idleSeconds: number;
  /** Writes the reviewed files to a folder, for agents that work in a copy. Default: copies the files of `cwd`. */
  readonly copyFiles?: CopyFiles;
  /** Whether a sandbox must prevent the agent from changing anything in `cwd`. */
  readonly sandbox?: boolean;
  readonly signal: AbortSignal | null;
  /** The folder for temporary files. Default: the user's cache folder. */
  readonly scratchBase?: string;
  /** Called after each line of output, with the usage of this call so far. */
  watch?(events: AgentEvents, usage: Usage | null): void;
};

/** How many milliseconds an agent may continue after it has reported a final failure. */
const EXIT_MS = 2000;

const LONGEST_SAID = 4000;

/**
 * Calls the agent with one question and waits until it exits. Afterwards, no process and no temporary file of the call
 * is left.
 */
export async function callAgent(requestedCall: AgentCall): Promise<AskEnd> {
  if (requestedCall.signal?.aborted === true) return notCalled({ kind: 'cancelled' });
  let scratch: Scratch | null = null;
  let agentCopy: Scratch | null = null;
  try {
    scratch = makeScratch(requestedCall.scratchBase);
    if (requestedCall.agent.worksInCopy !== true) {
      const call = await protect(requestedCall, scratch);
      return 'failure' in call ? notCalled(call.failure) : await runAgent(call, scratch);
    }
    const copy = await (await import('./acp-copy.ts')).makeAgentCopy(requestedCall);
    if (!copy.ok) return notCalled({ kind: 'unprotected', path: requestedCall.cwd });
    agentCopy = copy.value;
    return await runAgent(inCopy(requestedCall, agentCopy.folder), scratch);
  } catch (error) {
    // Errors of the operating system, such as a full disk or a too long argument, are failures of the call. Other
    // errors are bugs.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return notCalled({ kind: 'agent-error', said: shorten(error.message) });
  } finally {
    scratch?.remove();
    agentCopy?.remove();
  }
}

/**
 * Returns the same call, but in the copy. If bubblewrap is installed, the agent cannot write to the original files
 * either.
 */
function inCopy(call: AgentCall, copy: string): AgentCall {
  const around = sandboxed(call.program, { readOnly: [call.cwd, copy] }, call.env['PATH'] ?? '');
  return { ...call, ...around, cwd: copy, root: call.cwd };
}

async function runAgent(call: AgentCall, scratch: Scratch): Promise<AskEnd> {
  const { agent, question } = call;
  const place = { root: call.root ?? call.cwd, startsFromBase: call.root !== undefined };
  const { args, env, input } = agent.invoke({ ...question, ...place }, scratch.put, realpathSync(call.cwd));
  const sessionId = question.sessionId ?? question.forkOf ?? null;
  if (sessionId !== null && args.includes(sessionId) && !SESSION_ID.test(sessionId)) {
    return notCalled({ kind: 'session-lost', said: `${JSON.stringify(shorten(sessionId))} is not a session id` });
  }
  let events = NO_EVENTS;
  const talk = agent.converse?.(question, { cwd: realpathSync(call.cwd), root: place.root }) ?? null;
  let send: (text: string | null) => void = () => {};
  const giveUp = new AbortController();
  const patience = openPatience(question.mostRetries, () => {
    events = { ...events, failure: events.failure ?? events.trouble };
    giveUp.abort();
  });
  const after = (next: AgentEvents) => {
    events = next;
    // After a final failure, an agent usually exits. Some would retry forever, so stop it after a short wait. An agent
    // that sends requests to onceover runs until its input is closed.
    if (talk !== null && (events.failure !== null || events.done)) send(null);
    if (events.failure !== null || (talk !== null && events.done)) setTimeout(() => giveUp.abort(), EXIT_MS).unref();
    const isActive = patience.hear(events);
    call.watch?.(events, usageOf(call, events).usage);
    return isActive;
  };
  const signals = call.signal === null ? [giveUp.signal] : [giveUp.signal, call.signal];
  const end = await runProcessGroup({
    program: call.program,
    args: [...(call.before ?? []), ...args],
    cwd: call.cwd,
    env: { ...call.env, ...env, [ACTIVE]: '1' },
    input: talk?.opening ?? input,
    timeoutMs: question.timeoutSeconds * 1000,
    idleMs: call.idleSeconds * 1000,
    signal: AbortSignal.any(signals),
    onLine(line) {
      if (events.failure !== null || (talk !== null && events.done)) return false;
      if (talk === null) return after(agent.hear(events, line, new Date()));
      const reaction = talk.hear(events, line, new Date());
      if (reaction.send !== '') send(reaction.send);
      return after(reaction.events) && reaction.isActive;
    },
    ...(talk === null ? {} : { converse: (sender: typeof send) => (send = sender) }),
    // Error output does not count as activity, because some agents log the same error again and again.
    ...(agent.conclude === undefined
      ? {
          onErrorLine(line: string) {
            const next = agent.hearLog?.(events, line, new Date()) ?? events;
            if (events.failure === null && next !== events) after(next);
            return false;
          },
        }
      : {}),
  });
  patience.end();
  if (end.kind === 'not-started') return notCalled(notStarted(call.program, end.code));
  if (end.code === 0 && agent.conclude !== undefined) {
    events = end.stdout.cut === null ? agent.conclude(end.stdout.text, question) : { ...events, failure: CUT_OFF };
  }
  const durationMs = Math.round(end.durationMs);
  const { retries } = events;
  const failure = withLogIn(failureOf(call, end, events), agent);
  const { usage, sessionUsage } = usageOf(call, events);
  const { text, draft, structured, model } = events;
  if (failure !== null) {
    const message = text || saidBy(failure) || lastWords(end).slice(0, LONGEST_SAID);
    const output = agent.conclude === undefined ? text : end.stdout.text;
    return { ok: false, failure, usage, said: message, draft: joinTexts(draft, output), durationMs, retries };
  }
  // If the agent prints no events, onceover does not know which files it opened.
  const filesRead = agent.conclude === undefined ? events.filesRead : null;
  const requests = events.requests === null ? {} : { requests: events.requests };
  const reply = { text, structured, sessionId: events.sessionId, filesRead, usage, sessionUsage, ...requests };
  return { ok: true, reply, model, draft, durationMs, retries };
}

/** Calls `giveUp` when the agent has reported only errors for too long. */
function openPatience(mostRetries: number | undefined, giveUp: () => void) {
  let progressAt = Date.now();
  let troubleAt = progressAt;
  let isTroubled = false;
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Takes the new state of the call. Returns whether the last line shows activity and not only an error. */
    hear(events: AgentEvents): boolean {
      const now = Date.now();
      if (events.trouble === null) progressAt = now;
      else if (!isTroubled) troubleAt = now;
      isTroubled = events.trouble !== null;
      clearTimeout(timer);
      const goesOn = events.failure === null && !events.done;
      const at = goesOn ? giveUpAt(events, { progressAt, troubleAt }, mostRetries) : null;
      if (at !== null) timer = setTimeout(giveUp, Math.max(0, at - now)).unref();
      return !isTroubled;
    },
    end: () => clearTimeout(timer),
  };
}

/** How many milliseconds an agent may report only errors. */
const PATIENCE_MS = 20_000;

/**
 * Returns the time at which to end an agent that repeats a request without success; `null` if the agent has no trouble.
 * `progressAt` is the time of its last line that was not an error, `troubleAt` the time of the first error after that.
 */
export function giveUpAt(
  { trouble, retries, retriesInARow }: Pick<AgentEvents, 'trouble' | 'retries' | 'retriesInARow'>,
  at: { readonly progressAt: number; readonly troubleAt: number },
  mostRetries: number = Number.POSITIVE_INFINITY,
): number | null {
  if (trouble === null) return null;
  if (retriesInARow > MOST_RETRIES || retries > mostRetries) return at.troubleAt;
  // Agents report a failed connection only after several attempts, so count from the last progress.
  if (trouble.kind === 'unreachable') return at.progressAt + PATIENCE_MS;
  const until = trouble.kind === 'limit' ? (trouble.resetAt?.getTime() ?? 0) : 0;
  return Math.max(at.troubleAt, until) + PATIENCE_MS;
}

// Very long output is not kept as a whole. The missing part may contain a refusal, so the rest does not count as an
// answer.
const CUT_OFF: AgentFailure = { kind: 'unreadable-answer', why: 'truncated', said: '' };

// Session ids are read from a file that could have been edited. An id becomes an argument, where it must not act as an
// option or a path.
const SESSION_ID = /^\w[\w-]{0,199}$/;

/** Returns the result of a call that failed before the agent was started. */
export function notCalled(failure: AgentFailure): AskEnd {
  return { ok: false, failure, usage: null, said: saidBy(failure), durationMs: 0 };
}

function saidBy(failure: AgentFailure): string {
  return 'said' in failure ? failure.said : '';
}

function notStarted(program: string, code: string): AgentFailure {
  return ['ENOENT', 'EACCES', 'ENOTDIR'].includes(code)
    ? { kind: 'not-found', program }
    : { kind: 'agent-error', said: `could not be started: ${code}` };
}

/**
 * Returns the call with protection: the agent does not see files that it would load from the repository and, with
 * `sandbox`, cannot write. Uses bubblewrap or a temporary copy of the working tree. Fails if neither is possible.
 */
async function protect(call: AgentCall, scratch: Scratch): Promise<AgentCall | { readonly failure: AgentFailure }> {
  const { loads = [], loadsNamed = [] } = call.agent;
  const root = call.root ?? call.cwd;
  const namedFiles = await filesNamed(call.cwd, loadsNamed);
  if (!namedFiles.ok) return { failure: { kind: 'unprotected', path: call.cwd } };
  const present = (names: readonly string[]) =>
    names.map((name) => join(call.cwd, name)).filter((path) => statIfPresent(path) !== null);
  const isFolder = (path: string) => statIfPresent(path)?.isDirectory() === true;
  const loadedPaths = present(loads);
  const folders = { hidden: loadedPaths.filter(isFolder), readOnly: call.sandbox === true ? [root] : [] };
  const emptiedFiles = [...loadedPaths.filter((path) => !isFolder(path)), ...present(namedFiles.value)];
  const [first] = [...folders.hidden, ...emptiedFiles, ...folders.readOnly];
  if (first === undefined) return call;
  // If one of the paths is a symlink, bubblewrap would hide its target, which may be a reviewed file. In that case use
  // a copy.
  if (![...folders.hidden, ...emptiedFiles].some(isSymlink)) {
    const empty = { file: emptiedFiles.length === 0 ? '' : scratch.put('empty', ''), over: emptiedFiles };
    const around = sandboxed(call.program, { ...folders, empty }, call.env['PATH'] ?? '');
    if (around !== null) return { ...call, program: around.program, before: around.before };
  }
  const unprotectedFailure = { failure: { kind: 'unprotected', path: first } } as const;
  // A fixing agent must not work in a temporary copy, because its edits would be lost.
  if (call.question.writes === true) return unprotectedFailure;
  const copy = join(scratch.folder, 'copy');
  const copyResult = await copyWorkingTree(root, copy, [...loads, ...namedFiles.value]);
  if (!copyResult.ok) return unprotectedFailure;
  return call.root === undefined ? { ...call, cwd: copy } : { ...call, root: copy };
}

/** Returns the command that starts a program in bubblewrap; `null` if bubblewrap is not installed. */
export function sandboxed(
  program: string,
  folders: {
    readonly readOnly?: readonly string[];
    readonly hidden?: readonly string[];
    /**
     * Files that the program sees as empty: `file` is the path of an empty file, `over` lists the files that it covers.
     */
    readonly empty?: { readonly file: string; readonly over: readonly string[] };
  },
  path: string,
): { readonly program: string; readonly before: readonly string[] } | null {
  const bubblewrap = findProgram('bwrap', path, '/');
  if (bubblewrap === null) return null;
  const binds = [
    ...(folders.readOnly ?? []).flatMap((folder) => ['--ro-bind', folder, folder]),
    ...(folders.hidden ?? []).flatMap((folder) => ['--tmpfs', folder]),
    ...(folders.empty?.over ?? []).flatMap((file) => ['--ro-bind', folders.empty?.file ?? '', file]),
  ];
  return {
    program: bubblewrap,
    before: ['--bind', '/', '/', '--dev-bind', '/dev', '/dev', ...binds, '--die-with-parent', '--', program],
  };
}

/**
 * Returns the usage of this call. `sessionUsage` is that of the whole session, for agents that report only this sum.
 */
function usageOf(call: AgentCall, { usage }: AgentEvents): Pick<AgentReply, 'usage' | 'sessionUsage'> {
  if (usage === null || call.agent.abilities.usage !== 'session') return { usage, sessionUsage: null };
  const before = call.question.usedBefore;
  return { usage: before === null ? usage : subtract(usage, before), sessionUsage: usage };
}

function subtract(total: Usage, before: Usage): Usage {
  return {
    inputTokens: Math.max(0, total.inputTokens - before.inputTokens),
    cachedInputTokens: Math.max(0, total.cachedInputTokens - before.cachedInputTokens),
    cacheWriteTokens: Math.max(0, total.cacheWriteTokens - before.cacheWriteTokens),
    outputTokens: Math.max(0, total.outputTokens - before.outputTokens),
    costUsd: null,
  };
}

/**
 * Returns why a call failed; `null` if it succeeded. A success needs exit code 0, an event that reports success, an
 * answer in the requested session and, if the agent reports its usage, at least one output token.
 */
function failureOf(call: AgentCall, end: Ended, events: AgentEvents): AgentFailure | null {
  // onceover itself ends an agent that sends requests, after its answer. So the exit code of such an agent means
  // nothing.
  const isOver = call.agent.converse !== undefined && events.done && call.signal?.aborted !== true;
  switch (isOver ? 'by-itself' : end.ending) {
    case 'cancelled':
      return call.signal?.aborted === true || events.failure === null ? { kind: 'cancelled' } : events.failure;
    case 'timeout':
      return { kind: 'timeout', seconds: call.question.timeoutSeconds };
    case 'idle':
      return { kind: 'idle', seconds: call.idleSeconds };
    case 'by-itself':
      break;
  }
  if (events.failure !== null) return events.failure;
  if ((end.code !== 0 && !isOver) || !events.done) {
    const errorOutput = errorText(end);
    if (errorOutput !== '') return errorFailure(errorOutput, null, new Date(), call.agent.sessionLost);
    return { kind: 'agent-error', said: describeExit(end) };
  }
  const { sessionId: requestedId, forkOf } = call.question;
  const got = events.sessionId;
  if (requestedId !== null && got !== requestedId) return { kind: 'wrong-session', asked: requestedId, got };
  // A fork must get a session id of its own. If it continued the original session, it would change that session for all
  // other forks.
  if (forkOf !== undefined && (got === null || got === forkOf)) return { kind: 'wrong-session', asked: forkOf, got };
  return usageOf(call, events).usage?.outputTokens === 0 ? { kind: 'no-tokens' } : null;
}

/** If the agent is not logged in, adds to the failure what the user does to log in. */
function withLogIn(failure: AgentFailure | null, { access }: Agent): AgentFailure | null {
  return failure?.kind === 'not-logged-in' && access !== undefined ? { ...failure, logIn: access.logIn } : failure;
}

type Ended = Extract<ProcessRunEnd, { kind: 'ended' }>;

const TAIL_CHARACTERS = 2000;

function lastWords(end: Ended): string {
  return errorLines(end.stderr.text) || errorLines(end.stdout.text.slice(-TAIL_CHARACTERS));
}

// Returns the output in which error messages can be. Skips JSON lines, because they contain events and answers: a
// review that mentions limits or logins is not an error.
function errorText({ stderr, stdout }: Ended): string {
  const lines = stdout.text.slice(-TAIL_CHARACTERS).split('\n');
  const whole = stdout.text.length > TAIL_CHARACTERS ? lines.slice(1) : lines;
  return errorLines(stderr.text) || errorLines(whole.filter((line) => !/^\s*[{}[\]"]/.test(line)).join('\n'));
}

function describeExit(end: Ended): string {
  const how = end.code === null ? `ended by ${end.signal}` : `ended with exit code ${end.code}`;
  const words = lastWords(end);
  return shorten(words === '' ? `${how} and no result` : `${how} after saying: ${words}`);
}
