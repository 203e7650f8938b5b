import * as z from 'zod';
import { AGENT_NAMES } from '../agents/table.ts';
import { compileGlob } from '../kernel/glob.ts';
import { DEFAULT_LOG_DIR, repoPath } from '../kernel/paths.ts';
import { didYouMean } from '../ui/wording.ts';
import { DEFAULT_SIGNERS, PRIORITIES } from './settings.ts';

const priority = z.enum(PRIORITIES);

const seconds = z.int().min(1).max(86_400);

const off = z.boolean().default(false);

/** Returns an enum schema whose default is the first value. */
function choice<T extends string>(first: T, ...others: readonly T[]) {
  return z.enum([first, ...others]).default(() => first);
}

const agentNames = z.array(z.string().min(1)).min(1);

// Names of gates and agents become part of file names and ids, so only these characters are allowed.
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
  error: 'names start with a letter or digit and have only letters, digits, ".", "_" and "-"',
});

/** The name of a model. It becomes an argument of the agent's program, so it must not look like an option. */
export const modelName = z.string().min(1).regex(/^[^-]/, { error: 'the name of a model does not begin with "-"' });

/**
 * For each API, the address and the environment variable with the key that are used if the settings do not name others.
 */
export const API_DEFAULTS = {
  anthropic: { baseUrl: 'https://api.anthropic.com', key: 'ANTHROPIC_API_KEY' },
  openai: { baseUrl: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
} as const;

// Matches headers that contain a key. They are rejected, because the settings file is committed.
const HEADER_OF_KEY = /^(?:authorization|proxy-authorization|x-api-key|api-key|cookie|host|content-.*)$/i;

const agentSchema = z.strictObject({
  model: modelName.optional().describe('The name of the model that the agent uses.'),
  command: z.array(z.string().min(1)).min(1).optional().describe('Program and arguments of a custom agent.'),
  acp: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Program and arguments of an agent that speaks the Agent Client Protocol, such as [goose, acp].'),
  api: z
    .enum(['anthropic', 'openai'])
    .optional()
    .describe(
      'The API that onceover calls itself, without an agent CLI: Anthropic Messages, or OpenAI and compatible servers.',
    ),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s/@?#]+(?:\/[^\s?#@]*)?$/, {
      error: 'must be an address that starts with https:// or http://, without a user name, "?" and "#"',
    })
    .optional()
    .describe('Only with api: the address of a gateway or a local server, such as http://127.0.0.1:11434/v1.'),
  endpoint: z
    .enum(['responses', 'chat'])
    .optional()
    .describe(
      'Only with api: openai. The API of the server: Responses or Chat Completions. Default: responses at OpenAI, chat with base_url.',
    ),
  key: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable, and never a key' })
    .optional()
    .describe(
      'Only with api: the name of the environment variable that has the key. Default: ANTHROPIC_API_KEY or OPENAI_API_KEY; with base_url, no key is sent.',
    ),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, { error: 'is not the name of a header' }), z.string().regex(/^[ -~]*$/))
    .optional()
    .describe('Only with api: additional headers of every request. They must contain no key.'),
  max_tokens: z
    .int()
    .min(256)
    .max(1_000_000)
    .optional()
    .describe('Only with api: the most tokens that one answer may have. Default: 16000.'),
  tier: z
    .enum(['standard', 'flex', 'batch'])
    .optional()
    .describe(
      'Only with api, for work that may wait. flex (only openai): slower, at half the price. batch: one request that contains the changed files, within 24 hours, at half the price. Default: standard.',
    ),
  path: z.string().min(1).optional().describe('Path of the program of a known agent, if it is not on PATH.'),
  resume: z.boolean().optional().describe('Whether the command can resume the session that ONCEOVER_SESSION names.'),
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables for this agent.'),
  sandbox: off.describe('If true, onceover runs the command in a sandbox where it cannot write to the repository.'),
  timeout: seconds.optional().describe('Timeout in seconds for a call to this agent.'),
});

const checkSchema = z.strictObject({
  run: z.string().min(1).describe('A shell command. The check passes if the command exits with 0.'),
  timeout: seconds.optional().describe('Timeout of the check in seconds. Default: the top-level timeout.'),
});

