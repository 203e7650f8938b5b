import type { PageDocument } from './json-schema.ts';

/** The place in the built HTML page where its data is inserted. */
const OPENING = '<script type="application/json" id="data">';

/** Returns the built HTML page with its data inserted. */
export function fillTemplate(template: string, data: PageDocument): string {
  const [before, after, ...extraParts] = template.split(OPENING);
  if (before === undefined || after === undefined || extraParts.length > 0)
    throw new Error('the page has no place for data');
  return `${before}${OPENING}${jsonInHtml(data)}${after}`;
}

/** Returns the HTML page for the live view: it contains no data, but may connect to its own server. */
export function liveTemplate(template: string): string {
  return template.replace("connect-src 'none'", "connect-src 'self'");
}

// Only these characters could end a script element or start a comment inside it. In JSON, they can be written as
// escapes.
const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns a value as JSON that is safe inside any HTML element. */
export function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES[char] ?? char);
}
