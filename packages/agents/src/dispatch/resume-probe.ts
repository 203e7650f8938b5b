import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Abilities,
  type AgentFailure,
  addUsage,
  type ProbeTest,
  type ResumeAbility,
  type ResumeResult,
  type Usage,
} from '@onceover/base/kernel/agent';
import type { AskEnd } from '@onceover/base/kernel/ports';
import type { Result } from '@onceover/base/kernel/result';
import { hasShape, isAmount, isString, orMissing, orNull, readShape, type Shape } from '@onceover/base/kernel/shape';
import { openListFile } from '@onceover/base/platform/private-files';
import { makeScratch } from '@onceover/base/platform/scratch';
import { callAgent } from '../adapters/call-agent.ts';
import type { KnownAgent } from '../adapters/installed.ts';
import { resumedTooDear } from '../economy/resume.ts';
import { answerSchema } from './answer-schemas.ts';
import { readAnswer } from './read-answer.ts';

/**
 * Returns whether an agent version can resume sessions. A test on this machine counts more than the results that come
 * with onceover.
 */
export function resumeAbility(
  { name, version }: { readonly name: string; readonly version: string | null },
  results: { readonly probed: readonly ResumeResult[]; readonly tested: readonly ResumeResult[] },
): ResumeAbility {
  for (const from of ['probed', 'tested'] as const) {
    const result = results[from].find((candidate) => candidate.agent === name && candidate.version === version);
    if (result === undefined) continue;
    const { failed } = result;
    return failed === null ? { kind: 'yes', from } : { kind: 'no', from, why: `${failed.test}: ${failed.how}` };
  }
  return { kind: 'unknown' };
}

/**
 * Returns whether an agent version can fork (copy) sessions. A test on this machine counts more than the results that
 * come with onceover.
 */
export function forkAbility(
  { name, version, fork }: { readonly name: string; readonly version: string | null; readonly fork: Abilities['fork'] },
  results: { readonly probed: readonly ResumeResult[]; readonly tested: readonly ResumeResult[] },
): ResumeAbility {
  if (fork === 'none') return { kind: 'no', from: 'tested', why: 'it has no option for that' };
  for (const from of ['probed', 'tested'] as const) {
    const result = results[from].find((candidate) => candidate.agent === name && candidate.version === version);
    if (result?.failed != null) return { kind: 'no', from, why: `${result.failed.test}: ${result.failed.how}` };
    if (result?.forkFailed === undefined) continue;
    return result.forkFailed === null ? { kind: 'yes', from } : { kind: 'no', from, why: `V5: ${result.forkFailed}` };
  }
  return { kind: 'unknown' };
}

/** Returns whether an agent version can resume sessions. If that is unknown, tests it now. */
export async function ensureResumable(
  agent: { readonly name: string; readonly version: string },
  ports: {
    readonly capabilities: Capabilities;
    readonly tested: readonly ResumeResult[];
    probe(): Promise<ProbeOutcome>;
  },
): Promise<ResumeAbility> {
  const ability = resumeAbility(agent, { probed: ports.capabilities.probed(), tested: ports.tested });
  if (ability.kind !== 'unknown') return ability;
  const outcome = await ports.probe();
  // The test could not run or its result could not be stored. Use a new session now; a later call tries the test again.
  if (outcome.kind === 'not-tried' || !ports.capabilities.keep(outcome.result).ok) return ability;
  return resumeAbility(agent, { probed: [outcome.result], tested: [] });
}

const RESULT: Shape<ResumeResult> = {
  agent: isString,
  version: isString,
  failed: orNull(hasShape<NonNullable<ResumeResult['failed']>>({ test: isString, how: isString })),
  freshMs: orNull(isAmount),
  resumedMs: orNull(isAmount),
  forkFailed: orMissing(orNull(isString)),
};

/** The results of resume tests on this machine. */
export type Capabilities = ReturnType<typeof openCapabilities>;

/**
 * Opens the test results, which are stored in the git folder. Unreadable results are ignored, so that the tests run
 * again.
 */