const reviewSchema = z.strictObject({
  prompt: z.string().min(1).describe('The path of a Markdown file that says what the reviewer looks for.'),
  num_reviews: z.int().min(1).max(20).default(1).describe('The number of reviewers that have to pass the review.'),
  agents: agentNames
    .optional()
    .describe(
      'Agents for this review, in order of preference. Reviewer 1 gets the first, reviewer 2 the second, and so on.',
    ),
  timeout: seconds
    .optional()
    .describe('Timeout in seconds for a call by this review, instead of the timeout of the agent.'),
});

const entrySchema = z
  .strictObject({
    path: z.string().min(1).describe('The files that the gates cover: ".", a folder, a file, "packages/*", or a glob.'),
    exclude: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Globs of files that the gates ignore: such files do not make a gate run, and reviewers do not see them.',
      ),
    checks: z.record(name, checkSchema).default({}).describe('Commands that must exit with code 0.'),
    reviews: z.record(name, reviewSchema).default({}).describe('Prompts for reviewers.'),
  })
  .describe('An entry point: gates that run if a file below its path changed.');

const passesSchema = z
  .strictObject({
    remote: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, { error: 'must be the name of a git remote, such as origin' })
      .optional()
      .describe('The git remote that carries passes, in the ref refs/onceover/passes.'),
    store: z
      .string()
      .regex(/^https?:\/\/[^\s@]+$/, { error: 'must be an address that starts with https:// and has no user name' })
      .optional()
      .describe('The address of an HTTP store for passes, instead of a git remote.'),
    share: choice('off', 'ask', 'auto').describe(
      'Whether a run shares the passes that it gave. auto: after every run. ask: a terminal asks first. off: only with --share.',
    ),
    signers: z
      .string()
      .min(1)
      .default(DEFAULT_SIGNERS)
      .describe('Path of the file with the keys that may sign passes, in the format of OpenSSH allowed_signers.'),
    accept: z
      .array(z.enum(['new', 'resumed']))
      .min(1)
      .default(['new', 'resumed'])
      .describe('The sessions whose passes count. new: only reviews in a new session.'),
    max_age: z
      .string()
      .regex(/^[1-9]\d{0,3}d$/, { error: 'must be a number of days, such as 30d' })
      .default('30d')
      .describe('Passes that are older do not count.'),
    min_signers: z
      .int()
      .min(1)
      .max(10)
      .default(1)
      .describe('How many people, each with a key of their own, must have signed a pass.'),
    never_for: z
      .array(z.string().min(1))
      .default([])
      .describe('Globs. A gate with such a changed file is always reviewed here.'),
    audit: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('The share of accepted passes that onceover reviews again anyway, such as 0.05.'),
  })
  .describe(
    'Shares passes between clones. onceover reads this block and the signers file from the base branch. Default: passes stay in the clone.',
  );

