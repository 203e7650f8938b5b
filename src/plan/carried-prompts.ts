import type { RepoPath } from '../domain/brand.ts';
import type { CarriedPrompt, ForeignReview } from '../domain/carry-over.ts';
import { firstFree, gateName } from './gate-name.ts';

/** The folder of prompts. */
export const PROMPTS = '.onceover/reviews';

/** What is known of the prompts that are there. */
export type PromptFacts = {
  /** By name in lower case; null: one that cannot be read. */
  readonly prompts: ReadonlyMap<string, string | null>;
  /** Those that the settings use already: whatever is in them, they are what was carried over before. */
  readonly inUse: ReadonlySet<string>;
  /** The text that stands in where the other tool has one of its own. */
  readonly standIn: string;
};

/** The name of a prompt, as names are compared: some file systems take upper and lower case for the same. */
export function nameOf(prompt: string): string {
  return prompt
    .slice(prompt.lastIndexOf('/') + 1)
    .replace(/\.md$/, '')
    .toLowerCase();
}

/** Gives every text a file of its own; the same text under the same name is one. */
export function openShelf(facts: PromptFacts) {
  const put = new Map<string, CarriedPrompt>();
  return {
    put(review: ForeignReview): RepoPath {
      const text = review.text === null ? facts.standIn : fileText(review.text);
      const isFree = (name: string) => {
        const key = name.toLowerCase();
        const taken = put.get(key);
        if (taken !== undefined) return taken.text === text;
        const there = facts.prompts.get(key);
        return there === undefined || there === text || facts.inUse.has(key);
      };
      const name = firstFree(gateName(review.name, 'review'), isFree);
      const known = put.get(name.toLowerCase());
      if (known !== undefined) return known.path;
      const path = `${PROMPTS}/${name}.md` as RepoPath;
      put.set(name.toLowerCase(), { path, text, isOurs: review.text === null });
      return path;
    },
    prompts: () => [...put.values()],
  };
}

/** Word for word; blank lines above it are no words, and a file ends with a line break. */
function fileText(text: string): string {
  const body = text.replace(/^(?:[ \t]*\r?\n)+/, '');
  return body.endsWith('\n') ? body : `${body}\n`;
}