export function openCapabilities(commonDir: string) {
  const file = openListFile(commonDir, 'capabilities.json');
  const readResults = () => file.read().flatMap((entry) => readShape(entry, RESULT) ?? []);
  return {
    probed: readResults,
    keep(result: ResumeResult): Result<void> {
      const otherResults = readResults().filter(
        ({ agent, version }) => agent !== result.agent || version !== result.version,
      );
      return file.write([...otherResults, result]);
    },
  };
}

const STABLE = 'You review a short text and answer questions about your review. Answer with JSON and nothing else.';

const TIMEOUT_SECONDS = 180;

/** The name of the file that the agent reviews in the tests. */
const SPEC = 'spec.md';

/** The cost of testing whether an agent can resume sessions. The tests are paid calls. */
export type ProbeCost = {
  readonly agent: string;
  readonly model: string | null;
  /** The number of requests in the tests. */
  readonly asks: number;
  readonly usage: Usage | null;
  readonly durationMs: number;
};

function addCall(cost: ProbeCost, end: AskEnd): ProbeCost {
  return {
    agent: cost.agent,
    model: (end.ok ? end.model : null) ?? cost.model,
    asks: cost.asks + 1 + (end.retries ?? 0),
    usage: addUsage(cost.usage, end.ok ? end.reply.usage : end.usage),
    durationMs: cost.durationMs + end.durationMs,
  };
}

/** Tests in a temporary folder whether an installed agent can resume a session. */
export async function probeInstalled(
  { agent, program, env, settings }: KnownAgent & { readonly program: string },
  version: string,
  { signal, ...scratchOptions }: { readonly scratchBase?: string; readonly signal: AbortSignal | null },
): Promise<ProbeOutcome & { readonly cost: ProbeCost }> {
  const scratch = makeScratch(scratchOptions.scratchBase);
  const usedBefore = new Map<string, Usage | null>();
  let cost: ProbeCost = { agent: agent.name, model: settings?.model ?? null, asks: 0, usage: null, durationMs: 0 };
  const ports: ProbePorts = {
    forks: agent.abilities.fork === 'cached',
    countsAll: agent.abilities.usage !== 'if-told',
    async ask(prompt, sessionId, forkOf) {
      const question = {
        stable: STABLE,
        dynamic: prompt,
        schema: answerSchema('probe'),
        sessionId,
        newSessionId: randomUUID(),
        usedBefore: usedBefore.get(sessionId ?? forkOf ?? '') ?? null,
        ...(forkOf === undefined ? {} : { forkOf }),
        model: settings?.model ?? null,
        cacheTtl: '5m',
        timeoutSeconds: TIMEOUT_SECONDS,
      } as const;
      const call = { agent, program, cwd: scratch.folder, env, question, signal, ...scratchOptions };
      const end = await callAgent({ ...call, idleSeconds: TIMEOUT_SECONDS });
      if (end.ok && end.reply.sessionId !== null) usedBefore.set(end.reply.sessionId, end.reply.sessionUsage);
      cost = addCall(cost, end);
      return end;
    },
    writeFile(text) {
      const path = scratch.put(SPEC, text);
      // This agent works in a copy of the folder and may not read outside it, so give it a relative path.
      return agent.worksInCopy === true ? SPEC : path;
    },
    randomLine: () => `Export ${randomBytes(8).toString('hex')}`,
  };
  try {
    return { ...(await probeResume(agent.name, version, ports)), cost };
  } finally {
    scratch.remove();
  }
}

/**
 * Returns the text that the agent reviews in the tests. `firstLine` is random, so that the agent cannot guess it. The
 * text is so long that the usage shows whether an agent sends it twice.
 */
function probeFile(firstLine: string): string {
  const sample = (row: number) =>
    `- Row ${row} of the sample: one customer, one report, complete and written on time.\n`;
  return `${firstLine}

The export writes a report for each customer. It should be fast. Reports are kept for some time and then deleted by
anyone who notices. If the disk is full, the export goes on. Dates are written in the local format.

## Sample, only for information

${Array.from({ length: 100 }, (_, i) => sample(i + 1)).join('')}`;
}

