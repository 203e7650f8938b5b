import type { CommitId } from '@onceover/base/kernel/ids';
import { claim, content, finding, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeContested } from '../../src/findings/describe.ts';
import { matchFindings, type SlotReview } from '../../src/findings/match-findings.ts';
import { type Disposition, isContested, type KnownFinding, type Resolution } from '../../src/findings/types.ts';

const REPORTED_AT = '2026-03-02T12:00:00.000Z';

function review(known: KnownFinding, differs: Partial<SlotReview>): SlotReview {
  return {
    ...{ gate: 'review:src:code-quality', scope: 'full', slot: 1, agent: 'claude', iteration: 2, at: REPORTED_AT },
    content: content('c2'),
    where: { branch: 'work', mergeBase: 'b1' as CommitId },
    ...{ isRerun: true, failOn: 'low', rerunNewIssueThreshold: 'low' },
    ...{ status: 'fail', reported: [], previous: [], message: null },
    earlier: [{ finding: known, state: known.kept === 'closed' ? 'closed' : 'open' }],
    ...{ seenBefore: () => 0, seenNow: () => 'blob h2', entryNow: () => null },
    ...differs,
  };
}

const answer = (state: Disposition['state']): Disposition => ({ id: 'F1', state, why: 'Because.' });

/** Lets the reviewer close the finding and report it again, and returns it. */
function flip(known: KnownFinding): KnownFinding {
  const [closed] = matchFindings(review(known, { status: 'pass', previous: [answer('withdrawn')] })).updated;
  if (closed === undefined) throw new Error('The reviewer could not close the finding.');
  const { id: _, ...problem } = { ...finding(), content: content('c1') };
  const [again] = matchFindings(review({ ...closed, resolution: null }, { reported: [problem] })).updated;
  return { ...(again ?? closed), resolution: null };
}

test('a finding is contested after its reviewer closed it and reported the same code again three times', () => {
  let known = finding({ priority: 'low' });
  const flips = [1, 2, 3].map(() => {
    known = flip(known);
    return [known.id, known.flips, known.kept, isContested(known)];
  });
  expect(flips).toEqual([
    ['F1', 1, 'open', false],
    ['F1', 2, 'open', false],
    ['F1', 3, 'open', true],
  ]);
});

describe('a contested finding', () => {
  const contested = finding({ flips: 3, at: REPORTED_AT });

  test.each<[string, Partial<SlotReview>]>([
    ['withdraws it', { previous: [answer('withdrawn')] }],
    ['confirms a fix', { previous: [answer('fixed')] }],
    ['does not report it again after the code changed', {}],
  ])('stays open if its reviewer %s', (_title, differs) => {
    const { updated, unchanged } = matchFindings(review(contested, { status: 'pass', ...differs }));
    expect(updated).toEqual([]);
    expect(unchanged.map(({ id }) => id)).toEqual(['F1']);
  });

  const later = '2026-03-03T12:00:00.000Z';
  const byAgent: Resolution = { ...claim('', later), by: { kind: 'agent', name: 'claude' } };

  test.each<[string, Resolution, boolean]>([
    ['a claim of a person since the last report', claim('', later), false],
    ['a claim of a person from before', claim('', '2026-03-01T12:00:00.000Z'), true],
    ['a claim of a person that the reviewer rejected', { ...claim('', later), how: 'refuted' }, true],
    ['a claim of an agent', byAgent, true],
    ['a proposed waiver of an agent', { ...byAgent, how: 'proposed' }, true],
    ['a waiver of a person', waiver('', later), false],
  ])('%s', (_title, resolution, expected) => {
    const known = { ...contested, resolution };
    expect(isContested(known)).toBe(expected);
    const { updated } = matchFindings(review(known, { status: 'pass', previous: [answer('fixed')] }));
    expect(updated.some(({ kept }) => kept === 'closed')).toBe(!expected);
  });

  test('is shown with the commands by which a person decides', () => {
    expect(describeContested(contested)).toBe(
      'Contested: reviewer 1 of review:src:code-quality closed F1 and reported it again 3 times. A person decides: onceover resolve F1 --skip "reason" accepts the code, and onceover resolve F1 --fixed lets the reviewer close the finding.',
    );
  });
});
