import { type Marker, markerSchema } from './marker-schema.ts';
import { oldMarkerOf } from './old-marker.ts';

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
  const shortened = isSummary ? { ...content, posted: content.posted.slice(-MOST_POSTED).toSorted() } : content;
  // Other characters could end the HTML comment or mean something to a forge. In JSON they occur only in strings, where
  // they can be escaped.
  return JSON.stringify(shortened).replace(
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
    const content = markerSchema.safeParse(JSON.parse(json));
    return content.success ? content.data : null;
  } catch {
    return null;
  }
}
