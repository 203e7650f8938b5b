import type { Finding, Priority } from '../domain/finding.ts';
import { isBelow } from './priority.ts';

/**
 * What a loop lets be. It is known to the loop alone: on disk such a finding is open, and its reviewer has failed the
 * change, so that the next run takes it up.
 */
export type Ratchet = {
  /** New findings below it do not fail a gate any more; null: all do. */
  readonly below: Priority | null;
  /** The findings that were let be. */
  readonly letBe: ReadonlySet<string>;
};

/** From the third review on, what is new must be ever graver to fail a gate. */
export function ratchetBelow(round: number): Priority | null {
  if (round < 3) return null;
  return round === 3 ? 'high' : 'critical';
}

/** One look of a slot, as far as it decides what is let be. */
export type RatchetedLook = {
  readonly isRerun: boolean;
  readonly isStale: boolean;
  /** Findings as the look left them. */
  readonly updated: readonly Finding[];
  readonly added: readonly Finding[];
};

/**
 * The findings that are let be after a look: new ones below the threshold, and those from before that were not reported
 * as graver. Where the reviewer has dropped a finding without a word, what is new may be the same in other words: then
 * nothing new is let be.
 */
export function letBeAfter({ below, letBe }: Ratchet, look: RatchetedLook): ReadonlySet<string> {
  if (below === null) return letBe;
  const graver = look.updated.filter(({ priority }) => !isBelow(priority, below)).map(({ id }) => id);
  const isUnsure =
    !look.isRerun ||
    look.isStale ||
    look.updated.some(({ kept, closed }) => kept === 'closed' && closed?.how === 'silent');
  const fresh = isUnsure ? [] : look.added.filter((one) => one.kept === 'open' && isBelow(one.priority, below));
  return new Set([...[...letBe].filter((id) => !graver.includes(id)), ...fresh.map(({ id }) => id)]);
}