const FORM = 'Answer with JSON: your answer in "reply", and "issues" as an empty list.';

/** The questions of the tests: V1 reviews a file, V2 resumes the session, V3 and V4 ask for facts from V1. */
const PROBE_QUESTIONS = {
  V1: (path: string) => `Review this file: ${path}. List the first line verbatim.

Read it with your own tool for reading files. Answer with JSON: the first line in "reply", and in "issues" one object for
each thing that is unclear or missing in the text, as {"description": "the thing"}.`,
  V2: `Confirm you can still respond.\n\n${FORM}`,
  V3: `Repeat verbatim the first line of the file you read.\n\nDo not read it again: it has changed since. ${FORM}`,
  V4: `How many issues did you identify in your V1 review?\n\nV1 was your first answer here. Reply with the number alone. ${FORM}`,
} as const;

/**
 * The questions of test V5: to a fork (copy) of the session from V1, then to the session itself, then to the fork
 * again.
 */
const FORK_QUESTIONS = {
  fork: `Repeat verbatim the first line of the file you read first.\n\nDo not read it again: it has changed since. ${FORM}`,
  parent: (word: string) => `The code word is "${word}". Confirm that you know it.\n\n${FORM}`,
  again: `What is the code word that you got?\n\nIf you got none, reply with "none". ${FORM}`,
} as const;

/** The functions that the resume tests need. `randomLine` returns a line that the agent cannot guess. */
type ProbePorts = {
  /**
   * Asks a question: in the session `sessionId`, in a copy (fork) of the session `forkOf`, or, if neither is given, in
   * a new session.
   */
  ask(prompt: string, sessionId: string | null, forkOf?: string): Promise<AskEnd>;
  /** Whether to run the test V5, which is about forks (copies of a session). */
  readonly forks?: boolean;
  /** Whether the usage of a call covers all of its requests. Default: true. */
  readonly countsAll?: boolean;
  /** Writes the file to review and returns its path. A second call replaces the file. */
  writeFile(text: string): string;
  randomLine(): string;
};

/**
 * The result of the resume tests. `not-tried`: a call failed in a way that does not show whether the agent can resume.
 */
type ProbeOutcome =
  | { readonly kind: 'tried'; readonly result: ResumeResult }
  | { readonly kind: 'not-tried'; readonly failure: AgentFailure };

/**
 * Runs the tests V1 to V4: does a session still know its earlier conversation after a resume, even after it used tools,
 * and does it send that conversation only once?
 */
