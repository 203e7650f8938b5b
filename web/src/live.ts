import {
  connection,
  type LiveDocument,
  live,
  type PageDocument,
  page,
  problem,
  type ReviewDiffDocument,
  type SessionDocument,
  session,
  type TranscriptDocument,
} from './state.ts';

/** The id of the working tree to show; `null` for the one in which the server was started. */
let worktree: string | null = null;

type ErrorDocument = { readonly error?: { readonly message: string; readonly next: string } };

async function ask<T>(path: string, body?: object): Promise<T | null> {
  const url = new URL(path, location.href);
  url.hash = '';
  if (worktree !== null) url.searchParams.set('worktree', worktree);
  try {
    const answer = await fetch(
      url,
      body === undefined
        ? { cache: 'no-store' }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    );
    const document = (await answer.json()) as T & ErrorDocument;
    if (answer.ok) return document;
    const { message = 'The server refused the request.', next = '' } = document.error ?? {};
    problem.value = `${message} ${next}`.trim();
  } catch {
    if (connection.value === 'connected') problem.value = 'The server does not answer.';
  }
  return null;
}

let events: EventSource | null = null;
let reading = false;
let isStale = false;

/** Reads the page again. While a read is under way, remembers that one more is needed. */
async function refresh(): Promise<void> {
  if (reading) {
    isStale = true;
    return;
  }
  reading = true;
  do {
    isStale = false;
    const read = await ask<PageDocument>('api/page');
    if (read !== null) page.value = read;
  } while (isStale);
  reading = false;
}

/** Connects to the server that delivered this page, and follows it. */
export function connect(): void {
  connection.value = 'connecting';
  void ask<SessionDocument>('api/session').then((read) => {
    if (read !== null) session.value = read;
  });
  listen();
  addEventListener('focus', () => void refresh());
}

function listen(): void {
  events?.close();
  const url = new URL('api/events', location.href);
  url.hash = '';
  if (worktree !== null) url.searchParams.set('worktree', worktree);
  events = new EventSource(url);
  let stamp: string | null = null;
  events.onopen = () => {
    connection.value = 'connected';
    void refresh();
  };
  events.onerror = () => {
    connection.value = 'lost';
  };
  events.onmessage = ({ data }) => {
    const heard = JSON.parse(String(data)) as LiveDocument;
    live.value = heard;
    if (stamp !== null && stamp !== heard.stamp) void refresh();
    stamp = heard.stamp;
  };
}

export function chooseWorktree(id: string): void {
  worktree = id;
  page.value = null;
  live.value = null;
  listen();
}

export async function startRun(options: { readonly force: boolean; readonly fresh: boolean }): Promise<void> {
  problem.value = null;
  await ask('api/run', options);
}

export async function stopRun(): Promise<void> {
  problem.value = null;
  await ask('api/stop', {});
}

export async function resolveFinding(id: string, how: string, why: string): Promise<boolean> {
  problem.value = null;
  const done = await ask('api/resolve', { id, how, why });
  await refresh();
  return done !== null;
}

export function readTranscript(id: string): Promise<TranscriptDocument | null> {
  return ask<TranscriptDocument>(`api/transcript?id=${encodeURIComponent(id)}`);
}

export function readDiff(of: { gate: string; slot: number; from: number; to: number }) {
  const { gate, slot, from, to } = of;
  return ask<ReviewDiffDocument>(`api/diff?gate=${encodeURIComponent(gate)}&slot=${slot}&from=${from}&to=${to}`);
}
