import { byCodePoint, grouped } from '../kernel/collections.ts';
import { percentOf } from '../ui/wording.ts';
import type { AcceptedSlot, AuditedSlot, LedgerEntry } from './entries.ts';

/** How often an audit agreed with the passes of a signer, of a gate or of an agent. */
export type Agreement = {
  readonly by: 'signer' | 'gate' | 'agent';
  readonly name: string;
  readonly audited: number;
  readonly disagreed: number;
  /** The 95 % interval (Wilson) of the share of passes with which an audit would disagree. */
  readonly low: number;
  readonly high: number;
};

/** The passes of other clones that counted here, and those that were reviewed again. */
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

/** Returns the agreement of all audits by signer, gate and agent; the largest number of audits first. */
export function agreementOf(audits: readonly AuditedSlot[]): readonly Agreement[] {
  const named = audits.flatMap(({ signers, gate, agent, agreed }) => [
    ...signers.map((name) => ({ by: 'signer', name, agreed }) as const),
    { by: 'gate', name: gate, agreed } as const,
    { by: 'agent', name: agent, agreed } as const,
  ]);
  return [...grouped(named, ({ by, name }) => JSON.stringify([by, name])).values()]
    .flatMap((own): Agreement[] => {
      const [first] = own;
      if (first === undefined) return [];
      const disagreed = own.filter(({ agreed }) => !agreed).length;
      const { by, name } = first;
      return [{ by, name, audited: own.length, disagreed, ...wilsonInterval(disagreed, own.length) }];
    })
    .sort((a, b) => ORDER[a.by] - ORDER[b.by] || b.audited - a.audited || byCodePoint(a.name, b.name));
}

const ORDER = { signer: 0, gate: 1, agent: 2 } as const;

const Z95 = 1.959963984540054;

/** Returns the Wilson score interval (95 %) of a share: `hits` of `all`. Without observations it is 0 to 1. */
export function wilsonInterval(hits: number, all: number): { readonly low: number; readonly high: number } {
  if (all === 0) return { low: 0, high: 1 };
  const share = hits / all;
  const z2 = (Z95 * Z95) / all;
  const centre = share + z2 / 2;
  const spread = Z95 * Math.sqrt((share * (1 - share)) / all + z2 / (4 * all));
  const limit = (value: number) => Math.min(1, Math.max(0, value / (1 + z2)));
  return { low: hits === 0 ? 0 : limit(centre - spread), high: hits === all ? 1 : limit(centre + spread) };
}

/** Describes an agreement: "disagreed with 1 of 20 (5 %, 95 % interval: 1 to 24 %)". */
export function describeAgreement({ audited, disagreed, low, high }: Agreement): string {
  const rate = `${percentOf(disagreed / audited)}, 95 % interval: ${percentOf(low)} to ${percentOf(high)}`;
  return `audits disagreed with ${disagreed} of ${audited} (${rate})`;
}