export async function probeResume(agent: string, version: string, ports: ProbePorts): Promise<ProbeOutcome> {
  const countsAll = ports.countsAll ?? true;
  let freshMs: number | null = null;
  let resumedMs: number | null = null;
  const end = (failure: ResumeResult['failed'], fork: Pick<ResumeResult, 'forkFailed'> = {}): ProbeOutcome => ({
    kind: 'tried',
    result: { agent, version, failed: failure, freshMs, resumedMs, ...fork },
  });
  const fail = (test: ProbeTest, how: string) => end({ test, how });
  const noReply = (test: ProbeTest, failure: AgentFailure): ProbeOutcome =>
    showsCannotResume(test, failure) ? fail(test, describe(failure)) : { kind: 'not-tried', failure };

  const line = `# ${ports.randomLine()}`;
  const file = probeFile(line);
  const first = await ask(ports, PROBE_QUESTIONS.V1(ports.writeFile(file)), null);
  if (!first.ok) return noReply('V1', first.failure);
  freshMs = first.durationMs;
  if (first.session === null) return fail('V1', 'it named no session');
  if (!first.reply.includes(line)) return fail('V1', 'it did not read the file');
  // Change the first line, so that only the session's memory contains the old one.
  ports.writeFile(probeFile(`# ${ports.randomLine()}`));

  const second = await ask(ports, PROBE_QUESTIONS.V2, first.session);
  if (!second.ok) return noReply('V2', second.failure);
  resumedMs = second.durationMs;
  const usage = [first.usage, second.usage];
  const tooDear = resumedTooDear(usage, file.length, countsAll);
  if (tooDear !== null) return fail('V2', tooDear);
  const third = await ask(ports, PROBE_QUESTIONS.V3, first.session);
  if (!third.ok) return noReply('V3', third.failure);
  if (!third.reply.includes(line)) return fail('V3', `it remembered another first line: "${third.reply.slice(0, 80)}"`);
  const fourth = await ask(ports, PROBE_QUESTIONS.V4, first.session);
  if (!fourth.ok) return noReply('V4', fourth.failure);
  const count = /\d+/.exec(fourth.reply)?.[0];
  const issueCount = first.issues.length;
  if (Number(count) !== issueCount) return fail('V4', `it counted ${count ?? 'nothing'} instead of ${issueCount}`);
  // Some agents send another copy of the tool results with each resume, so check the later calls too.
  const laterTooDear = resumedTooDear([...usage, third.usage, fourth.usage], file.length, countsAll);
  if (laterTooDear !== null) return fail('V4', laterTooDear);
  return end(null, ports.forks === true ? await probeFork(ports, first.session, line) : {});
}

/**
 * Runs the test V5: does a fork (copy) of a session know what that session read before, but not what it heard after the
 * fork? If a call fails for another reason, there is no result, and onceover does not fork sessions of this version.
 */
async function probeFork(ports: ProbePorts, parent: string, line: string): Promise<Pick<ResumeResult, 'forkFailed'>> {
  const failWith = (failure: AgentFailure) =>
    showsCannotResume('V5', failure) ? { forkFailed: describe(failure) } : {};
  const fork = await ask(ports, FORK_QUESTIONS.fork, null, parent);
  if (!fork.ok) return failWith(fork.failure);
  if (fork.session === null || fork.session === parent) return { forkFailed: 'the fork got no session of its own' };
  if (!fork.reply.includes(line)) return { forkFailed: 'the fork did not know what its parent had read' };
  const word = ports.randomLine();
  const parentReply = await ask(ports, FORK_QUESTIONS.parent(word), parent);
  if (!parentReply.ok) return failWith(parentReply.failure);
  const again = await ask(ports, FORK_QUESTIONS.again, fork.session);
  if (!again.ok) return failWith(again.failure);
  return { forkFailed: again.reply.includes(word) ? 'the fork knew what its parent heard later' : null };
}

// Matches errors with which the model service rejects a resumed session as invalid. It would reject the next one too.
const REFUSED = /\b400\b|bad request|invalid.?request/i;

/**
 * Whether a failed call shows that the agent cannot resume sessions. Other failures, such as an overloaded service or
 * an answer in the wrong form, do not show it, so the tests run again later.
 */
function showsCannotResume(test: ProbeTest, failure: AgentFailure): boolean {
  const isResumed = test !== 'V1';
  switch (failure.kind) {
    case 'session-lost':
    case 'wrong-session':
      return true;
    case 'no-tokens':
      return isResumed;
    case 'unreadable-answer':
      return isResumed && failure.why === 'empty';
    case 'agent-error':
      return isResumed && REFUSED.test(failure.said);
    default:
      return false;
  }
}

async function ask(ports: ProbePorts, prompt: string, sessionId: string | null, forkOf?: string) {
  const end = await ports.ask(prompt, sessionId, forkOf);
  if (!end.ok) return end;
  const readResult = readAnswer('probe', end.reply);
  const { sessionId: session, usage } = end.reply;
  return readResult.ok
    ? ({ ok: true, ...readResult.answer, session, usage, durationMs: end.durationMs } as const)
    : readResult;
}

function describe(failure: AgentFailure): string {
  return 'said' in failure && failure.said !== '' ? `${failure.kind}: ${failure.said}` : failure.kind;
}
