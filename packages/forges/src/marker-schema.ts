import * as z from 'zod';

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

/** The schema of the JSON in a hidden marker. */
export const markerSchema = z.discriminatedUnion('kind', [
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
export type Marker = z.output<typeof markerSchema>;

/** A finding that the text of a thread names. */
export type MarkedFinding = z.output<typeof thread>['findings'][number];
