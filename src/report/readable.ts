import { showUnseen } from '../domain/quote-name.ts';

/** Text of unknown origin with one kind of line end, and with what no one sees, tabs apart, written out. */
export function readable(text: string): string {
  return wellFormed(text)
    .replace(/\r\n?/g, '\n')
    .split(/([\n\t])/)
    .map((part, index) => (index % 2 === 1 ? part : showUnseen(part)))
    .join('');
}

/** The text without halves of characters, which strict readers of JSON and XML refuse. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
