import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { type ModelSim, startModelSim } from '../../support/model-sim/server.ts';
import { playGaps } from '../../support/real-gaps.ts';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());
const only = process.env['P2_ONLY'] ?? '';
const cases = [
  ['claude few gaps', { who: 'claude', opens: 2, minutes: 10, loops: 2 }],
  ['claude many gaps', { who: 'claude', opens: 8, minutes: 10, loops: 2 }],
  ['claude few warm', { who: 'claude', opens: 2, minutes: 0 }],
  ['claude many warm', { who: 'claude', opens: 8, minutes: 0 }],
  ['claude many gaps 1h', { who: 'claude', opens: 8, minutes: 10, settings: 'cache_ttl: 1h\n' }],
  ['claude few gaps 1h', { who: 'claude', opens: 2, minutes: 10, settings: 'cache_ttl: 1h\n' }],
  ['claude many gaps fresh', { who: 'claude', opens: 8, minutes: 10, fresh: true, settings: 'cache_ttl: 5m\n' }],
  ['claude few gaps fresh', { who: 'claude', opens: 2, minutes: 10, fresh: true, settings: 'cache_ttl: 5m\n' }],
  ['claude many warm fresh', { who: 'claude', opens: 8, minutes: 0, fresh: true, settings: 'cache_ttl: 5m\n' }],
  ['claude few warm fresh', { who: 'claude', opens: 2, minutes: 0, fresh: true, settings: 'cache_ttl: 5m\n' }],
  ['codex few 40min', { who: 'codex', opens: 2, minutes: 40 }],
  ['codex many 40min', { who: 'codex', opens: 8, minutes: 40 }],
  ['codex many 40min fresh', { who: 'codex', opens: 8, minutes: 40, fresh: true }],
  ['codex few 40min fresh', { who: 'codex', opens: 2, minutes: 40, fresh: true }],
] as const;
test.each(cases.filter(([name]) => new RegExp(only).test(name)))('%s', { retry: 0 }, async (name, given) => {
  const { loops } = await playGaps(sim, given);
  const out = process.env['P2_OUT'] ?? '/tmp/p2-measure/out.txt';
  for (const [n, loop] of loops.entries()) {
    appendFileSync(out, `${name} loop ${n + 1}: ${loop.weighted}\n`);
    for (const { weighted, how } of loop.rounds) appendFileSync(out, `    ${weighted}  ${how.join(' | ')}\n`);
  }
});
