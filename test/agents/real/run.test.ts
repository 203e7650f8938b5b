import { answerSchema, sharedGateSchema } from '@onceover/agents/dispatch/answer-schemas';
import { strictSchema } from '@onceover/base/kernel/strict-schema';
import { GATE_ENGINE } from '@onceover/gates/src/run/do/prompt.ts';
import { totalUse } from '@onceover/testing/model-sim/log.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { expectGoesOn, expectRecorded, idOf, slotsOf } from '@onceover/testing/real-expect.ts';
import type { AgentName } from '@onceover/testing/real-person.ts';
import { answering, FINDINGS, GATE, MENDED, reading } from '@onceover/testing/real-review.ts';
import { type Iteration, type RealRun, realRun } from '@onceover/testing/real-run.ts';
import { outputTokens, schemaOf, sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
beforeEach(() => sim.forgetCache());
afterAll(() => sim.close());

/** The reviewers that report the mistake in the cart, which is fixed first, and the one in the tax. */
type Cast = { readonly cart: AgentName; readonly tax: AgentName };
const PLACES = ['cart', 'tax'] as const;
const SLOTS = { cart: '@1', tax: '@2' };

test.each<Cast>([
  { cart: 'codex', tax: 'claude' },
  { cart: 'claude', tax: 'codex' },
])('$cart passes and is skipped, $tax is resumed with the delta until it passes', async (cast) => {
  const { cart, tax } = cast;
  const user = realRun(sim, { agents: [cart, tax], gates: GATE });
  const { ids, iterations } = await threeIterations(user, cast, []);
  const [first, second, third] = iterations;

  expect(first).toMatchObject({ code: 1, status: 'failed', iteration: 1, dispatches: 2 });
  expect(slotsOf(first)).toMatchObject([
    { agent: cart, status: 'fail', dispatch: 'fresh', why: 'first-run' },
    { agent: tax, status: 'fail', dispatch: 'fresh', why: 'first-run' },
  ]);
  expect(schemaOf(first.sent('claude')[0])).toEqual(sharedGateSchema());
  expect(schemaOf(first.sent('codex')[0])).toEqual(strictSchema(answerSchema('gate')));
  // Engine and diff are the same bytes for both agents, even if each puts them in another place.
  const shared = stableText(first.sent('claude')[0]);
  expect(shared.startsWith(`${GATE_ENGINE}\n\n`)).toBe(true);
  expect(usersText(first.sent('codex')[0]).startsWith(`${shared}\n\n`)).toBe(true);

  expect(second).toMatchObject({ code: 1, status: 'failed', iteration: 2, dispatches: 2 });
  expect(slotsOf(second)).toMatchObject([
    { agent: cart, status: 'pass', dispatch: 'resumed', why: 'delta' },
    { agent: tax, status: 'fail', dispatch: 'resumed', why: 'delta' },
  ]);
  expect(second.findings.filter(({ state }) => state === 'open').map(({ id }) => id)).toEqual([ids.tax]);
  for (const place of PLACES) {
    const text = expectGoesOn(cast[place], first, second);
    expect(text).toContain('+  return lines.reduce((sum, line) => sum + line.price, 0);');
    expect(text).not.toContain('b/src/tax.ts');
    expect(text.match(/^id: F\d+$/gm)).toEqual([`id: ${ids[place]}`]);
    expect(user.log(`${SLOTS[place]}.2.log`)).toContain(`--- Sent (${cast[place]}, resumed) ---\n${text}\n---`);
  }

  expect(third).toMatchObject({ code: 0, status: 'passed', iteration: 3, dispatches: 1 });
  expect(slotsOf(third)).toMatchObject([
    { agent: cart, status: 'skipped_prior_pass', dispatch: 'none', pass_iteration: 2, usage: null },
    { agent: tax, status: 'pass', dispatch: 'resumed', why: 'delta' },
  ]);
  expect(third.findings.filter(({ state }) => state === 'open')).toEqual([]);
  expect(third.sent(cart)).toEqual([]);
  // The change of the second iteration is not shown again.
  const text = expectGoesOn(tax, second, third);
  expect(text).toContain('+  return amount * rate;');
  expect(text).not.toContain('b/src/cart.ts');

  for (const [i, iteration] of iterations.entries()) {
    for (const place of i === 2 ? (['tax'] as const) : PLACES) {
      expectRecorded(user, `${SLOTS[place]}.${i + 1}.json`, cast[place], iteration);
    }
  }
  expect(user.record('@1.1.json')).toMatchObject({ dispatch: 'fresh', why: 'first-run, first-look' });
  expect(user.record('@1.2.json')).toMatchObject({ dispatch: 'resumed', why: 'not-passed, delta' });
  expect(user.record('@1.3.json')).toMatchObject({ adapter: cart, status: 'skipped_prior_pass', passIteration: 2 });
  expect(third.saved.slot).toBeGreaterThan(0);
  expect(third.saved.session).toBeGreaterThan(0);
  // Claude Code sends its first system prompt in all later requests; onceover must pass the same one.
  const looks = cart === 'claude' ? 2 : 3;
  expect(user.systemPromptFiles()).toEqual(Array(looks).fill(shared));

  const fourth = await user.run({});
  expect(fourth).toMatchObject({ code: 0, status: 'passed', iteration: null, dispatches: 0 });
  expect([...fourth.sent(cart), ...fourth.sent(tax)]).toEqual([]);
});

test('of two gates of one agent, the second waits for the first output of the first and reads its cache', async () => {
  const gates = `  - path: src
    reviews:
      first: { prompt: .onceover/reviews/code.md }
      second: { prompt: .onceover/reviews/more.md }
`;
  const user = realRun(sim, { agents: ['claude'], gates, settings: 'share_reading: off\n' });
  const [untilFirst, untilLast] = [400, 700];
  const end = await user.run({
    claude(request) {
      const pass = answering('claude', 'pass', []);
      if (!JSON.stringify(request.body).includes('Look for wrong results.')) return pass;
      const hasRead = request.toolResults.length > 0;
      return hasRead ? { ...pass, delayMs: untilLast } : { ...reading(user, 'claude'), delayMs: untilFirst };
    },
  });
  expect(end).toMatchObject({ code: 0, status: 'passed', dispatches: 2 });
  const requests = end.sent('claude');
  const of = (id: string) => requests.filter((one) => sessionOf(one) === id);
  const [leader, follower] = [...new Set(requests.map(sessionOf))].map(of);
  expect(leader).toHaveLength(2);
  expect(follower).toHaveLength(1);
  const [begun, asked] = [leader?.[0], follower?.[0]];
  expect(asked?.at).toBeGreaterThanOrEqual((begun?.at ?? 0) + untilFirst);
  // It waits for the first output, not for the end.
  const [start, ending] = ['second, reviewer 1 (claude): started', 'first, reviewer 1 (claude): passed'].map((line) =>
    end.stderr.indexOf(line),
  );
  expect(start).toBeGreaterThan(-1);
  expect(start).toBeLessThan(ending ?? -1);

  expect(stableText(asked)).toBe(stableText(begun));
  const shared = Math.floor(stableText(asked).length / 4);
  expect(begun?.use?.read).toBe(0);
  expect(asked?.use?.read).toBeGreaterThanOrEqual(shared);
  expect(end.saved.prefix).toBeGreaterThanOrEqual(shared);
  expect(end.saved.prefix).toBeLessThanOrEqual(asked?.use?.read ?? 0);
  expectRecorded(user, 'second_claude@1.1.json', 'claude', { ...end, sent: () => follower ?? [] });
});

test('three iterations cost less than three new sessions', async () => {
  const cast = { cart: 'codex', tax: 'claude' } as const;
  const table: Record<string, Record<string, number>> = {};
  const paid: Record<string, number> = {};
  for (const args of [[], ['--fresh']]) {
    sim.forgetCache();
    const user = realRun(sim, { agents: [cast.cart, cast.tax], gates: GATE });
    const { iterations } = await threeIterations(user, cast, args);
    expect(iterations.map(({ code }) => code)).toEqual([1, 1, 0]);
    for (const who of [cast.cart, cast.tax]) {
      const row = `${who}, ${args[0] ?? 'as usual'}`;
      for (const [i, iteration] of iterations.entries()) {
        const use = totalUse(iteration.sent(who));
        paid[row] = (paid[row] ?? 0) + use.input + use.write;
        table[row] = {
          ...table[row],
          [`${i + 1}: paid`]: use.input + use.write,
          [`${i + 1}: cached`]: use.read,
          [`${i + 1}: said`]: outputTokens(iteration.sent(who)),
        };
      }
    }
  }
  console.log('Tokens by iteration, all of them simulated; "paid" is what did not come from a cache.');
  console.table(table);
  for (const who of [cast.cart, cast.tax]) {
    expect(paid[`${who}, as usual`]).toBeLessThan((paid[`${who}, --fresh`] ?? 0) * 0.5);
  }
});

/** Both report; one mistake is fixed, then the other. A new session reads files; a resumed session already has them. */
async function threeIterations(
  user: RealRun,
  { cart, tax }: Cast,
  args: readonly string[],
): Promise<{
  readonly ids: Readonly<Record<(typeof PLACES)[number], string>>;
  readonly iterations: readonly [Iteration, Iteration, Iteration];
}> {
  const first = await user.run({
    [cart]: [reading(user, cart), answering(cart, 'fail', [FINDINGS.cart])],
    [tax]: [reading(user, tax), answering(tax, 'fail', [FINDINGS.tax])],
  });
  const ids = { cart: idOf(first, 1), tax: idOf(first, 2) };
  const look = (who: AgentName) => (args.includes('--fresh') ? [reading(user, who)] : []);
  const fixed = (id: string) => [{ id, state: 'fixed', why: 'It is right now.' }];
  user.write('src/cart.ts', MENDED.cart);
  const open = [{ id: ids.tax, state: 'open', why: 'It is as it was.' }];
  const second = await user.run(
    {
      [cart]: [...look(cart), answering(cart, 'pass', [], fixed(ids.cart))],
      [tax]: [...look(tax), answering(tax, 'fail', [], open)],
    },
    args,
  );
  user.write('src/tax.ts', MENDED.tax);
  const third = await user.run(
    {
      [cart]: [...look(cart), answering(cart, 'pass', [])],
      [tax]: [...look(tax), answering(tax, 'pass', [], fixed(ids.tax))],
    },
    args,
  );
  return { ids, iterations: [first, second, third] };
}
