/** A figure of a provider's documentation, by model name prefix. */
export type DatedFigures = {
  readonly source: string;
  readonly retrieved: string;
  readonly byModel: Readonly<Record<string, number>>;
  /** For models that the source does not name. */
  readonly otherwise: number;
};

/** The shortest prefix that Anthropic caches, in tokens. */
export const ANTHROPIC_MINIMUM: DatedFigures = {
  source: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
  retrieved: '2026-10-09',
  byModel: {
    'claude-opus-5-5': 512,
    'claude-sonnet-5-5': 512,
    'claude-haiku-5-5': 512,
    'claude-opus-5': 512,
    'claude-fable-5': 512,
    'claude-mythos-5': 512,
    'claude-opus-4-8': 1024,
    'claude-sonnet-5': 1024,
    'claude-sonnet-4': 1024,
    'claude-opus-4-1': 1024,
    'claude-opus-4': 1024,
    'claude-opus-4-7': 2048,
    'claude-mythos-preview': 2048,
    'claude-3-5-haiku': 2048,
    'claude-opus-4-6': 4096,
    'claude-opus-4-5': 4096,
    'claude-haiku-4-5': 4096,
  },
  otherwise: 4096,
};

/** The shortest prefix that OpenAI caches, in tokens. */
export const OPENAI_MINIMUM: DatedFigures = {
  source: 'https://developers.openai.com/api/docs/guides/prompt-caching',
  retrieved: '2026-09-20',
  byModel: {},
  otherwise: 1024,
};

/** The steps in which OpenAI's models before GPT-5.6 count cached tokens. */
export const OPENAI_STEP: DatedFigures = {
  source: 'https://developers.openai.com/api/docs/guides/prompt-caching',
  retrieved: '2026-09-20',
  byModel: { 'gpt-5.5': 2048 },
  otherwise: 128,
};

/** The shortest prefix that Gemini's implicit cache stores; copies of the page disagree, this is the latest. */
export const GEMINI_MINIMUM: DatedFigures = {
  source: 'https://ai.google.dev/gemini-api/docs/caching',
  retrieved: '2026-09',
  byModel: { 'gemini-2.5': 2048, 'gemini-3': 4096 },
  otherwise: 4096,
};

/** Returns the figure of the longest matching name prefix. */
export function figureFor(figures: DatedFigures, model: string): number {
  const names = Object.keys(figures.byModel).filter((name) => model.startsWith(name));
  const longest = names.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? figures.otherwise : (figures.byModel[longest] ?? figures.otherwise);
}
