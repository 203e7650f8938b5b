import { count } from '@onceover/base/ui/wording';
import type { Staleness } from '../decide/staleness.ts';
import type { CountedShare, GateProof } from '../types.ts';

/** Returns a share as text with its confidence interval: "14 of 20 (95 %: 48–85 %)". */
export function shareText({ count: part, of, low, high }: CountedShare): string {
  return of === 0 ? 'not measured' : `${part} of ${of} (95 %: ${percent(low)}–${percent(high)} %)`;
}

function percent(share: number): number {
  return Math.round(share * 100);
}

/**
 * Describes in one line how well a gate did when `onceover prove` last measured it, and how long ago that was. Also says
 * why the scores no longer apply, if they do not.
 */
export function proofLine(proof: Pick<GateProof, 'scores' | 'at'>, stale: Staleness | null, now: Date): string {
  const { found, falseAlarms } = proof.scores;
  const { count: part, of, low, high } = found;
  const catchText = `caught ${part} of ${count(of, 'planted bug')} (95 %: ${percent(low)}–${percent(high)} %)`;
  const alarms =
    falseAlarms.of === 0
      ? ''
      : `, ${count(falseAlarms.count, 'false alarm')} in ${count(falseAlarms.of, 'harmless change')}`;
  const old = stale === null ? '' : `; stale, because ${STALE[stale]} changed since: run "onceover prove"`;
  return `${catchText}${alarms}, proved ${age(proof.at, now)}${old}`;
}

const STALE: Readonly<Record<Staleness, string>> = { prompt: 'the prompt', agents: 'the agents or models' };

function age(at: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(at)) / (24 * 60 * 60 * 1000));
  return days <= 0 ? 'today' : `${count(days, 'day')} ago`;
}
