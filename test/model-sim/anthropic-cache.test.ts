import { LOOK_BACK, planAnthropic, TTL_MS } from '@onceover/testing/model-sim/cache/anthropic.ts';
import { type CacheEntries, type PromptUse, withEntries } from '@onceover/testing/model-sim/cache/entries.ts';
import { ANTHROPIC_MINIMUM, figureFor } from '@onceover/testing/model-sim/cache/models.ts';
import { textOfTokens } from '@onceover/testing/model-sim/client.ts';
import type { Json, JsonObject } from '@onceover/testing/model-sim/json.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const MODEL = 'claude-sonnet-5-5';
const MARK = { cache_control: { type: 'ephemeral' } };
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } };

type Step = { readonly body: JsonObject; readonly at?: number; readonly account?: string };

/** Sends requests one after the other, each after the previous answer began. */
function play(steps: readonly Step[]): readonly PromptUse[] {
  let entries: CacheEntries = new Map();
  return steps.map(({ body, at = 0, account = 'me' }) => {
    const plan = planAnthropic(entries, { body, account, now: at });
    entries = withEntries(withEntries(entries, plan.refreshed), plan.written);
    return plan.use;
  });
}

const lastUse = (...steps: readonly Step[]) => play(steps).at(-1);
const use = (read: number, write: number, input: number, write1h = 0): PromptUse => ({
  total: read + write + input,
  read,
  write,
  write1h,
  input,
});

const text = (tokens: number, begin = '', mark: JsonObject = {}): JsonObject => ({
  type: 'text',
  text: textOfTokens(tokens, begin),
  ...mark,
});
const tool = (tokens: number, name: string, mark: JsonObject = {}): JsonObject => {
  const bare = JSON.stringify({ name, description: '' }).length;
  return { name, description: 'x'.repeat(tokens * 4 - bare), ...mark };
};
const user = (...content: readonly JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: readonly JsonObject[]): JsonObject => ({ role: 'assistant', content });
const request = (parts: JsonObject): JsonObject => ({ model: MODEL, max_tokens: 10, ...parts });

const TOOLS = [tool(600, 'Read', MARK)];
const SYSTEM = [text(100, 'You review.', MARK)];
const whole = (more: JsonObject = {}): JsonObject =>
  request({ tools: TOOLS, system: SYSTEM, messages: [user(text(50, 'Look.', MARK))], ...more });

describe('reads and writes of a request', () => {
  test('the first request writes up to its last breakpoint; the rest is plain input', () => {
    const body = request({ system: [text(600, 's', MARK)], messages: [user(text(40, 'm'))] });
    expect(lastUse({ body })).toEqual(use(0, 600, 40));
  });

  test('the same request again reads what was written', () => {
    expect(lastUse({ body: whole() }, { body: whole() })).toEqual(use(750, 0, 0));
  });

  test('the longest of several prefixes is read, and the new end is written', () => {
    const longer = whole({
      messages: [user(text(50, 'Look.')), assistant(text(20, 'Found.')), user(text(30, 'Again.', MARK))],
    });
    expect(lastUse({ body: whole() }, { body: longer })).toEqual(use(750, 50, 0));
  });

  test('the comparison ignores cache markers and the form of a text', () => {
    const plain = request({ system: textOfTokens(600, 's'), messages: [{ role: 'user', content: 'Look.' }] });
    const marked = request({ system: [text(600, 's', MARK)], messages: [user({ type: 'text', text: 'Look.' })] });
    expect(lastUse({ body: marked }, { body: { ...plain, cache_control: { type: 'ephemeral' } } })?.read).toBe(600);
  });

  test('top-level cache_control makes the last block a breakpoint', () => {
    const body = request({ messages: [user(text(600, 'm'))], cache_control: { type: 'ephemeral', ttl: '1h' } });
    expect(lastUse({ body })).toEqual(use(0, 600, 0, 600));
  });

  test('a marked block keeps its own lifetime', () => {
    const body = request({ messages: [user(text(600, 'm', MARK))], cache_control: { type: 'ephemeral', ttl: '1h' } });
    expect(lastUse({ body })).toEqual(use(0, 600, 0));
  });

  test('without a breakpoint nothing is read, even if it is cached', () => {
    const bare = request({ system: [text(600, 's')], messages: [user(text(40, 'm'))] });
    const held = request({ system: [text(600, 's', MARK)], messages: [user(text(40, 'm'))] });
    expect(lastUse({ body: held }, { body: bare })).toEqual(use(0, 0, 640));
  });
});

