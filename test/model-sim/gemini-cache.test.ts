import { type CacheEntries, type PromptUse, withEntries } from '@onceover/testing/model-sim/cache/entries.ts';
import { GEMINI_STEP, GEMINI_TTL_MS, planGemini } from '@onceover/testing/model-sim/cache/gemini.ts';
import { textOfTokens } from '@onceover/testing/model-sim/client.ts';
import type { JsonObject } from '@onceover/testing/model-sim/json.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

type Step = { readonly body: JsonObject; readonly at?: number; readonly account?: string };

function lastUse(...steps: readonly Step[]): PromptUse {
  let entries: CacheEntries = new Map();
  let use: PromptUse = { total: 0, read: 0, write: 0, write1h: 0, input: 0 };
  for (const { body, at = 0, account = 'me' } of steps) {
    const plan = planGemini(entries, { body, account, now: at });
    entries = withEntries(withEntries(entries, plan.refreshed), plan.written);
    use = plan.use;
  }
  return use;
}

const says = (role: string, tokens: number, begin: string): JsonObject => ({
  role,
  parts: [{ text: textOfTokens(tokens, begin) }],
});
const request = (contents: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  model: 'gemini-2.5-pro',
  contents,
  systemInstruction: { parts: [{ text: 'You review.' }] },
  ...more,
});

describe('Gemini’s implicit cache', () => {
  const body = request([says('user', 5000, 'a')]);

  test('a repeated prompt is read in steps, as part of the total count, and no write is billed', () => {
    const use = lastUse({ body }, { body });
    expect(use).toMatchObject({ write: 0, read: Math.floor(use.total / GEMINI_STEP) * GEMINI_STEP });
    expect(use.input).toBe(use.total - use.read);
  });

  test.each([
    ['gemini-2.5-flash', 2048],
    ['gemini-3-pro-preview', 4096],
    ['gemini-4', 4096],
  ])('%s caches from %i tokens on', (model, minimum) => {
    const read = (tokens: number) => {
      const sized = { ...request([says('user', tokens, 'a')]), model };
      return lastUse({ body: sized }, { body: sized }).read;
    };
    expect(read(minimum - GEMINI_STEP)).toBe(0);
    expect(read(minimum)).toBeGreaterThanOrEqual(minimum);
  });

  const changes: readonly (readonly [string, JsonObject])[] = [
    ['tools', { tools: [{ functionDeclarations: [{ name: 'x' }] }] }],
    ['the system instruction', { systemInstruction: { parts: [{ text: 'You fix.' }] } }],
    ['the model', { model: 'gemini-2.5-flash' }],
    ['the first message', { contents: [says('user', 5000, 'b')] }],
  ];
  test.each(changes)('another value of %s reads nothing', (_title, change) => {
    expect(lastUse({ body }, { body: { ...body, ...change } }).read).toBe(0);
  });

  test('another key reads nothing, and entries expire', () => {
    expect(lastUse({ body }, { body, account: 'you' }).read).toBe(0);
    expect(lastUse({ body }, { body, at: GEMINI_TTL_MS - 1 }).read).toBeGreaterThan(0);
    expect(lastUse({ body }, { body, at: GEMINI_TTL_MS }).read).toBe(0);
  });

  test('a continued conversation reads the earlier part, except for one step', () => {
    const turns = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 4 });
    const contents = (all: readonly number[]) =>
      all.map((tokens, i) => says(i % 2 === 0 ? 'user' : 'model', tokens, `${i}`));
    fc.assert(
      fc.property(turns, turns, (a, b) => {
        const first = lastUse({ body: request(contents(a)) });
        const second = lastUse({ body: request(contents(a)) }, { body: request(contents([...a, ...b])) });
        expect(second.read + second.write + second.input).toBe(second.total);
        if (first.total > 2048 + GEMINI_STEP) expect(second.read).toBeGreaterThanOrEqual(first.total - 1 - GEMINI_STEP);
      }),
    );
  });
});
