/**
 * A simulated model provider on the loopback interface: Anthropic Messages, OpenAI Responses, Gemini generateContent.
 * No model runs: answers are scripted, and the rules in `cache/` simulate all usage figures.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { batchAnswerOf, openBatches } from './batches.ts';
import { type CacheEntries, withEntries } from './cache/entries.ts';
import { movableClock, type SimClock } from './clock.ts';
import { type Decision, decide, type Seen, type Situation } from './decide.ts';
import { type JsonObject, parseObject } from './json.ts';
import { accountOf, headersOfInterest, type LoggedRequest, logLine } from './log.ts';
import type { Reply } from './reply.ts';
import { routeOf, type Target } from './route.ts';
import { type Answer, DEFAULT_ANSWER, type Script } from './script.ts';

/** Options of a simulator; each has a default. */
export type ModelSimOptions = {
  readonly port?: number;
  readonly clock?: SimClock;
  /** Scripts by label. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** For labels without a script, and after the end of a script. */
  readonly otherwise?: Answer;
  /** Answers requests outside the conversation, for example for a title. */
  readonly aside?: Answer;
  /** Extra rules, besides those that always apply to requests of a provider. */
  readonly moreRules?: Situation['moreRules'];
  /** Requests are also appended to this file, one JSON document per line. */
  readonly logFile?: string;
};

/** A running simulator. */
export type ModelSim = {
  readonly port: number;
  readonly clock: SimClock;
  /** Returns the base URL that gives requests this label. */
  baseUrl(label: string): string;
  /** Sets the script of a label and starts it from the beginning. */
  script(label: string, script: Script): void;
  /** Returns the requests so far, of one label or of all. */
  requests(label?: string): readonly LoggedRequest[];
  /** The batches and the files of batches so far. */
  readonly batches: Pick<ReturnType<typeof openBatches>, 'batches' | 'files'>;
  /** Removes every cached prefix. */
  forgetCache(): void;
  /** Ends all connections, including hanging ones. */
  close(): Promise<void>;
};

/** The state of a running simulator. */
type Running = {
  readonly options: ModelSimOptions;
  readonly clock: SimClock;
  readonly closing: AbortSignal;
  readonly scripts: Map<string, Script>;
  readonly turns: Map<string, number>;
  readonly log: LoggedRequest[];
  /** A session may outlive a simulator, so the ids of two simulators must differ. */
  readonly run: string;
  readonly batches: ReturnType<typeof openBatches>;
  entries: CacheEntries;
};

/** Starts a simulator on 127.0.0.1. */
export async function startModelSim(options: ModelSimOptions = {}): Promise<ModelSim> {
  const closing = new AbortController();
  const running: Running = {
    options,
    clock: options.clock ?? movableClock(),
    closing: closing.signal,
    scripts: new Map(Object.entries(options.scripts ?? {})),
    turns: new Map(),
    log: [],
    run: randomBytes(4).toString('hex'),
    batches: openBatches(),
    entries: new Map(),
  };
  const server = createServer((request, response) => {
    void serve(running, request, response);
  });
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    clock: running.clock,
    batches: running.batches,
    baseUrl: (label) => `http://127.0.0.1:${port}/l/${encodeURIComponent(label)}`,
    script: (label, script) => {
      running.scripts.set(label, script);
      running.turns.delete(label);
    },
    requests: (label) => running.log.filter((one) => label === undefined || one.label === label),
    forgetCache: () => {
      running.entries = new Map();
    },
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(running: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen = seenOf(running, request, Buffer.concat(chunks));
    const ofBatch = takeBatch(running, seen);
    if (ofBatch !== null) return await send(ofBatch, response, running.closing);
    const { reply, written } = take(running, seen);
    if (reply.kind === 'hang') return;
    await pause(reply.pace.delayMs, running.closing);
    // An entry can be read as soon as the answer begins, and not before.
    running.entries = withEntries(running.entries, written);
    await send(reply, response, running.closing);
  } catch {
    // The caller disconnected or the simulator is closing, so there is no one to answer.
    response.destroy();
  }
}

/** Returns the reply to a request about a batch; `null` for any other request. The model answers each request in it. */
function takeBatch(running: Running, seen: Seen): Extract<Reply, { kind: 'send' }> | null {
  const reply = running.batches.take(seen, (path, body) => {
    const url = `/l/${encodeURIComponent(seen.label)}${path}`;
    const inside = { ...seen, ...routeOf('POST', url), body, raw: Buffer.from(JSON.stringify(body)) };
    return batchAnswerOf(take(running, { ...inside, n: running.log.length + 1 }).reply);
  });
  return reply?.kind === 'send' ? reply : null;
}

/** Decides about a request and applies its immediate effects. */
function take(running: Running, seen: Seen): Decision {
  const { options, scripts, turns, entries } = running;
  const turn = turns.get(seen.label) ?? 0;
  const otherwise = options.otherwise ?? DEFAULT_ANSWER;
  const decision = decide(seen, {
    id: `sim${running.run}${seen.n}`,
    entries,
    script: scripts.get(seen.label) ?? otherwise,
    turn,
    otherwise,
    aside: options.aside ?? { kind: 'text', text: 'Simulated title' },
    moreRules: options.moreRules ?? {},
  });
  if (decision.tookTurn) turns.set(seen.label, turn + 1);
  running.entries = withEntries(entries, decision.refreshed);
  const logged = { ...seen, ...decision.verdict };
  running.log.push(logged);
  if (options.logFile !== undefined) appendFileSync(options.logFile, logLine(logged));
  return decision;
}

function seenOf(running: Running, request: IncomingMessage, raw: Buffer): Seen {
  const { method = 'GET', url = '/', headers } = request;
  const route = routeOf(method, url);
  return {
    ...route,
    n: running.log.length + 1,
    at: running.clock.now(),
    method,
    headers: headersOfInterest(headers),
    account: accountOf(headers, url),
    body: bodyOf(route.target, raw),
    raw,
  };
}

/** Gemini has the model in the path; copy it to the body, where rules and cache expect it. */
function bodyOf(target: Target, raw: Buffer): JsonObject | null {
  const body = parseObject(raw.toString('utf8'));
  const model = target.kind === 'generate' || target.kind === 'count' ? target.model : null;
  return body === null || model === null ? body : { ...body, model };
}

async function send(
  reply: Extract<Reply, { kind: 'send' }>,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  for (const [i, chunk] of reply.chunks.entries()) {
    if (i > 0) await pause(reply.pace.betweenEventsMs, closing);
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
  }
  if (reply.end === 'cut') response.destroy();
  else response.end();
}

async function pause(ms: number | undefined, closing: AbortSignal): Promise<void> {
  if (ms !== undefined && ms > 0) await sleep(ms, undefined, { signal: closing });
}
