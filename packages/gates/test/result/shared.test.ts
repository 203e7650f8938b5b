import type { Acceptance, RefusalReason } from '@onceover/passes/types';
import { passStatement } from '@onceover/testing/passes.ts';
import { expect, test } from 'vitest';
import { noPassReason } from '../../src/result/describe/refusals.ts';

const refused = (why: RefusalReason): Acceptance => ({ kind: 'refused', why, statement: null });
const accepted: Acceptance = { kind: 'accepted', statement: passStatement(), signers: [] };

test.each([
  ['no pass was looked up', null, null, null],
  ['a pass counts', accepted, null, null],
  ['the key is not known', refused('unknown-signer'), 'unknown-signer', 'unknown-signer'],
  ['the pass was drawn for an audit', refused('drawn-for-audit'), 'drawn-for-audit', 'drawn-for-audit'],
  ['no one has reviewed this code yet', refused('no-statement'), 'no-statement', null],
  ['the run is about a part of the change', refused('other-scope'), 'other-scope', null],
  ['a warning says that nothing is configured', refused('not-configured'), null, null],
  ['a warning says that the remote is away', refused('unreachable'), null, null],
] as const)('if %s, a run names the reason in CI and elsewhere', (_title, shared, inCi, elsewhere) => {
  expect([noPassReason(shared, true), noPassReason(shared, false)]).toEqual([inCi, elsewhere]);
});
