import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import { quoteName } from '@onceover/base/kernel/escape';
import { shareOf } from '@onceover/base/kernel/statistics';
import { percentOf } from '@onceover/base/ui/wording';
import type { AcceptedSlot, AuditedSlot, LedgerEntry } from './entries.ts';

/** How often this clone disagreed when it reviewed an accepted pass again (an audit), for one signer, gate or agent. */
export type Agreement = {
  readonly by: 'signer' | 'gate' | 'agent';
  readonly name: string;
  readonly audited: number;
  readonly disagreed: number;
  /**
   * The lower and upper limit of the 95 % interval (Wilson) of the share of passes with which this clone would
   * disagree.
   */
  readonly low: number;
  readonly high: number;
};

/** The passes of other clones that counted here, and those that were reviewed again to check them. */
export type SharedHistory = {
  readonly accepted: readonly AcceptedSlot[];
  readonly audits: readonly AuditedSlot[];
};

export function sharedHistory(entries: readonly LedgerEntry[]): SharedHistory {
  const runs = entries.filter((entry) => entry.kind === 'run');
  return {
    accepted: runs.flatMap(({ accepted = [] }) => accepted),
    audits: runs.flatMap(({ audits = [] }) => audits),
  };
}

/**
 * Returns how often this clone agreed with passes that it reviewed again, for each signer, gate and agent, the most
 * reviewed first.
 */
export function agreementOf(audits: readonly AuditedSlot[]): readonly Agreement[] {
  const namedAudits = audits.flatMap(({ signers, gate, agent, agreed }) => [
    ...signers.map((name) => ({ by: 'signer', name, agreed }) as const),
    { by: 'gate', name: gate, agreed } as const,
    { by: 'agent', name: agent, agreed } as const,
  ]);
  return [...grouped(namedAudits, ({ by, name }) => JSON.stringify([by, name])).values()]
    .flatMap((group): Agreement[] => {
      const [first] = group;
      if (first === undefined) return [];
      const disagreements = group.filter(({ agreed }) => !agreed).length;
      const { by, name } = first;
      const interval = shareOf(disagreements, group.length);
      if (interval === null) return [];
      return [{ by, name, audited: group.length, disagreed: disagreements, low: interval.low, high: interval.high }];
    })
    .sort((a, b) => ORDER[a.by] - ORDER[b.by] || b.audited - a.audited || byCodePoint(a.name, b.name));
}

const ORDER = { signer: 0, gate: 1, agent: 2 } as const;

/**
 * Describes how often a second review of passes agreed with them: `signer dev@example.com: audits disagreed with 1 of
 * 20 (5 %, 95 % interval: 1 to 24 %)`.
 */
export function describeAgreement({ by, name, audited, disagreed, low, high }: Agreement): string {
  const rate = `${percentOf(disagreed / audited)}, 95 % interval: ${percentOf(low)} to ${percentOf(high)}`;
  return `${by} ${quoteName(name)}: audits disagreed with ${disagreed} of ${audited} (${rate})`;
}