describe('the shortest prefix', () => {
  const at = (tokens: number, model: string) =>
    lastUse({ body: { ...request({ messages: [user(text(tokens, 'm', MARK))] }), model } });

  test.each([
    ['claude-sonnet-5-5', 512],
    ['claude-opus-5-5-20260901', 512],
    ['claude-sonnet-5', 1024],
    ['claude-sonnet-4-6', 1024],
    ['claude-opus-4-8', 1024],
    ['claude-opus-4-7', 2048],
    ['claude-opus-4-6', 4096],
    ['claude-haiku-4-5', 4096],
    ['claude-of-the-future', 4096],
  ])('%s caches %i tokens, and not one token less', (model, minimum) => {
    expect(figureFor(ANTHROPIC_MINIMUM, model)).toBe(minimum);
    expect(at(minimum, model)).toEqual(use(0, minimum, 0));
    expect(at(minimum - 1, model)).toEqual(use(0, 0, minimum - 1));
  });
});

describe('readable prefix after a change', () => {
  const changes: readonly (readonly [string, JsonObject, number])[] = [
    ['nothing', {}, 750],
    ['another tool', { tools: [tool(600, 'Grep', MARK)] }, 0],
    ['another model', { model: 'claude-opus-5-5' }, 0],
    ['another system text', { system: [text(100, 'You fix.', MARK)] }, 600],
    ['another speed', { speed: 'fast' }, 600],
    ['another message', { messages: [user(text(50, 'See.', MARK))] }, 700],
    ['another role', { messages: [assistant(text(50, 'Look.', MARK))] }, 700],
    ['thinking', { thinking: { type: 'adaptive' } }, 700],
    ['tool choice', { tool_choice: { type: 'any' } }, 700],
    ['effort', { output_config: { effort: 'high' } }, 700],
    ['an image', { messages: [user(text(50, 'Look.', MARK), { type: 'image', source: {} })] }, 700],
    ['settings that are no prompt', { max_tokens: 99, stream: true, metadata: { user_id: 'u' } }, 750],
  ];

  test.each(changes)('%s', (_title, change, read) => {
    expect(lastUse({ body: whole() }, { body: whole(change) })?.read).toBe(read);
  });

  test('another key reads nothing', () => {
    expect(lastUse({ body: whole() }, { body: whole(), account: 'you' })?.read).toBe(0);
  });
});

describe('the look-back', () => {
  const long = (blocks: number, mark: readonly number[]) =>
    request({
      messages: [user(...Array.from({ length: blocks }, (_, i) => text(600, `${i}`, mark.includes(i) ? MARK : {})))],
    });

  test.each([
    ['the entry is the last block within the look-back', LOOK_BACK - 1, 600],
    ['the entry is one block beyond the look-back', LOOK_BACK, 0],
  ])('%s', (_title, distance, read) => {
    expect(lastUse({ body: long(1, [0]) }, { body: long(1 + distance, [distance]) })?.read).toBe(read);
  });

  test('a breakpoint in between reaches further back', () => {
    const between = LOOK_BACK - 1;
    const body = long(2 * LOOK_BACK, [between, 2 * LOOK_BACK - 1]);
    expect(lastUse({ body: long(1, [0]) }, { body })?.read).toBe(600);
  });
});

