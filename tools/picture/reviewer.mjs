// A scripted reviewer for pictures: "careful" knows one mistake of the shop, "exact" knows none. It counts four
// characters as a token.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

const prompt = await text(process.stdin);
const cart = readFileSync('src/cart.ts', 'utf8').split('\n');
const line = cart.findIndex((one) => one.includes('sum + cents)')) + 1;
const found = process.argv[2] === 'careful' && prompt.includes('src/cart.ts') && line > 0;
const open = [...prompt.matchAll(/\bF\d+\b/g)].map(([id]) => id);

await setTimeout(800);
const answer = {
  status: found ? 'fail' : 'pass',
  violations: found
    ? [
        {
          file: 'src/cart.ts',
          line,
          issue: 'An empty cart throws: reduce has no first value.',
          fix: 'Give reduce a first value: 0.',
          priority: 'high',
        },
      ]
    : [],
  previous: found ? [] : [...new Set(open)].map((id) => ({ id, state: 'fixed', why: 'reduce begins with 0 now' })),
  session_id: process.env.ONCEOVER_SESSION ?? randomUUID(),
};
const said = JSON.stringify(answer);
const usage = { input_tokens: Math.ceil(prompt.length / 4), cached_input_tokens: 0, cache_write_tokens: 0 };
process.stdout.write(JSON.stringify({ ...answer, usage: { ...usage, output_tokens: Math.ceil(said.length / 4) } }));
