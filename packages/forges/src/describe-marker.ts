import * as z from 'zod';
import { oldMarkerOf } from './old-marker.ts';

const VERDICTS = ['passed', 'failed', 'error'] as const;

/** The verdict of a run, in one word. */
export type Verdict = (typeof VERDICTS)[number];

const fingerprint = z.string().regex(/^[0-9a-f]{32}$/);

const summary = z.strictObject({
  kind: z.literal('summary'),
  verdict: z.enum(VERDICTS),
  /** A digest of the summary's text and of the other marker fields, to detect whether an edit is needed. */
  digest: z.string(),
  /**
   * Fingerprints of findings that have, or had, a thread. If someone deleted the thread, onceover does not create it
   * again.
   */
  posted: z.array(fingerprint).readonly(),
});

const thread = z.strictObject({
  kind: z.literal('thread'),
  /** Whether the thread could not be resolved, so its first comment was edited to say that the findings are closed. */
  isClosed: z.boolean(),
  /** Fingerprints of all findings that the thread is, or was, about. */
  fingerprints: z.array(fingerprint).min(1).readonly(),
  /** The findings that the text names, each with its reviewer. */
  findings: z.array(z.strictObject({ id: z.string(), gate: z.string(), slot: z.number() })).readonly(),
});

const marker = z.discriminatedUnion('kind', [
  summary,
  z.strictObject({ kind: z.literal('verdict'), verdict: z.enum(VERDICTS), commit: z.string() }),
  thread,
  z.strictObject({ kind: z.literal('closed') }),
  z.strictObject({ kind: z.literal('reopened') }),
]);

/**
 * The content of the hidden HTML comment in the first line of a comment, by which onceover recognises its own comments
 * and knows what they are about.
 */
export type Marker = z.output<typeof marker>;

/** A finding that the text of a thread names. */
export type MarkedFinding = z.output<typeof thread>['findings'][number];

/**
 * The maximum number of fingerprints in one marker. GitHub allows 65,536 characters per comment, and 1000 fingerprints
 * take half of that. GitLab allows 1,000,000.
 */
const MOST_POSTED = 1000;

/** Returns a comment's text with the hidden marker added as its first line. */
export function withMarker(content: Marker, text: string): string {
  return `<!-- onceover ${jsonOf(content)} -->\n${text}`;
}

function jsonOf(content: Marker): string {
  const isSummary = content.kind === 'summary';
  const kept = isSummary ? { ...content, posted: content.posted.slice(-MOST_POSTED).toSorted() } : content;
  // Other characters could end the HTML comment or mean something to a forge. In JSON they occur only in strings, where
  // they can be escaped.
  return JSON.stringify(kept).replace(
    /[^\w "{}[\]:,./\\]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const LINE = /^<!-- onceover (\{[^<>\r\n]*\}) -->(?:\r?\n|$)/;

/**
 * Returns the marker in the first line of a comment; null if there is none. Markers further down in the text are
 * ignored, because they may be quoted.
 */
export function markerOf(body: string): Marker | null {
  const [, json] = LINE.exec(body) ?? [];
  if (json === undefined) return oldMarkerOf(body);
  try {
    const content = marker.safeParse(JSON.parse(json));
    return content.success ? content.data : null;
  } catch {
    return null;
  }
}
