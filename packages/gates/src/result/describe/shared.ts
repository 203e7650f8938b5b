import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { count } from '@onceover/base/ui/wording';
import type { Acceptance } from '@onceover/passes/types';
import type { ShareEnd } from '../../gate-types.ts';
import type { NoSharedPasses, SlotOutcome } from '../types.ts';

type AcceptedPass = Extract<Acceptance, { kind: 'accepted' }>;

/** Describes a pass of another clone: "passed by dev@example.com on 2026-11-12, claude sonnet-5-5". */
export function describePassBy({ statement, signers }: Pick<AcceptedPass, 'statement' | 'signers'>): string {
  const signerNames = signers.map(({ principal }) => showInvisible(principal)).join(' and ');
  const model = statement.model === null ? '' : ` ${showInvisible(statement.model)}`;
  const waiverNote = statement.waived.length === 0 ? '' : `, ${count(statement.waived.length, 'waived finding')}`;
  return `passed by ${signerNames} on ${statement.passedAt.slice(0, 10)}, ${showInvisible(statement.agent)}${model}${waiverNote}`;
}

/** Describes the passes of other clones that make a gate pass. Equal passes of several reviewers appear once. */
export function describeAcceptedGate(slots: readonly Pick<SlotOutcome, 'shared' | 'why'>[]): string {
  const passes = slots.flatMap(({ shared, why }) =>
    shared?.kind === 'accepted' && why === 'accepted' ? [describePassBy(shared)] : [],
  );
  return `accepted: ${[...new Set(passes)].join('; ')}`;
}

export function describeAcceptedPass(pass: AcceptedPass): string {
  return `accepted: ${describePassBy(pass)}`;
}

/** Describes why a reviewer ran although a pass of another clone counts for it. */
export function describeRepeated(pass: AcceptedPass): string {
  return `the pass counts (${describePassBy(pass)}), but the reviewer ran too, because one of its findings was open here or another gate had to run (unchanged_gates: run)`;
}

/** Describes why no pass of another clone can count in this run. */
export function describeNoSharedPasses(why: NoSharedPasses): string {
  switch (why.kind) {
    case 'base-has-none':
      return `"passes" does not count yet: onceover.yml on ${quoteName(why.base)} does not have it, so no pass of another clone is accepted until it is merged`;
    case 'no-base':
      return 'this clone does not know the default branch of the remote, so no pass of another clone is accepted: run "git remote set-head origin --auto"';
    case 'no-signers':
      return `${quoteName(why.path)} is missing or unusable on ${quoteName(why.base)}, so no pass of another clone is accepted`;
    case 'failed':
      return `passes of other clones could not be read, so onceover reviews here: ${why.message}`;
  }
}

/** Describes which passes and waivers a run shared with other clones. */
export function describeShared(end: Exclude<ShareEnd, { kind: 'not-shared' }>): string {
  const { passes, waivers, carrier } = end;
  const amounts = [count(passes, 'pass', 'passes'), ...(waivers === 0 ? [] : [count(waivers, 'waiver')])].join(' and ');
  if (end.kind === 'to-ask') return `${amounts} can be shared with ${showInvisible(carrier)}: onceover passes push`;
  return `Shared ${amounts} with ${showInvisible(carrier)}`;
}