/** The schema of `onceover.yml`. */
export const settingsSchema = z
  .strictObject({
    version: z.literal(1).default(1).describe('The version of the format of this file.'),
    base: z.string().min(1).optional().describe('The base branch: a change is everything that differs from it.'),
    agents: agentNames.optional().describe('The names of the agents, in order of preference.'),
    concurrency: z.int().min(1).max(64).default(4).describe('Maximum number of calls to agents at the same time.'),
    timeout: seconds.default(1200).describe('Timeout in seconds for a call to an agent, or for a check.'),
    idle_timeout: seconds
      .default(180)
      .describe('onceover ends a call if the agent prints nothing for this many seconds.'),
    log_dir: z
      .string()
      .min(1)
      .default(DEFAULT_LOG_DIR)
      .describe('Folder for the records of runs, inside the repository.'),
    max_retries: z
      .int()
      .min(0)
      .max(1000)
      .default(3)
      .describe(
        'How often onceover runs a failed review again without progress (the same code, and no finding closed), before it waits for a change.',
      ),
    rerun_new_issue_threshold: priority
      .default('low')
      .describe(
        'When a reviewer reviews again, new findings with a priority below this value are warnings and do not fail the gate.',
      ),
    fail_on: priority
      .default('low')
      .describe('Findings with a priority below this value are warnings and do not fail the gate.'),
    cache: choice('content', 'strict').describe(
      'When a mark by mark_review_as_passed counts. content: the files are unchanged. strict: the rule, its paths and its context are unchanged too.',
    ),
    certify: off.describe('If true, skipped reviewers review the final code before the run passes.'),
    after_pass: choice('latch', 'all').describe(
      'Which reviewers run if a review passed and then the code changes. latch: reviewer 1. all: every reviewer.',
    ),
    unchanged_gates: choice('run', 'rest').describe(
      'What a run does with gates that have not changed. rest: it skips those that passed, and shows the findings of those that failed. run: it runs a review that failed, and the others too if a gate has to run.',
    ),
    final_validation: choice('all', 'changed').describe(
      'Only for onceover phase: which reviewers review again at the end. all: every reviewer. changed: only the reviewers that have not seen the current code.',
    ),
    delta_guard: choice('auto', 'prompt', 'effective').describe(
      'Only for onceover phase: how long the prompt of a resumed session may be. prompt: half of the first prompt of the session. effective: half of the first prompt and of the files that a new session reads, together. auto: prompt for reviewers whose prompt contains the document, effective for all others.',
    ),
    resume_when_cold: z
      .boolean()
      .default(true)
      .describe(
        'Only for onceover phase. If false, onceover starts a new session if the cache of the old one has expired and a new session is cheaper.',
      ),
    cache_ttl: choice('auto', '5m', '1h').describe(
      'Only for Claude Code: how long the provider caches prompts. auto: onceover chooses the cheaper one by the pauses between reviews in this repository.',
    ),
    share_reading: choice('reviews', 'all', 'off').describe(
      'Whether reviewers in new sessions share what one session reads, if their agent can fork sessions and that is cheaper. reviews: only reviewers of different reviews share. all: also the reviewers of one review, which are then less independent. off: every reviewer reads for itself.',
    ),
    recheck_domain: off.describe(
      'Only for onceover phase. If true, the reviewer of the document also reviews the changes that phase-reviewer asked for.',
    ),
    trust_marks: off.describe(
      'If true, a run accepts marks by mark_review_as_passed, although onceover does not verify them.',
    ),
    convergence: z
      .strictObject({
        unchanged_code: choice('block', 'must_fix_only').describe(
          'What a new finding does if its lines have not changed since an earlier review by the same reviewer. must_fix_only: below high it is a warning.',
        ),
        ratchet: z
          .union([z.boolean(), z.enum(['on', 'off'])])
          .default(false)
          .describe(
            'If true (or on), such a finding is a warning from the third review of the reviewer on, unless it is critical.',
          ),
      })
      .prefault({})
      .describe('Rules that keep reviewers from finding new problems in old code in every round.'),
    waivers: z
      .strictObject({
        who: choice('people', 'anyone').describe(
          'Whose waivers count. people: the waiver of an agent is a proposal until a person confirms it. anyone: agents can waive too.',
        ),
        signers: z
          .string()
          .min(1)
          .optional()
          .describe(
            'Path of a file with the keys of people whose signed waivers count in every clone, in the format of passes.signers. Default: waivers count only in the clone where they were made.',
          ),
      })
      .prefault({})
      .describe('Rules for waived findings.'),
    passes: passesSchema.optional(),
    budget: z
      .strictObject({
        usd: z
          .number()
          .positive()
          .optional()
          .describe('Limit in US dollars. Only calls whose agent reports a price count.'),
        dispatches: z.int().min(1).optional().describe('Limit on calls to agents, including retries.'),
      })
      .prefault({})
      .describe('Limits for one run, or for one loop of reviews and fixes.'),
    agent: z
      .record(name, agentSchema)
      .default({})
      .describe(
        'Settings by agent. A new name with a command or an acp defines an agent, one with an api a reviewer that needs no agent CLI.',
      ),
    gates: z.array(entrySchema).default([]).describe('Entry points with their checks and reviews.'),
  })
  .describe('Settings and gates of onceover.')
  .superRefine((settings, context) => {
    const wrong = (path: PropertyKey[], message: string, params = {}) =>
      context.addIssue({ code: 'custom', path, message, params });
    const known = new Set<string>(AGENT_NAMES);
    for (const [agent, own] of Object.entries(settings.agent)) {
      checkApi(own, (key, message) => wrong(['agent', agent, ...(key === null ? [] : [key])], message));
      if (own.command !== undefined || own.api !== undefined || own.acp !== undefined) known.add(agent);
      else if (!known.has(agent))
        wrong(
          ['agent', agent],
          `is not a known agent (${AGENT_NAMES.join(', ')}), so it needs a command, an acp or an api`,
        );
    }
    const checkAgents = (agents: readonly string[] | undefined, path: PropertyKey[]) => {
      for (const [i, agent] of (agents ?? []).entries()) {
        if (known.has(agent)) continue;
        const near = didYouMean(agent, [...known]);
        wrong([...path, i], `names the agent "${agent}", which is neither known nor defined under agent${near}`);
      }
    };
    const checkPath = (path: string, at: PropertyKey[]) => {
      const found = repoPath(path);
      if (found === null || found === '' || found.split('/').includes('.git'))
        wrong(at, 'must be a path inside the repository, relative to its root');
    };
    const checkGlob = (glob: string, at: PropertyKey[]) => {
      const compiled = glob === '.' ? null : compileGlob(glob, '');
      if (compiled?.ok === false) wrong(at, compiled.said, { glob });
    };
    checkAgents(settings.agents, ['agents']);
    checkPath(settings.log_dir, ['log_dir']);
    if (settings.waivers.signers !== undefined) checkPath(settings.waivers.signers, ['waivers', 'signers']);
    if (settings.passes !== undefined) {
      const { remote, store, signers, never_for: never } = settings.passes;
      checkPath(signers, ['passes', 'signers']);
      for (const [n, glob] of never.entries()) checkGlob(glob, ['passes', 'never_for', n]);
      if ((remote === undefined) === (store === undefined)) wrong(['passes'], 'needs either remote or store');
    }
    const ids = new Set<string>();
    for (const [i, entry] of settings.gates.entries()) {
      const at = ['gates', i];
      checkGlob(entry.path, [...at, 'path']);
      for (const [n, exclude] of entry.exclude.entries()) checkGlob(exclude, [...at, 'exclude', n]);
      for (const [review, { agents, prompt }] of Object.entries(entry.reviews)) {
        checkAgents(agents, [...at, 'reviews', review, 'agents']);
        checkPath(prompt, [...at, 'reviews', review, 'prompt']);
      }
      for (const kind of ['checks', 'reviews'] as const) {
        for (const gate of Object.keys(entry[kind])) {
          const id = `${kind} ${entry.path.replace(/^(?:\.\/)+|\/+$/g, '') || '.'} ${gate}`;
          if (ids.has(id))
            wrong([...at, kind, gate], `is defined twice for the path "${entry.path}"; give one of them another name`);
          ids.add(id);
        }
      }
      if (Object.keys(entry.checks).length + Object.keys(entry.reviews).length === 0)
        wrong(at, 'has neither checks nor reviews', { misses: ['checks', 'reviews'] });
    }
  });

