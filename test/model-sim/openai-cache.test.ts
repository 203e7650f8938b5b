import { type CacheEntries, type PromptUse, withEntries } from '@onceover/testing/model-sim/cache/entries.ts';
import { matchesEndpoints, OPENAI_TTL_MS, planOpenai } from '@onceover/testing/model-sim/cache/openai.ts';
import { EARLIER_ENDS } from '@onceover/testing/model-sim/cache/openai-endpoints.ts';
import { textOfTokens } from '@onceover/testing/model-sim/client.ts';
import type { JsonObject } from '@onceover/testing/model-sim/json.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

type Step = { readonly body: JsonObject; readonly at?: number; readonly account?: string };

function play(steps: readonly Step[]): readonly PromptUse[] {
  let entries: CacheEntries = new Map();
  return steps.map(({ body, at = 0, account = 'me' }) => {
    const plan = planOpenai(entries, { body, account, now: at });
    entries = withEntries(withEntries(entries, plan.refreshed), plan.written);
    return plan.use;
  });
}

const lastUse = (...steps: readonly Step[]): PromptUse => {
  const last = play(steps).at(-1);
  if (last === undefined) throw new Error('No step.');
  return last;
};
const message = (tokens: number, begin: string, more: JsonObject = {}): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: textOfTokens(tokens, begin), ...more }],
});
const request = (model: string, input: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  model,
  instructions: 'You review.',
  input,
  ...more,
});
const BREAK = { prompt_cache_breakpoint: { mode: 'explicit' } };
const FORMAT = { text: { format: { type: 'json_schema', name: 'a', schema: {} } } };

describe('models that match exact breakpoints', () => {
  test.each([
    ['gpt-4o', false],
    ['o4-mini', false],
    ['gpt-5', false],
    ['gpt-5.4', false],
    ['gpt-5.5', false],
    ['gpt-5.6-sol', true],
    ['gpt-5.6-luna', true],
    ['gpt-6', true],
    ['gpt-6.1-sol', true],
  ])('%s: %s', (model, expected) => {
    expect(matchesEndpoints(model)).toBe(expected);
  });
});

describe('models before GPT-5.6', () => {
  const MODEL = 'gpt-5.4';
  const body = request(MODEL, [message(3000, 'a')]);

  test('no write is billed', () => {
    expect(lastUse({ body })).toMatchObject({ read: 0, write: 0 });
  });

  test.each([
    ['gpt-5.4', 128],
    ['gpt-5.5', 2048],
  ])('%s counts in steps of %i tokens', (model, step) => {
    const again = request(model, [message(3000, 'a')]);
    const { read, total } = lastUse({ body: again }, { body: again });
    expect(read).toBe(Math.floor(total / step) * step);
  });

  test('a shared beginning within one message counts too', () => {
    const other = request(MODEL, [message(3000, 'a'), message(10, 'b')]);
    const { read, total } = lastUse({ body }, { body: other });
    expect(total - read).toBeLessThan(200);
    const half = request(MODEL, [{ type: 'message', role: 'user', content: [textPart(textOfTokens(2000, 'a'))] }]);
    expect(lastUse({ body }, { body: half }).read).toBe(1920);
  });

  test.each([
    ['1,023 tokens', 1023, 0],
    ['1,024 tokens', 1024, 1024],
  ])('%s', (_title, tokens, read) => {
    const bare = JSON.stringify({ type: 'message', role: 'user', content: '' }).length;
    const whole = { model: MODEL, input: [{ type: 'message', role: 'user', content: 'x'.repeat(tokens * 4 - bare) }] };
    expect(lastUse({ body: whole }, { body: whole })).toMatchObject({ total: tokens, read });
  });

  const changes: readonly (readonly [string, JsonObject])[] = [
    ['tools', { tools: [{ type: 'function', name: 'x' }] }],
    ['the answer’s format', FORMAT],
    ['instructions', { instructions: 'You fix.' }],
    ['the model', { model: 'gpt-5.2' }],
    ['the cache key', { prompt_cache_key: 'other' }],
  ];
  test.each(changes)('another value of %s reads nothing', (_title, change) => {
    expect(lastUse({ body }, { body: { ...body, ...change } }).read).toBe(0);
  });

  test('the prompt does not include item ids', () => {
    const named = request(MODEL, [{ ...message(3000, 'a'), id: 'msg_1' }]);
    expect(lastUse({ body }, { body: named })).toEqual(lastUse({ body }, { body }));
  });

  test.each([
    ['in_memory', OPENAI_TTL_MS.in_memory],
    ['24h', OPENAI_TTL_MS['24h']],
  ])('%s entries expire without a read', (retention, ttl) => {
    const kept = { ...body, prompt_cache_retention: retention };
    expect(lastUse({ body: kept }, { body: kept, at: ttl - 1 }).read).toBeGreaterThan(0);
    expect(lastUse({ body: kept }, { body: kept, at: ttl }).read).toBe(0);
    expect(lastUse({ body: kept }, { body: kept, at: ttl - 1 }, { body: kept, at: 2 * ttl - 2 }).read).toBeGreaterThan(
      0,
    );
  });
});

