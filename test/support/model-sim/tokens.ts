import type { Json } from './json.ts';

/** Characters per token: the simulator's rule, not a provider's tokenizer. */
export const CHARS_PER_TOKEN = 4;

/** Returns the tokens of this many characters, rounded up. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Returns the characters of a content part: of its text, or of its JSON if it is not text. */
export function charsOf(part: Json): number {
  if (typeof part === 'string') return part.length;
  return JSON.stringify(part).length;
}
