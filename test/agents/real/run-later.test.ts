import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, RequestSummary } from '@onceover/testing/model-sim/script.ts';
import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { idOf, slotsOf } from '@onceover/testing/real-expect.ts';
import { type AgentName, realAgent } from '@onceover/testing/real-person.ts';
import { answering, FINDINGS, MENDED, ONE_REVIEWER, reading } from '@onceover/testing/real-review.ts';
import { type Iteration, type RealRun, realRun } from '@onceover/testing/real-run.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

test('ten minutes later the cache has expired, so Claude Code gets a new session, and its prompt is cached for an hour', async () => {
  const [, second, third] = await rounds('claude', 3);
  expect(slotsOf(second)).toMatchObject([{ status: 'pass', dispatch: 'fresh', why: 'resume-dearer' }]);
  const use = second?.sent('claude')[0]?.use;
  expect(use).toMatchObject({ read: 0, write1h: use?.total });
  expect(slotsOf(third)).toMatchObject([{ status: 'pass', dispatch: 'resumed', why: 'delta' }]);
  expect(third?.sent('claude')[0]?.use?.read).toBe(second?.sent('claude').at(-1)?.use?.total);
});

test('ten minutes later, Codex still has its cache and is resumed', async () => {
  const [first, second] = await rounds('codex', 2);
  expect(slotsOf(second)).toMatchObject([{ status: 'pass', dispatch: 'resumed', why: 'delta' }]);
  const sent = first?.sent('codex').at(-1)?.use?.total ?? 0;
  expect(second?.sent('codex')[0]?.use?.read).toBeGreaterThan(sent - 2048);
});

test.each(['claude', 'codex'] as const)(
  '%s: a helper outside the gate changes between rounds, and its new text is in every later request',
  async (who) => {
    sim.forgetCache();
    const helper = (divisor: number) => `export const share = (amount: number) => amount / ${divisor};\n`;
    const user = realRun(sim, { agents: [who], gates: ONE_REVIEWER, files: { 'lib/share.ts': helper(2) } });
    const opens: Answer = { kind: 'tools', calls: [realAgent(who).read(join(user.root, 'lib/share.ts'))] };
    const first = await user.run({ [who]: [opens, answering(who, 'fail', [FINDINGS.cart])] });
    expect(user.record('@1.1.json').opened).toEqual([join(user.root, 'lib/share.ts')]);
    user.write('src/cart.ts', MENDED.cart);
    user.write('lib/share.ts', helper(3));
    const fixed = [{ id: idOf(first, 1), state: 'fixed', why: 'It is added now.' }];
    const second = await user.run({ [who]: () => answering(who, 'pass', [], fixed) });
    expect(slotsOf(second)).toMatchObject([{ status: 'pass', dispatch: 'resumed' }]);
    const requests = second.sent(who);
    expect(requests.length).toBeGreaterThan(0);
    for (const { body } of requests) {
      expect(JSON.stringify(body)).toContain('amount / 3');
      expect(JSON.stringify(body)).not.toContain('No other file that git tracks has changed');
    }
  },
);

/** Plays this many rounds, ten minutes apart: a finding, its fix, another change. */
async function rounds(who: AgentName, count: number): Promise<readonly Iteration[]> {
  sim.forgetCache();
  const user = realRun(sim, { agents: [who], gates: ONE_REVIEWER });
  const first = await user.run({ [who]: [reading(user, who), answering(who, 'fail', [FINDINGS.cart])] });
  const fixed = [{ id: idOf(first, 1), state: 'fixed', why: 'It is added now.' }];
  // A reviewer in a new session reads a file first.
  const answer = ({ lastUserText, toolResults }: RequestSummary) =>
    lastUserText.startsWith('The change is ') || toolResults.length > 0
      ? answering(who, 'pass', [], lastUserText.includes('id: ') ? fixed : [])
      : reading(user, who);
  const all = [first];
  for (const [path, text] of [['src/cart.ts', MENDED.cart] as const, ['src/tax.ts', MENDED.tax] as const]) {
    if (all.length === count) break;
    tenMinutesPass(user);
    user.write(path, text);
    all.push(await user.run({ [who]: answer }));
  }
  return all;
}

const TEN_MINUTES_MS = 600_000;

/** Advances the simulator's clock, and moves the times in the records to the past. */
function tenMinutesPass(user: RealRun): void {
  sim.clock.advance(TEN_MINUTES_MS);
  const logs = join(user.root, '.deepwork/logs');
  const earlier = (time: string) => new Date(Date.parse(time) - TEN_MINUTES_MS).toISOString();
  for (const name of readdirSync(logs).filter((one) => one.endsWith('.json'))) {
    const text = readFileSync(join(logs, name), 'utf8');
    writeFileSync(
      join(logs, name),
      text.replace(/"(timestamp|lastUsedAt)": "([^"]+)"/g, (_, key, time) => `"${key}": "${earlier(time)}"`),
    );
  }
}
