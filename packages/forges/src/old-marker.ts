import type { MarkedFinding, Marker } from './marker-schema.ts';

const LINE = /^<!-- onceover (summary|verdict|thread|closed|reopened)((?: [a-z0-9,-]+)*) -->(?:\r?\n|$)/;

/**
 * Returns the marker of a comment that a version before JSON markers wrote; null if there is none. Those versions named
 * the reviewers of a thread only in its text.
 */
export function oldMarkerOf(body: string): Marker | null {
  const [, kind = '', fields = ''] = LINE.exec(body) ?? [];
  const [first = '', second = '', third = ''] = fields.trim().split(' ');
  switch (kind) {
    case 'summary': {
      const posted = fingerprintsIn(third);
      return isVerdict(first) && posted !== null ? { kind, verdict: first, digest: second, posted } : null;
    }
    case 'verdict':
      return isVerdict(first) ? { kind, verdict: first, commit: second } : null;
    case 'thread': {
      const fingerprints = fingerprintsIn(second);
      const isKnown = (first === 'open' || first === 'closed') && fingerprints !== null && fingerprints.length > 0;
      return isKnown ? { kind, fingerprints, isClosed: first === 'closed', findings: findingsIn(body) } : null;
    }
    case 'closed':
    case 'reopened':
      return { kind };
    default:
      return null;
  }
}

/** In the text of a thread, each finding starts with a line that names its reviewer. The gate is a code span. */
function findingsIn(body: string): MarkedFinding[] {
  return [...body.matchAll(/^\*\*(F\d+) [a-z]+\*\* · `([^`\n]+)`, reviewer (\d+) /gm)].map(
    ([, id = '', gate = '', slot = '']) => ({
      id,
      // A code span shows these characters in another form.
      gate: gate.replaceAll('@\u200b', '@').replaceAll('\u2223', '|'),
      slot: Number(slot),
    }),
  );
}

function isVerdict(word: string): word is 'passed' | 'failed' | 'error' {
  return word === 'passed' || word === 'failed' || word === 'error';
}

function fingerprintsIn(list: string): readonly string[] | null {
  if (list === '-') return [];
  const fingerprints = list.split(',');
  return fingerprints.every((fingerprint) => /^[0-9a-f]{32}$/.test(fingerprint)) ? fingerprints : null;
}
