import { quoteName, shellWord, showInvisible } from '../kernel/escape.ts';
import { wrap } from './layout.ts';

/** Returns a number with a noun in the right form: "1 gate", "2 gates". */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** Returns a ratio in percent, to a tenth. */
export function percentOf(ratio: number): string {
  return `${Number((ratio * 100).toFixed(1))} %`;
}

/** Returns a duration in seconds with one decimal: "1.5 s". */
export function describeDuration(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Returns the end of a message about an unknown name: the most similar known name, or all known names. */
export function didYouMean(key: string, knownNames: readonly string[]): string {
  if (knownNames.length === 0) return '';
  const edits = (name: string) => distance(name.toLowerCase(), key.toLowerCase());
  const near = [...knownNames].sort((a, b) => edits(a) - edits(b)).find((name) => edits(name) <= 2);
  return near === undefined ? `; known here: ${knownNames.join(', ')}` : `; did you mean "${near}"?`;
}

/** Returns how many single-character edits turn one name into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const MOST_NAMES = 10;

/** Returns the names as a list in one line. A long list is cut and ends with the number of names left out. */
export function someNames(names: readonly string[], limit = MOST_NAMES): string {
  const shownNames = names.slice(0, limit).map(quoteName).join(', ');
  return names.length > limit ? `${shownNames} and ${names.length - limit} more` : shownNames;
}

/** Returns user input in quotes. Unlike `quoteName`, also quotes a plain word, because the input may be wrong. */
export function quoted(input: string): string {
  return `"${showInvisible(input)}"`;
}

/** Returns a name as one word of a shell command that people can copy. */
export function asShellWord(name: string): string {
  return shellWord(showInvisible(name));
}

type Place = { readonly file: string | null; readonly line: number | null };

/** Returns `file:line`; `null` if there is no file. */
export function describePlace({ file, line }: Place): string | null {
  if (file === null) return null;
  return `${quoteName(file)}${line === null ? '' : `:${line}`}`;
}

/** The text in place of the location of a finding that names no file. */
export const NO_LOCATION = 'no location';

/**
 * Returns the notice that onceover restored files with passes, waivers or approvals, because they changed during a fix.
 */
export function describeTakenBack(paths: readonly string[]): string {
  return `files that would count as a pass, a waiver or an approval changed while the fixer ran, so onceover restored them: ${someNames(paths)}; if you made that change, repeat it`;
}

/**
 * Returns the notice that a fixing agent changed which files reviewers see. A `null` in `paths` means git's own
 * settings.
 */
export function describeHidden(paths: readonly (string | null)[]): string {
  const files = paths.filter((path) => path !== null);
  const settings = paths.includes(null) ? ['the settings of git'] : [];
  return `the fixer changed what reviewers see: ${[...settings, ...(files.length > 0 ? [someNames(files)] : [])].join(', ')}`;
}

/** Puts `npx` before the commands in a message if the user started onceover with npx. */
export function withNpx(text: string, byNpx = false): string {
  return byNpx ? text.replace(/("|: )onceover (?=[a-z])/g, '$1npx onceover ') : text;
}

/** Returns an amount of money, with four decimals if it is under ten cents. */
export function usdOf(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** Returns a short number of tokens: "950", "1.2k", "3.45M". */
export function tokensOf(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${(count / 1000).toFixed(count < 99_500 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(2)}M`;
}

/** Returns a title with a bulleted list under it. */
export function bulletList(title: string, lines: readonly string[], width: number): string {
  return [title, ...lines.map((line) => wrap(`  - ${line}`, width, 2))].join('\n');
}

/** A message to the user: what happened and why, and what to do next. */
export type Message = { readonly what: string; readonly next: string };

/** A table with one function for each kind of a union type. */
export type ByKind<T extends { readonly kind: string }, R> = {
  readonly [Kind in T['kind']]: (one: Extract<T, { readonly kind: Kind }>) => R;
};

/** Calls the function in the table for the kind of `variant`. */
export function byKind<T extends { readonly kind: string }, R>(table: ByKind<T, R>, variant: T): R {
  return (table[variant.kind as T['kind']] as (one: T) => R)(variant);
}

/** Returns the name of a reviewer for people, such as "reviewer 2 (claude)". */
export function reviewerName({ slot, agent }: { readonly slot: number; readonly agent: string | null }): string {
  return `reviewer ${slot}${agent === null ? '' : ` (${showInvisible(agent)})`}`;
}
