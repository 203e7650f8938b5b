import { describeProblem } from '@onceover/base/ui/describe-problem';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.ts';
import type { Settings } from '../../src/config/settings.ts';

const DEFAULTS = {
  base: null,
  agents: null,
  concurrency: 4,
  timeoutSeconds: 1200,
  idleTimeoutSeconds: 180,
  logDir: '.deepwork/logs',
  maxRetries: 3,
  rerunNewIssueThreshold: 'low',
  failOn: 'low',
  cache: 'content',
  certify: false,
  afterPass: 'latch',
  unchangedGates: 'run',
  finalValidation: 'all',
  deltaGuard: 'auto',
  resumeWhenCold: true,
  cacheTtl: 'auto',
  shareReading: 'reviews',
  recheckDomain: false,
  trustMarks: false,
  convergence: { unchangedCode: 'block' },
  waivers: { who: 'people', signers: null },
  passes: null,
  budget: { usd: null, dispatches: null },
  agent: {},
  gates: [],
};

const EVERYTHING = `version: 1
base: origin/main            # a comment
agents: [codex, claude]
concurrency: 4
timeout: 1200
idle_timeout: 180
log_dir: .deepwork/logs
max_retries: 3
rerun_new_issue_threshold: low
fail_on: low
cache: content
certify: false
after_pass: latch
unchanged_gates: run
final_validation: all
delta_guard: auto
resume_when_cold: true
cache_ttl: auto
share_reading: reviews
recheck_domain: false
trust_marks: false
budget: { usd: 5, dispatches: 50 }
agent:
  claude: { model: claude-sonnet-5-5 }
  house:  { command: [./tools/reviewer.sh], resume: true, env: {}, sandbox: false }
gates:
  - path: src
    exclude: ["**/*.snap"]
    checks:
      lint: { run: npm run lint, timeout: 120 }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2, agents: [codex, claude] }
`;

const AGENT = { model: null, command: null, path: null, resume: false, env: {}, sandbox: false, timeoutSeconds: null };

const API = {
  ...{ dialect: 'anthropic', model: 'm', isProvider: true, baseUrl: 'https://api.anthropic.com' },
  ...{ endpoint: 'responses', key: null, headers: {}, maxOutputTokens: 16_000, tier: 'standard' },
};