const API_ONLY = ['base_url', 'endpoint', 'key', 'headers', 'max_tokens', 'tier'] as const;

const PROGRAM_ONLY = ['command', 'acp', 'path', 'resume', 'sandbox'] as const;

/** Reports fields of an agent that contradict each other. */
function checkApi(own: z.output<typeof agentSchema>, wrong: (key: string | null, message: string) => void): void {
  if (own.acp !== undefined) {
    for (const key of ['command', 'path', 'resume', 'sandbox'] as const) {
      if (own[key] !== undefined && own[key] !== false) wrong(key, 'is not for agents with acp');
    }
  }
  if (own.api === undefined) {
    for (const key of API_ONLY) if (own[key] !== undefined) wrong(key, 'needs api: anthropic or api: openai beside it');
    return;
  }
  for (const key of PROGRAM_ONLY) {
    if (own[key] !== undefined && own[key] !== false) wrong(key, 'is for agents that are programs, not for api');
  }
  if (Object.keys(own.env).length > 0) wrong('env', 'is for agents that are programs, not for api');
  if (own.model === undefined) wrong(null, 'needs a model, because it has an api');
  if (own.api !== 'openai' && own.endpoint !== undefined) wrong('endpoint', 'needs api: openai');
  if (own.api !== 'openai' && own.tier === 'flex') wrong('tier', 'can be flex only with api: openai');
  for (const header of Object.keys(own.headers ?? {})) {
    if (HEADER_OF_KEY.test(header))
      wrong('headers', `must not contain "${header}"; name the variable with the key in key`);
  }
}

/** The content of an `onceover.yml` after parsing, with defaults. */
export type SettingsFile = z.output<typeof settingsSchema>;
