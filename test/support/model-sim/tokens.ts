import type { Json } from './json.ts';

/** Characters that count as one token: the simulator's rule, not a provider's tokenizer. */
export const CHARS_PER_TOKEN = 4;

/** Tokens of so many characters, rounded up. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Characters of a content part: those of its text where it is text, else those of its JSON. */
export function charsOf(part: Json): number {
  if (typeof part === 'string') return part.length;
  return JSON.stringify(part).length;
}