describe('GPT-5.6 and later', () => {
  const MODEL = 'gpt-5.6-sol';
  const first = request(MODEL, [message(2000, 'a')]);

  test('the end of the last message is written, and a continued conversation reads it', () => {
    const longer = request(MODEL, [message(2000, 'a'), message(10, 'b')]);
    const [one, two] = play([{ body: first }, { body: longer }]);
    expect(one).toMatchObject({ read: 0, write: one?.total, input: 0 });
    expect(two).toMatchObject({ read: one?.total, write: (two?.total ?? 0) - (one?.total ?? 0), input: 0 });
  });

  test('a shared beginning without a breakpoint at its end is not read', () => {
    const other = request(MODEL, [message(2000, 'a'), message(10, 'c')]);
    const one = request(MODEL, [message(2000, 'a'), message(10, 'b')]);
    expect(lastUse({ body: one }, { body: other }).read).toBe(0);
  });

  test('an extended message loses its end', () => {
    const parts = [textPart(textOfTokens(2000, 'a')), textPart('more')];
    const extended = request(MODEL, [{ type: 'message', role: 'user', content: parts }]);
    expect(lastUse({ body: first }, { body: extended }).read).toBe(0);
    const marked = request(MODEL, [{ type: 'message', role: 'user', content: [{ ...parts[0], ...BREAK }, ...parts] }]);
    expect(lastUse({ body: first }, { body: marked }).read).toBe(0);
  });

  test('an explicit breakpoint makes a shared beginning readable', () => {
    const one = request(MODEL, [message(2000, 'a', BREAK), message(10, 'b')]);
    const other = request(MODEL, [message(2000, 'a', BREAK), message(10, 'c')]);
    expect(lastUse({ body: one }, { body: other }).read).toBeGreaterThanOrEqual(2000);
  });

  test('explicit mode without breakpoints caches nothing', () => {
    const body = { ...first, prompt_cache_options: { mode: 'explicit' } };
    const again = lastUse({ body }, { body });
    expect(again).toEqual({ total: again.total, read: 0, write: 0, write1h: 0, input: again.total });
  });

  test('of many breakpoints the latest are written: three and the implicit one, or four', () => {
    const marked = Array.from({ length: 6 }, (_, i) => message(1100, `${i}`, BREAK));
    const counts = [{}, { prompt_cache_options: { mode: 'explicit' } }].map((options) => {
      const body = { ...request(MODEL, marked), ...options };
      return planOpenai(new Map(), { body, account: 'me', now: 0 }).written.length;
    });
    expect(counts).toEqual([4, 4]);
  });

  test.each([
    ['within the number of looked-up messages', EARLIER_ENDS, true],
    ['one message beyond', EARLIER_ENDS + 1, false],
  ])('%s', (_title, added, found) => {
    const more = Array.from({ length: added }, (_, i) => message(5, `m${i}`));
    const body = request(MODEL, [message(2000, 'a'), ...more]);
    expect(lastUse({ body: first }, { body }).read > 0).toBe(found);
  });

  const changes: readonly (readonly [string, JsonObject])[] = [
    ['tools', { tools: [{ type: 'function', name: 'x' }] }],
    ['parallel calls', { parallel_tool_calls: true }],
    ['the answer’s format', FORMAT],
    ['effort', { reasoning: { effort: 'high' } }],
    ['verbosity', { text: { verbosity: 'low' } }],
    ['the model', { model: 'gpt-6' }],
    ['the cache key', { prompt_cache_key: 'other' }],
  ];
  test.each(changes)('another value of %s reads nothing', (_title, change) => {
    expect(lastUse({ body: first }, { body: { ...first, ...change } }).read).toBe(0);
  });

  test('a prompt below 1,024 tokens is not cached', () => {
    const small = request(MODEL, [message(900, 'a')]);
    expect(lastUse({ body: small }, { body: small })).toMatchObject({ read: 0, write: 0 });
  });

  test('entries expire after 30 minutes without a read', () => {
    const ttl = OPENAI_TTL_MS['30m'];
    expect(lastUse({ body: first }, { body: first, at: ttl - 1 }).read).toBeGreaterThan(0);
    expect(lastUse({ body: first }, { body: first, at: ttl }).read).toBe(0);
  });
});

describe('any conversation', () => {
  const items = fc.array(
    fc.record({ tokens: fc.integer({ min: 1, max: 1500 }), tag: fc.integer({ min: 0, max: 3 }) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  const model = fc.constantFrom('gpt-5.4', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-6');
  type Items = typeof items extends fc.Arbitrary<infer T> ? T : never;
  const bodyOf = (name: string, all: Items) =>
    request(
      name,
      all.map(({ tokens, tag }) => message(tokens, `${tag}`)),
    );

  test('read, written and plain tokens add up to the whole prompt', () => {
    fc.assert(
      fc.property(model, items, items, (name, a, b) => {
        for (const one of play([
          { body: bodyOf(name, a) },
          { body: bodyOf(name, [...a, ...b]) },
          { body: bodyOf(name, b) },
        ])) {
          expect(one.read + one.write + one.input).toBe(one.total);
          expect(Math.min(one.read, one.write, one.input)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test("a continued conversation reads the earlier part, rounded down to the model's steps", () => {
    fc.assert(
      fc.property(model, items, items, (name, a, b) => {
        const [first, second] = play([{ body: bodyOf(name, a) }, { body: bodyOf(name, [...a, ...b]) }]);
        const total = first?.total ?? Number.NaN;
        const step = name === 'gpt-5.5' ? 2048 : name === 'gpt-5.4' ? 128 : 1;
        if (total >= 1024) expect(second?.read).toBeGreaterThan(total - 1 - step);
      }),
    );
  });

  test('nothing is read with another key or model, or after the lifetime', () => {
    fc.assert(
      fc.property(model, items, (name, a) => {
        const body = bodyOf(name, a);
        expect(lastUse({ body }, { body, account: 'you' }).read).toBe(0);
        expect(lastUse({ body }, { body: { ...body, model: 'gpt-5.2' } }).read).toBe(0);
        expect(lastUse({ body }, { body, at: OPENAI_TTL_MS['24h'] }).read).toBe(0);
      }),
    );
  });
});

function textPart(text: string): JsonObject {
  return { type: 'input_text', text };
}
