/**
 * How long a provider may keep a prompt in its cache: 5 minutes or 1 hour. Only Anthropic's models have this choice.
 */
export type CacheTtl = '5m' | '1h';

/** The documented rules of a provider's prompt cache, for one family of models. */
export type CacheRule = {
  readonly provider: 'anthropic' | 'openai' | 'google' | 'other';
  /** The models that the rule applies to, as the documentation names them. */
  readonly models: string;
  /** Matches the model's name without its provider; `null` applies to every model of the provider. */
  readonly match: RegExp | null;
  /** Minutes after its last use until a cache entry expires, for each lifetime that a call can request. */
  readonly lifeMinutes: Readonly<Record<CacheTtl, number>>;
  /** The minimum length of a prompt in tokens. Shorter prompts are not cached. */
  readonly minimumTokens: number;
  /**
   * Providers cache in blocks of this many tokens, so the end of a shared text may not be found in the cache. 0: no
   * blocks.
   */
  readonly stepTokens: number;
  /**
   * How far back from the end of the prompt a request looks for an earlier cache entry; `null` if there is no limit.
   */
  readonly lookBack: string | null;
  /**
   * The prices of a token that is written to the cache (`write`) and read from it (`read`), as multiples of the price
   * of an input token.
   */
  readonly write: Readonly<Record<CacheTtl, number>>;
  readonly read: number;
  /** The day when we read the documentation. */
  readonly date: string;
  readonly source: string;
};

const ANTHROPIC = {
  provider: 'anthropic',
  lifeMinutes: { '5m': 5, '1h': 60 },
  stepTokens: 0,
  lookBack: '20 content blocks',
  write: { '5m': 1.25, '1h': 2 },
  read: 0.1,
  date: '2026-10-09',
  source: 'the pages "Prompt caching" and "Pricing" in the documentation of Anthropic',
} as const;

const OPENAI = {
  provider: 'openai',
  minimumTokens: 1024,
  date: '2026-09-20',
  source: 'OpenAI: "Prompt caching"',
} as const;

const DAY_MINUTES = 24 * 60;

/**
 * The caching rules of all known providers, the most specific first. Before a release, check the sources again and
 * update the figures and dates.
 */
export const CACHE_RULES: readonly CacheRule[] = [
  {
    ...ANTHROPIC,
    models: 'Fable 5.1, Mythos 5.1',
    match: /^claude-(?:fable|mythos)-5-1\b/,
    minimumTokens: 512,
    read: 0.025,
  },
  {
    ...ANTHROPIC,
    models: 'Opus 5.5, Sonnet 5.5',
    match: /^claude-(?:opus|sonnet)-5-5\b/,
    minimumTokens: 512,
    read: 0.05,
  },
  {
    ...ANTHROPIC,
    models: 'Haiku 5.5, Opus 5, Fable 5, Mythos 5',
    match: /^claude-(?:haiku-5-5|(?:opus|fable|mythos)-5)\b/,
    minimumTokens: 512,
  },
  {
    ...ANTHROPIC,
    models: 'Opus 4.7, Mythos Preview, Haiku 3.5',
    match: /^claude-(?:opus-4-7|mythos-preview|(?:haiku-3-5|3-5-haiku))\b/,
    minimumTokens: 2048,
  },
  {
    ...ANTHROPIC,
    models: 'Opus 4.6 and 4.5, Haiku 4.5',
    match: /^claude-(?:opus-4-[56]|haiku-4-5)\b/,
    minimumTokens: 4096,
  },
  { ...ANTHROPIC, models: 'other Claude models', match: /^claude\b|^(?:opus|sonnet|haiku)\b/, minimumTokens: 1024 },
  {
    ...OPENAI,
    models: 'GPT-6.1',
    match: /^gpt-6\.1\b/,
    lifeMinutes: { '5m': 30, '1h': 30 },
    stepTokens: 0,
    lookBack: '80 breakpoints',
    write: { '5m': 1.25, '1h': 1.25 },
    read: 0.05,
  },
  {
    ...OPENAI,
    models: 'GPT-5.6 and later',
    match: /^gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)/,
    lifeMinutes: { '5m': 30, '1h': 30 },
    stepTokens: 0,
    lookBack: '80 breakpoints',
    write: { '5m': 1.25, '1h': 1.25 },
    read: 0.1,
  },
  {
    ...OPENAI,
    models: 'GPT-5 to 5.5',
    match: /^gpt-5\b/,
    lifeMinutes: { '5m': DAY_MINUTES, '1h': DAY_MINUTES },
    stepTokens: 2048,
    lookBack: null,
    write: { '5m': 1, '1h': 1 },
    read: 0.1,
  },
  {
    ...OPENAI,
    models: 'GPT-4.1, o3, o4-mini',
    match: /^(?:gpt-4\.1|o[34])\b/,
    lifeMinutes: { '5m': DAY_MINUTES, '1h': DAY_MINUTES },
    stepTokens: 128,
    lookBack: null,
    write: { '5m': 1, '1h': 1 },
    read: 0.25,
  },
  {
    ...OPENAI,
    models: 'other OpenAI models',
    match: null,
    lifeMinutes: { '5m': 30, '1h': 30 },
    stepTokens: 2048,
    lookBack: null,
    write: { '5m': 1.25, '1h': 1.25 },
    read: 0.1,
  },
  {
    provider: 'google',
    models: 'Gemini models (implicit cache)',
    match: /^gemini-/,
    lifeMinutes: { '5m': 5, '1h': 5 },
    minimumTokens: 4096,
    stepTokens: 4096,
    lookBack: null,
    write: { '5m': 1, '1h': 1 },
    read: 0.1,
    date: '2026-09-20',
    source:
      'the page "Context caching" in the documentation of Google. The page names no lifetime, so 5 minutes is an assumption',
  },
];

/** The rule for models and providers that are not in the table. Its figures are assumptions. */
export const OTHER_CACHE: CacheRule = {
  provider: 'other',
  models: 'other providers and custom commands',
  match: null,
  lifeMinutes: { '5m': 5, '1h': 5 },
  minimumTokens: 1024,
  stepTokens: 2048,
  lookBack: null,
  write: { '5m': 1.25, '1h': 1.25 },
  read: 0.1,
  date: '2026-11-18',
  source: 'No source: we assume the shortest lifetime that a provider documents',
};

/**
 * Returns the cache rule of a model. A model name may start with its provider, as in `openai/gpt-5.5`. If the table
 * does not have the model, returns the rule of the agent's `provider`, which is `null` if unknown.
 */
export function cacheRule(provider: string | null, model: string | null): CacheRule {
  const name = model?.slice(model.lastIndexOf('/') + 1).toLowerCase() ?? null;
  const modelRule = name === null ? undefined : CACHE_RULES.find(({ match }) => match?.test(name) === true);
  if (modelRule !== undefined) return modelRule;
  // If the model is unknown, use the provider's last rule, because it assumes the shortest lifetime.
  return CACHE_RULES.findLast((rule) => rule.provider === provider) ?? OTHER_CACHE;
}

/** The prices of a token that is written to a cache and of one that is read from it, in prices of an input token. */
export type CachePrices = { readonly write: number; readonly read: number };

export function cachePrices({ write, read }: Pick<CacheRule, 'write' | 'read'>, ttl: CacheTtl): CachePrices {
  return { write: write[ttl], read };
}

/** The prices for calls of which neither the provider nor the requested lifetime is known. */
export const USUAL_PRICES: CachePrices = cachePrices(OTHER_CACHE, '5m');
