/**
 * The content of the hidden HTML comment in the first line of a comment, by which onceover recognises its own comments.
 */
export type Marker =
  | {
      readonly kind: 'summary';
      readonly verdict: Verdict;
      /** A digest of the summary's text and of the other marker fields, to detect whether an edit is needed. */
      readonly digest: string;
      /**
       * Fingerprints of findings that have, or had, a thread. If someone deleted the thread, onceover does not create
       * it again.
       */
      readonly posted: readonly string[];
    }
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly commit: string }
  | {
      readonly kind: 'thread';
      /** The fingerprints of the findings that the thread is about. */
      readonly fingerprints: readonly string[];
      /**
       * Whether the thread could not be resolved, so its first comment was edited to say that the findings are closed.
       */
      readonly isClosed: boolean;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'reopened' };

/** The verdict of a run, in one word. */
export type Verdict = 'passed' | 'failed' | 'error';

const VERDICTS: readonly string[] = ['passed', 'failed', 'error'] satisfies readonly Verdict[];

/**
 * The maximum number of fingerprints in one marker. GitHub allows 65,536 characters per comment, and 1000 fingerprints
 * take half of that. GitLab allows 1,000,000.
 */
const MOST_POSTED = 1000;

/** Returns a comment's text with the hidden marker added as its first line. */
export function withMarker(marker: Marker, text: string): string {
  return `<!-- onceover ${fieldsOf(marker)} -->\n${text}`;
}

function fieldsOf(marker: Marker): string {
  switch (marker.kind) {
    case 'summary':
      return `summary ${marker.verdict} ${marker.digest} ${listOf(marker.posted.slice(-MOST_POSTED).toSorted())}`;
    case 'verdict':
      return `verdict ${marker.verdict} ${marker.commit}`;
    case 'thread':
      return `thread ${marker.isClosed ? 'closed' : 'open'} ${listOf(marker.fingerprints)}`;
    case 'closed':
    case 'reopened':
      return marker.kind;
  }
}

const NONE = '-';

function listOf(fingerprints: readonly string[]): string {
  return fingerprints.length === 0 ? NONE : fingerprints.join(',');
}

const LINE = /^<!-- onceover (summary|verdict|thread|closed|reopened)((?: [a-z0-9,-]+)*) -->(?:\r?\n|$)/;

const IS_FINGERPRINT = /^[0-9a-f]{32}$/;

/**
 * Returns the marker in the first line of a comment; null if there is none. Markers further down in the text are
 * ignored, because they may be quoted.
 */
export function markerOf(body: string): Marker | null {
  const [, kind = '', fields = ''] = LINE.exec(body) ?? [];
  const [first = '', second = '', third = ''] = fields.trim().split(' ');
  switch (kind) {
    case 'summary': {
      const fingerprints = fingerprintsIn(third);
      return isVerdict(first) && fingerprints !== null
        ? { kind, verdict: first, digest: second, posted: fingerprints }
        : null;
    }
    case 'verdict':
      return isVerdict(first) ? { kind, verdict: first, commit: second } : null;
    case 'thread': {
      const fingerprints = fingerprintsIn(second);
      const isKnown = (first === 'open' || first === 'closed') && fingerprints !== null && fingerprints.length > 0;
      return isKnown ? { kind, fingerprints, isClosed: first === 'closed' } : null;
    }
    case 'closed':
    case 'reopened':
      return { kind };
    default:
      return null;
  }
}

function isVerdict(word: string): word is Verdict {
  return VERDICTS.includes(word);
}

function fingerprintsIn(list: string): readonly string[] | null {
  if (list === NONE) return [];
  const fingerprints = list.split(',');
  return fingerprints.every((fingerprint) => IS_FINGERPRINT.test(fingerprint)) ? fingerprints : null;
}
