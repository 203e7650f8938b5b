import { err } from '@onceover/base/kernel/result';
import {
  carrierOf,
  digest,
  NOW,
  POLICY,
  passFile,
  passStatement,
  requestFor,
  signedFile,
  trusting,
  waiverStatement,
} from '@onceover/testing/passes.ts';
import { makeKey } from '@onceover/testing/ssh-signing.ts';
import { describe, expect, test } from 'vitest';
import { statementKey } from '../src/json-statement.ts';
import { openCarriedPasses } from '../src/open-passes.ts';
import type { StoredFile, TravellingStatement } from '../src/types.ts';

const dev = makeKey('ed25519');
const trust = trusting([`dev@example.com ${dev.line}`]);
const clock = { now: () => NOW };
const storedFile = (statement: TravellingStatement): StoredFile => ({
  key: statementKey(statement),
  file: signedFile(statement, dev),
});
const finding = digest('finding');
const waiver = waiverStatement({ finding });
const waiverRequest = { finding, gate: waiver.gate, file: 'src/cart.ts' };
const unreachable = { ...carrierOf([]), find: () => Promise.resolve(err({ kind: 'git-missing' })) };

describe('accept', () => {
  test('answers each request in its order, with one look-up', async () => {
    const first = passStatement();
    const second = passStatement({ slot: 2, files: [passFile('src/other.ts')] });
    const third = passStatement({ gate: 'review:src:security' });
    const carrier = carrierOf([storedFile(second), storedFile(first), storedFile(waiver)]);
    const requests = [third, second, first].map((statement) => requestFor(statement));
    const result = await openCarriedPasses(carrier, trust, clock).accept(requests, [waiverRequest]);
    expect(result.passes.map((answer) => (answer.kind === 'accepted' ? answer.statement : answer.why))).toEqual([
      'no-statement',
      second,
      first,
    ]);
    expect(result.waivers.get(finding)).toMatchObject({
      statement: waiver,
      signer: { principal: 'dev@example.com' },
    });
    expect(result.failure).toBeNull();
    expect(carrier.asked).toEqual(
      [[second.content, first.content, finding].sort()].map((keys) => expect.arrayContaining(keys)),
    );
  });

  test('looks up the waivers of findings that a pass names', async () => {
    const pass = passStatement({ waived: [finding] });
    const request = requestFor(pass);
    const carrier = carrierOf([storedFile(pass), storedFile(waiver)]);
    expect((await openCarriedPasses(carrier, trust, clock).accept([request], [])).passes).toMatchObject([
      { kind: 'accepted' },
    ]);
    expect(carrier.asked).toEqual([[pass.content], [finding]]);
    const without = openCarriedPasses(carrierOf([storedFile(pass)]), trust, clock);
    expect((await without.accept([request], [])).passes).toMatchObject([{ why: 'waiver-missing' }]);
  });

  test('accepts no waiver if no one may sign waivers', async () => {
    const passes = openCarriedPasses(carrierOf([storedFile(waiver)]), { ...trust, waiverSigners: null }, clock);
    expect((await passes.accept([], [waiverRequest])).waivers.size).toBe(0);
  });

  test('asks nothing of the carrier if there is nothing to look up', async () => {
    const carrier = carrierOf([]);
    expect(await openCarriedPasses(carrier, trust, clock).accept([], [])).toEqual({
      passes: [],
      waivers: new Map(),
      failure: null,
    });
    expect(carrier.asked).toEqual([]);
  });

  test('refuses everything if the carrier cannot be read', async () => {
    const strictTrust = { ...trust, policy: { ...POLICY, neverFor: ['src/auth/**'] } };
    const requests = [passStatement(), passStatement({ files: [passFile('src/auth/login.ts')] })];
    const result = await openCarriedPasses(unreachable, strictTrust, clock).accept(
      requests.map((statement) => requestFor(statement)),
      [waiverRequest],
    );
    expect(result.passes.map((answer) => answer.kind === 'refused' && answer.why)).toEqual([
      'unreachable',
      'excluded-path',
    ]);
    expect(result.waivers.size).toBe(0);
    expect(result.failure).toEqual({ kind: 'git-missing' });
  });
});

describe('explain', () => {
  const before = passStatement();
  const rebasedPass = passStatement({ files: before.files.map((file) => ({ ...file, baseBlob: 'c'.repeat(40) })) });

  test('finds the pass that was given before the base branch changed', async () => {
    const passes = openCarriedPasses(carrierOf([storedFile(waiver), storedFile(before)]), trust, clock);
    expect(await passes.explain(requestFor(rebasedPass))).toMatchObject({ why: 'base-changed', statement: before });
    expect(await passes.explain(requestFor(before))).toMatchObject({ kind: 'accepted' });
    expect(await passes.explain(requestFor(passStatement({ slot: 2 })))).toMatchObject({ why: 'no-statement' });
  });

  test('says so if the carrier cannot be read', async () => {
    expect(await openCarriedPasses(unreachable, trust, clock).explain(requestFor(before))).toMatchObject({
      why: 'unreachable',
    });
  });
});
