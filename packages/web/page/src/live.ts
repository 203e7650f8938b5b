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
  worktree,
} from './state.ts';

type ErrorDocument = { readonly error?: { readonly message: string; readonly next: string } };

/** Returns the address of one of the server's documents for the chosen working tree. */
function addressOf(path: string): URL {
  const url = new URL(path, location.href);
  url.hash = '';
  if (worktree.value !== null) url.searchParams.set('worktree', worktree.value);
  return url;
}

async function ask<T>(path: string, body?: object): Promise<T | null> {
  const url = addressOf(path);
  const { value: tree } = worktree;
  try {
    const answer = await fetch(
      url,
      body === undefined
        ? { cache: 'no-store' }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    );
    const document = (await answer.json()) as T & ErrorDocument;
    // The user may have chosen another working tree in the meantime.
    if (tree !== worktree.value) return null;
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

/** Loads the page's data again. If a load is already in progress, remembers to load once again after it. */
async function refresh(): Promise<void> {
  if (reading) {
    isStale = true;
    return;
  }
  reading = true;
  do {
    isStale = false;
    const document = await ask<PageDocument>('api/page');
    if (document !== null) page.value = document;
  } while (isStale);
  reading = false;
}

/** Connects to the server that delivered this page, and keeps the page up to date. */
export function connect(): void {
  connection.value = 'connecting';
  void ask<SessionDocument>('api/session').then((document) => {
    if (document !== null) session.value = document;
  });
  // The events start after the server has read the gates, so do not wait for them.
  void refresh();
  listen();
  addEventListener('focus', () => void refresh());
}

function listen(): void {
  events?.close();
  events = new EventSource(addressOf('api/events'));
  let stamp: string | null = null;
  events.onopen = () => {
    connection.value = 'connected';
    void refresh();
  };
  events.onerror = () => {
    connection.value = 'lost';
    if (events?.readyState === EventSource.CLOSED && worktree.value !== null) void leaveWorktree();
  };
  events.onmessage = ({ data }) => {
    const update = JSON.parse(String(data)) as LiveDocument;
    live.value = update;
    if (stamp !== null && stamp !== update.stamp) void refresh();
    stamp = update.stamp;
  };
}

/** If the chosen working tree no longer exists, shows the one in which the server was started. */
async function leaveWorktree(): Promise<void> {
  const document = await ask<SessionDocument>('api/session');
  if (document === null || document.worktrees.some(({ id }) => id === worktree.value)) return;
  session.value = document;
  chooseWorktree(null);
  problem.value = 'That working tree no longer exists, so this is the one in which the server was started.';
}

/** Shows another working tree. Keeps the choice in the page's address, so that a reload shows the same one. */
export function chooseWorktree(id: string | null): void {
  worktree.value = id;
  history.replaceState(null, '', id === null ? './' : `?worktree=${encodeURIComponent(id)}`);
  page.value = null;
  live.value = null;
  void refresh();
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
  const answer = await ask('api/resolve', { id, how, why });
  await refresh();
  return answer !== null;
}

export function readTranscript(id: string): Promise<TranscriptDocument | null> {
  return ask<TranscriptDocument>(`api/transcript?id=${encodeURIComponent(id)}`);
}

export function readDiff(of: { gate: string; slot: number; from: number; to: number }) {
  const { gate, slot, from, to } = of;
  return ask<ReviewDiffDocument>(`api/diff?gate=${encodeURIComponent(gate)}&slot=${slot}&from=${from}&to=${to}`);
}
