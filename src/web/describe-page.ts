import type { PageDocument } from './json-schema.ts';

/** The place for the data in the built page. */
const OPENING = '<script type="application/json" id="data">';

/** Returns the built page with its data. */
export function fillTemplate(template: string, data: PageDocument): string {
  const [before, after, ...more] = template.split(OPENING);
  if (before === undefined || after === undefined || more.length > 0) throw new Error('the page has no place for data');
  return `${before}${OPENING}${jsonInHtml(data)}${after}`;
}

/** Returns the built page for the live view: without data, and allowed to talk to its own server. */
export function liveTemplate(template: string): string {
  return template.replace("connect-src 'none'", "connect-src 'self'");
}

// Inside a script element, only these characters can end it or start a comment. JSON allows escapes in their place.
const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns a value as JSON that can stand in any HTML element. */
export function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES[char] ?? char);
}