function settings(text: string): Settings {
  const result = parseSettings(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.settings;
}

describe('good settings', () => {
  test.each(['', '\n', '# nothing yet\n', '---\n', '{}\n', 'version: 1\n'])('%j gives every default', (text) => {
    expect(settings(text)).toEqual(DEFAULTS);
  });

  test('a file with every setting', () => {
    expect(settings(EVERYTHING)).toEqual({
      ...DEFAULTS,
      base: 'origin/main',
      agents: ['codex', 'claude'],
      budget: { usd: 5, dispatches: 50 },
      agent: {
        claude: { ...AGENT, model: 'claude-sonnet-5-5' },
        house: { ...AGENT, command: ['./tools/reviewer.sh'], resume: true },
      },
      gates: [
        {
          path: 'src',
          exclude: ['**/*.snap'],
          checks: { lint: { run: 'npm run lint', timeoutSeconds: 120 } },
          reviews: {
            'code-quality': {
              prompt: '.onceover/reviews/code-quality.md',
              promptAt: { line: 32, column: 31 },
              numReviews: 2,
              agents: ['codex', 'claude'],
              timeoutSeconds: null,
            },
          },
        },
      ],
    });
  });

  test.each<[text: string, expected: Partial<Record<keyof Settings, unknown>>]>([
    ['concurrency: 64', { concurrency: 64 }],
    ['timeout: 86400', { timeoutSeconds: 86_400 }],
    ['idle_timeout: 1', { idleTimeoutSeconds: 1 }],
    ['log_dir: ./out//reviews/', { logDir: 'out/reviews' }],
    ['max_retries: 0', { maxRetries: 0 }],
    ['rerun_new_issue_threshold: high', { rerunNewIssueThreshold: 'high' }],
    ['fail_on: critical', { failOn: 'critical' }],
    ['cache: strict', { cache: 'strict' }],
    ['certify: true', { certify: true }],
    ['after_pass: all', { afterPass: 'all' }],
    ['unchanged_gates: rest', { unchangedGates: 'rest' }],
    ['final_validation: changed', { finalValidation: 'changed' }],
    ['delta_guard: prompt', { deltaGuard: 'prompt' }],
    ['delta_guard: effective', { deltaGuard: 'effective' }],
    ['resume_when_cold: false', { resumeWhenCold: false }],
    ['cache_ttl: 5m', { cacheTtl: '5m' }],
    ['share_reading: off', { shareReading: 'off' }],
    ['recheck_domain: true', { recheckDomain: true }],
    ['trust_marks: true', { trustMarks: true }],
    [
      'convergence: { unchanged_code: must_fix_only, ratchet: true }',
      { convergence: { unchangedCode: 'must_fix_only' }, ignored: ['convergence.ratchet'] },
    ],
    ['waivers: { who: anyone }', { waivers: { who: 'anyone', signers: null } }],
    ['budget: { usd: 0.5 }', { budget: { usd: 0.5, dispatches: null } }],
    [
      'agent: { gemini: { path: /opt/gemini, timeout: 60 } }',
      { agent: { gemini: { ...AGENT, path: '/opt/gemini', timeoutSeconds: 60 } } },
    ],
    ['agents: [house]\nagent: { house: { command: [x] } }', { agents: ['house'] }],
    [
      'agent: { sonnet: { api: anthropic, model: m } }',
      { agent: { sonnet: { ...AGENT, model: 'm', api: { ...API, key: 'ANTHROPIC_API_KEY' } } } },
    ],
    [
      'agent: { local: { api: openai, base_url: "http://127.0.0.1:11434/v1/", model: m, max_tokens: 500 } }',
      {
        agent: {
          local: {
            ...AGENT,
            model: 'm',
            api: {
              ...{ ...API, dialect: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', isProvider: false },
              ...{ endpoint: 'chat', key: null, maxOutputTokens: 500 },
            },
          },
        },
      },
    ],
    [
      'agent: { gpt: { api: openai, model: m, tier: flex, key: MY_KEY, headers: { x-team: shop } } }',
      {
        agent: {
          gpt: {
            ...AGENT,
            model: 'm',
            api: {
              ...{ ...API, dialect: 'openai', baseUrl: 'https://api.openai.com/v1' },
              ...{ key: 'MY_KEY', tier: 'flex', headers: { 'x-team': 'shop' } },
            },
          },
        },
      },
    ],
  ])('%s', (text, subset) => {
    expect(settings(text)).toMatchObject(subset);
  });

  test.each(['.', 'src', 'src/', 'packages/*', 'src/**/*.{ts,tsx}'])('an entry may have the path %s', (path) => {
    const text = `gates:\n  - path: "${path}"\n    checks: { lint: { run: make lint } }\n`;
    expect(settings(text).gates).toEqual([
      { path, exclude: [], checks: { lint: { run: 'make lint', timeoutSeconds: null } }, reviews: {} },
    ]);
  });
});

const gate = (text: string) => `gates:\n  - path: src\n    ${text}\n`;
const review = (text: string) => gate(`reviews:\n      quality: { ${text} }`);

describe('wrong settings', () => {
  test.each([
    ['an unknown key', 'concurency: 2', '1:1 unknown-key concurency'],
    ['an unknown key further in', 'budget:\n  eur: 3', '2:3 unknown-key eur'],
    ['an unknown key of an agent', 'agent: { claude: { modell: x } }', '1:20 unknown-key modell'],
    ['an unknown key of an entry', gate('chekcs: {}\n    checks: { a: { run: x } }'), '3:5 unknown-key chekcs'],
    ['an unknown key of a check', gate('checks: { a: { run: x, retry: 2 } }'), '3:28 unknown-key retry'],
    ['an unknown key of a review', review('prompt: a.md, agent: codex'), '4:32 unknown-key agent'],
    ['another version', 'version: 2', '1:10 not-one-of version'],
    ['base: a number', 'base: 3', '1:7 wrong-type base'],
    ['base: nothing', 'base:', '1:6 wrong-type base'],
    ['concurrency 0', 'concurrency: 0', '1:14 out-of-range concurrency'],
    ['concurrency 65', 'concurrency: 65', '1:14 out-of-range concurrency'],
    ['concurrency 1.5', 'concurrency: 1.5', '1:14 wrong-type concurrency'],
    ['concurrency in words', 'concurrency: "four"', '1:14 wrong-type concurrency'],
    ['cache: lax', 'cache: lax', '1:8 not-one-of cache'],
    ['certify in words', 'certify: "yes"', '1:10 wrong-type certify'],
    ['fail_on: blocker', 'fail_on: blocker', '1:10 not-one-of fail_on'],
    ['cache_ttl: 10m', 'cache_ttl: 10m', '1:12 not-one-of cache_ttl'],
    ['timeout 0', 'timeout: 0', '1:10 out-of-range timeout'],
    ['timeout of more than a day', 'timeout: 86401', '1:10 out-of-range timeout'],
    ['max_retries -1', 'max_retries: -1', '1:14 out-of-range max_retries'],
    ['a negative budget', 'budget:\n  usd: -1', '2:8 out-of-range budget.usd'],
    ['a budget of half a dispatch', 'budget: { dispatches: 0.5 }', '1:23 wrong-type budget.dispatches'],
    ['no agent in the list', 'agents: []', '1:9 out-of-range agents'],
    ['an unknown agent', 'agents: [codex, cody]', '1:17 bad-value agents #2'],
    [
      'the same in a review',
      review('prompt: a.md, agents: [cody]'),
      '4:41 bad-value gates #1: reviews.quality.agents #1',
    ],
    ['a new agent without command', 'agent:\n  house: { model: x }', '2:10 bad-value agent.house'],
    ['an option as a model', 'agent: { gemini: { model: --yolo } }', '1:27 bad-value agent.gemini.model'],
    ['an API without a model', 'agent: { a: { api: openai } }', '1:13 bad-value agent.a'],
    ['a key instead of a name', 'agent: { a: { api: openai, model: m, key: sk-1 } }', '1:43 bad-value agent.a.key'],
    [
      'a key in a header',
      'agent: { a: { api: openai, model: m, headers: { Authorization: x } } }',
      '1:47 bad-value agent.a.headers',
    ],
    [
      'an address that is none',
      'agent: { a: { api: openai, model: m, base_url: "x" } }',
      '1:48 bad-value agent.a.base_url',
    ],
    [
      'an address with a user',
      'agent: { a: { api: openai, model: m, base_url: "https://u@x" } }',
      '1:48 bad-value agent.a.base_url',
    ],
    ['an API and a command', 'agent: { a: { api: openai, model: m, command: [x] } }', '1:47 bad-value agent.a.command'],
    ['an address without API', 'agent: { claude: { base_url: "http://x" } }', '1:30 bad-value agent.claude.base_url'],
    ['a tier of Anthropic', 'agent: { a: { api: anthropic, model: m, tier: flex } }', '1:47 bad-value agent.a.tier'],
    ['an empty command', 'agent: { house: { command: [] } }', '1:28 out-of-range agent.house.command'],
    ['an entry without gates', gate('exclude: []'), '2:5 bad-value gates #1'],
    ['an entry without path', 'gates:\n  - checks: { a: { run: x } }', '2:5 missing-key gates #1: path'],
    ['entries that are no list', 'gates: { path: src }', '1:8 wrong-type gates'],
    ['a check that is text', gate('checks: { lint: npm run lint }'), '3:21 wrong-type gates #1: checks.lint'],
    ['a check without command', gate('checks: { lint: {} }'), '3:15 missing-key gates #1: checks.lint.run'],
    ['a gate name with a blank', gate('checks: { "a b": { run: x } }'), '3:15 bad-value gates #1: checks.a b'],
    ['a review without prompt', review('num_reviews: 2'), '4:7 missing-key gates #1: reviews.quality.prompt'],
    [
      'num_reviews 0',
      review('prompt: a.md, num_reviews: 0'),
      '4:45 out-of-range gates #1: reviews.quality.num_reviews',
    ],
    [
      'num_reviews in words',
      review('prompt: a.md, num_reviews: "two"'),
      '4:45 wrong-type gates #1: reviews.quality.num_reviews',
    ],
    ['log_dir outside', 'log_dir: ../logs', '1:10 bad-value log_dir'],
    ['log_dir from the root of the disk', 'log_dir: /var/log', '1:10 bad-value log_dir'],
    ['log_dir that is the root', 'log_dir: .', '1:10 bad-value log_dir'],
    ['a prompt outside', review('prompt: ../a.md'), '4:26 bad-value gates #1: reviews.quality.prompt'],
    ['a bad path', 'gates: [{ path: "[src", checks: { a: { run: x } } }]', '1:17 bad-glob [src'],
    ['a bad exclude', gate('exclude: [a, "!b"]\n    checks: { a: { run: x } }'), '3:18 bad-glob !b'],
    ['a list', '- a', '1:1 wrong-type the file'],
    ['a tab', 'budget:\n\tusd: 3', '2:1 syntax '],
    ['a key twice', 'base: a\nbase: b', '2:1 syntax '],
    ['a second document', 'base: a\n---\nbase: b', '2:1 syntax '],
  ])('%s', (_, text, problem) => {
    const result = parseSettings(`${text}\n`);
    const problems = result.ok ? [] : result.problems;
    const summaries = problems.map(({ line, column, what }) => {
      const subject = 'key' in what ? what.key : 'glob' in what ? what.glob : '';
      return `${line}:${column} ${what.kind} ${subject}`;
    });
    expect(summaries).toEqual([problem]);
  });

  test('several problems are all reported', () => {
    const result = parseSettings('base: 3\ncache: lax\ncolour: red\n');
    expect(result).toMatchObject({ ok: false, problems: [{ line: 1 }, { line: 2 }, { line: 3 }] });
  });

  test('the message for a zero budget does not call zero allowed', () => {
    const result = parseSettings('budget: { usd: 0 }\n');
    expect(result).toMatchObject({ ok: false, problems: [{ what: { key: 'budget.usd' } }] });
    expect(result).not.toMatchObject({ problems: [{ what: { bound: 'at least', limit: 0 } }] });
  });

  test('the message for a bad gate name says which names are allowed', () => {
    const message = 'names start with a letter or digit and have only letters, digits, ".", "_" and "-"';
    expect(parseSettings(gate('checks: { "a b": { run: x } }'))).toMatchObject({
      problems: [{ what: { said: message } }],
    });
  });
});

describe('messages for common mistakes', () => {
  const messagesFor = (text: string) => {
    const result = parseSettings(text);
    return result.ok ? [] : result.problems.map((problem) => describeProblem({ file: 'onceover.yml', ...problem }));
  };
  const review = (settings: string) => `gates:\n  - path: .\n    reviews:\n      q: ${settings}\n`;
  const check = (settings: string) => `gates:\n  - path: .\n    checks:\n      lint: ${settings}\n`;

  test.each<[string, string, string]>([
    [
      'a merge conflict',
      'version: 1\n<<<<<<< HEAD\nagents: [claude]\n=======\nagents: [codex]\n>>>>>>> other\n',
      '2:1: unresolved merge conflict: keep one side and delete the lines with <<<<<<<, ======= and >>>>>>>',
    ],
    [
      'a key that would be dropped',
      'gates:\n  - { path: src, checks: { __proto__: 1 } }\n',
      '2:28: "gates #1: checks.__proto__" is not an allowed name',
    ],
    ['a key twice', 'timeout: 3\ntimeout: 4\n', '2:1: not valid YAML: the key timeout is a duplicate'],
    [
      'a misspelt key that has to be there',
      review('{ promt: a.md }'),
      '4:12: unknown key "promt"; did you mean "prompt"?',
    ],
    [
      'a command with a colon',
      check('{ run: npm run lint: fast }'),
      '4:20: not valid YAML: inside { } and [ ], quote a text that contains ": "',
    ],
    [
      'a command alone',
      check('npm run lint'),
      '4:13: "gates #1: checks.lint" must be a map with keys, of these: run, timeout',
    ],
    ...(['review', 'check'] as const).map((key): [string, string, string] => [
      `${key} for ${key}s`,
      `gates:\n  - path: .\n    ${key}: {}\n`,
      `3:5: unknown key "${key}"; did you mean "${key}s"?`,
    ]),
    [
      'an entry among several',
      'gates:\n  - { path: ., checks: { a: { run: x } } }\n  - { path: docs }\n',
      '3:5: "gates #2" has neither checks nor reviews',
    ],
    [
      'a misspelt agent',
      'agents: [claud]\n',
      '1:10: "agents #1" names the agent "claud", which is neither known nor defined under agent; did you mean "claude"?',
    ],
    ['a tab', 'gates:\n\t- path: .\n', '2:1: not valid YAML: Tabs are not allowed as indentation'],
  ])('%s', (_, text, message) => {
    expect(messagesFor(text)).toEqual([`onceover.yml:${message}`]);
  });

  test('ignores conflict markers inside a text and reports the other problem', () => {
    const text = `agent:\n  a:\n    command:\n      - |\n        x\n\nbase: "<<<<<<< a"\ntimeouts: 3\n`;
    expect(messagesFor(text)).toEqual([
      expect.stringMatching(/:8:1: unknown key "timeouts"; did you mean "timeout"\?$/),
    ]);
  });

  test('reports a missing key beside an unknown key', () => {
    expect(messagesFor(review('{ colour: red }'))).toEqual([
      'onceover.yml:4:7: "gates #1: reviews.q.prompt" is missing',
      expect.stringMatching(/:4:12: unknown key "colour"; known here: prompt/),
    ]);
  });
});