describe('time', () => {
  const short = request({ messages: [user(text(600, 'm', MARK))] });
  const hour = request({ messages: [user(text(600, 'm', HOUR))] });

  test.each([
    ['before five minutes', short, [TTL_MS['5m'] - 1], 600],
    ['after five minutes', short, [TTL_MS['5m']], 0],
    ['a read renews the lifetime', short, [TTL_MS['5m'] - 1, 2 * TTL_MS['5m'] - 2], 600],
    ['the lifetime counts from the last read', short, [TTL_MS['5m'] - 1, 2 * TTL_MS['5m'] - 1], 0],
    ['before an hour', hour, [TTL_MS['1h'] - 1], 600],
    ['after an hour', hour, [TTL_MS['1h']], 0],
  ] as const)('%s', (_title, body, times, read) => {
    expect(lastUse({ body }, ...times.map((at) => ({ body, at })))?.read).toBe(read);
  });

  test('the lifetime counts from the start of the request, not from its answer', () => {
    const { written } = planAnthropic(new Map(), { body: short, account: 'me', now: 1000 });
    expect(written.map(({ expiresAt }) => expiresAt)).toEqual([1000 + TTL_MS['5m']]);
  });

  test('tokens get the lifetime of the breakpoint that they end at', () => {
    const body = request({ system: [text(600, 's', HOUR)], messages: [user(text(50, 'm', MARK))] });
    expect(lastUse({ body })).toEqual(use(0, 650, 0, 600));
  });

  test('reading a prefix also renews the shorter ones at its breakpoints', () => {
    const other = whole({ messages: [user(text(50, 'Other.', MARK))] });
    const late = TTL_MS['5m'] - 1;
    expect(lastUse({ body: whole() }, { body: whole(), at: late }, { body: other, at: 2 * late })?.read).toBe(700);
  });
});

describe('the moment when an entry becomes readable', () => {
  test('requests that start before the first answer begins all pay for the write', () => {
    const plans = [1, 2, 3].map((now) => planAnthropic(new Map(), { body: whole(), account: 'me', now }));
    expect(plans.map((plan) => plan.use)).toEqual([use(0, 750, 0), use(0, 750, 0), use(0, 750, 0)]);
  });
});

describe('any conversation', () => {
  const block = fc.record({ tokens: fc.integer({ min: 1, max: 900 }), tag: fc.integer({ min: 0, max: 5 }) });
  const conversation = fc.record({
    tools: fc.array(block, { maxLength: 2 }),
    system: fc.array(block, { maxLength: 2 }),
    turns: fc.array(fc.array(block, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    ttl: fc.constantFrom(MARK, HOUR),
  });
  type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;
  const bodyOf = ({ tools, system, turns, ttl }: Conversation, more: Conversation['turns'] = []): JsonObject => {
    const messages = [...turns, ...more].map((blocks, i): Json => {
      const content = blocks.map(({ tokens, tag }) => text(tokens, `${tag}`));
      return { role: i % 2 === 0 ? 'user' : 'assistant', content };
    });
    return request({
      tools: tools.map(({ tokens, tag }) => tool(tokens + 20, `tool${tag}`)),
      system: system.map(({ tokens, tag }, i) => text(tokens, `${tag}`, i === 0 ? ttl : {})),
      messages,
      ...ttl,
    });
  };
  const more = fc.array(fc.array(block, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });

  test('read, written and plain tokens add up to the whole prompt', () => {
    fc.assert(
      fc.property(fc.array(conversation, { minLength: 1, maxLength: 4 }), (all) => {
        for (const one of play(all.map((conv) => ({ body: bodyOf(conv) })))) {
          expect(one.read + one.write + one.input).toBe(one.total);
          expect(Math.min(one.read, one.write, one.input, one.write1h, one.write - one.write1h)).toBeGreaterThanOrEqual(
            0,
          );
        }
      }),
    );
  });

  test('a continued conversation reads at least what was written before', () => {
    fc.assert(
      fc.property(conversation, more, (conv, turns) => {
        const [first, second] = play([{ body: bodyOf(conv) }, { body: bodyOf(conv, turns), at: 1000 }]);
        expect(second?.read ?? 0).toBeGreaterThanOrEqual(first?.write ?? Number.NaN);
      }),
    );
  });

  test.each([
    ['after the lifetime', { at: TTL_MS['1h'] }],
    ['with another key', { account: 'you' }],
  ])('nothing is read %s', (_title, later) => {
    fc.assert(
      fc.property(conversation, (conv) => {
        expect(lastUse({ body: bodyOf(conv) }, { body: bodyOf(conv), ...later })?.read).toBe(0);
      }),
    );
  });

  test('nothing is read with another model', () => {
    fc.assert(
      fc.property(conversation, (conv) => {
        const body = bodyOf(conv);
        expect(lastUse({ body }, { body: { ...body, model: 'claude-opus-5-5' } })?.read).toBe(0);
      }),
    );
  });
});
