import { computed, signal } from '@preact/signals';
import type {
  LiveDocument,
  PageDocument,
  ReviewDiffDocument,
  SessionDocument,
  TranscriptDocument,
} from '../../src/json-schema.ts';

export type { LiveDocument, PageDocument, ReviewDiffDocument, SessionDocument, TranscriptDocument };
export type RunDocument = NonNullable<PageDocument['run']>;
export type GateDocument = RunDocument['gates'][number];
export type FindingDocument = RunDocument['findings'][number];
export type PastCall = PageDocument['history']['calls'][number];

/**
 * The view that the part of the page's address after `#` selects: a place in the report, a transcript, or the
 * differences between two reviews.
 */
export type Route =
  | { readonly view: 'report'; readonly target: string | null }
  | { readonly view: 'call'; readonly id: string }
  | { readonly view: 'diff'; readonly gate: string; readonly slot: number; readonly from: number; readonly to: number };

/** The data of the page; `null` until the live view has read it. */
export const page = signal<PageDocument | null>(null);

/** The state of the server; `null` in a report file, which has no server. */
export const session = signal<SessionDocument | null>(null);

export const live = signal<LiveDocument | null>(null);

export const connection = signal<'report' | 'connecting' | 'connected' | 'lost'>('report');

/** The message of the last action that failed; `null` if none failed. */
export const problem = signal<string | null>(null);

export const query = signal('');

export const route = signal<Route>(readRoute());

export const isLive = computed(() => connection.value !== 'report');

/** The id of the shown working tree; `null` for the one in which the server was started. */
export const worktree = signal<string | null>(new URLSearchParams(location.search).get('worktree'));

/** Whether the texts contain every word that the user typed into the search box. */
export function matches(...texts: readonly (string | null)[]): boolean {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = texts.join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

function readRoute(): Route {
  const parts = location.hash.replace(/^#\/?/, '').split('/').map(decode);
  const [kind = '', first = '', slot, from, to] = parts;
  if (kind === 'call' && first !== '') return { view: 'call', id: first };
  if (kind === 'diff' && to !== undefined) {
    return { view: 'diff', gate: first, slot: Number(slot), from: Number(from), to: Number(to) };
  }
  return { view: 'report', target: first === '' ? null : `${kind}-${first}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a link to a part of the page. */
export function linkTo(kind: 'gate' | 'finding' | 'run' | 'call' | 'section' | 'diff', ...names: (string | number)[]) {
  return `#/${kind}/${names.map((name) => encodeURIComponent(name)).join('/')}`;
}

addEventListener('hashchange', () => {
  route.value = readRoute();
});
