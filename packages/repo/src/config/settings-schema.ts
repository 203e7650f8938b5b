import { AGENT_NAMES } from '@onceover/base/kernel/agent-names';
import { compileGlob } from '@onceover/base/kernel/glob';
import { DEFAULT_LOG_DIR, repoPath } from '@onceover/base/kernel/paths';
import { didYouMean } from '@onceover/base/ui/wording';
import * as z from 'zod';
import { DEFAULT_SIGNERS, PRIORITIES } from './settings.ts';

const priority = z.enum(PRIORITIES);

const seconds = z.int().min(1).max(86_400);

const off = z.boolean().default(false);

/** Returns an enum schema whose default is the first value. */
function choice<T extends string>(first: T, ...otherValues: readonly T[]) {
  return z.enum([first, ...otherValues]).default(() => first);
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
  command: z.array(z.string().min(1)).min(1).optional().describe('The program and arguments of an agent of your own.'),
  acp: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('The program and arguments of an agent that supports the Agent Client Protocol, such as [goose, acp].'),
  api: z
    .enum(['anthropic', 'openai'])
    .optional()
    .describe(
      'The model API that onceover calls itself, without the CLI of an agent. The value `anthropic` means Anthropic Messages, and `openai` means OpenAI and compatible servers.',
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
      'Only with `api: openai`: whether onceover uses the Responses API or the Chat Completions API of the server. The default is `responses` for OpenAI, and `chat` with base_url.',
    ),
  key: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable, and never a key' })
    .optional()
    .describe(
      'Only with api: the name of the environment variable that contains the key. The default is ANTHROPIC_API_KEY or OPENAI_API_KEY. With base_url, onceover sends no key by default.',
    ),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, { error: 'is not the name of a header' }), z.string().regex(/^[ -~]*$/))
    .optional()
    .describe('Only with api: additional headers of every request. The headers must not contain a key.'),
  max_tokens: z
    .int()
    .min(256)
    .max(1_000_000)
    .optional()
    .describe('Only with api: the maximum number of tokens in one answer. The default is 16000.'),
  tier: z
    .enum(['standard', 'flex', 'batch'])
    .optional()
    .describe(
      'Only with api: the price and speed of the requests. With `flex` (only openai), requests are slower and cost half the price. With `batch`, one request contains all changed files, takes up to 24 hours and costs half the price. The default is `standard`.',
    ),
  path: z.string().min(1).optional().describe('The path of the program, if the agent is not on PATH.'),
  resume: z
    .boolean()
    .optional()
    .describe('Whether the command can resume the session whose id is in ONCEOVER_SESSION.'),
  env: z.record(z.string(), z.string()).default({}).describe('The environment variables that this agent gets.'),
  sandbox: off.describe('If true, onceover runs the command in a sandbox where it cannot write to the repository.'),
  timeout: seconds.optional().describe('The timeout in seconds of each call to this agent.'),
});

const checkSchema = z.strictObject({
  run: z.string().min(1).describe('A shell command. The check passes if the command exits with 0.'),
  timeout: seconds
    .optional()
    .describe('The timeout of the check in seconds. Without this setting, the top-level timeout applies.'),
});

const reviewSchema = z.strictObject({
  prompt: z.string().min(1).describe('The path of a Markdown file that says what the reviewer looks for.'),
  num_reviews: z.int().min(1).max(20).default(1).describe('The number of reviewers that have to pass the review.'),
  agents: agentNames
    .optional()
    .describe(
      'The agents for this review, in order of preference. Reviewer 1 gets the first agent, reviewer 2 gets the second agent, and so on.',
    ),
  timeout: seconds
    .optional()
    .describe('The timeout in seconds of each call for this review. This timeout replaces the timeout of the agent.'),
});

const entrySchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .describe('The files to which the gates apply: ".", a folder, a file, "packages/*", or a glob.'),
    exclude: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Globs of files that the gates ignore. Ignored files do not make a gate run, and reviewers do not see them.',
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
      .describe('The git remote with the shared passes. The passes are in the ref refs/onceover/passes.'),
    store: z
      .string()
      .regex(/^https?:\/\/[^\s@]+$/, { error: 'must be an address that starts with https:// and has no user name' })
      .optional()
      .describe('The address of an HTTP store for passes, instead of a git remote.'),
    share: choice('off', 'ask', 'auto').describe(
      'When a run shares the passes that its reviewers gave. With `auto`, after every run. With `ask`, after you agree in the terminal. With `off`, only if the run has the option --share.',
    ),
    signers: z
      .string()
      .min(1)
      .default(DEFAULT_SIGNERS)
      .describe(
        'The path of the signers file, which lists the keys whose signed passes count. The file has the format of OpenSSH allowed_signers.',
      ),
    accept: z
      .array(z.enum(['new', 'resumed']))
      .min(1)
      .default(['new', 'resumed'])
      .describe(
        'The kinds of sessions whose passes count. For example, with `new` alone, only passes from new sessions count.',
      ),
    max_age: z
      .string()
      .regex(/^[1-9]\d{0,3}d$/, { error: 'must be a number of days, such as 30d' })
      .default('30d')
      .describe('The maximum age of a pass. Older passes do not count.'),
    min_signers: z
      .int()
      .min(1)
      .max(10)
      .default(1)
      .describe('The number of people who must have signed a pass, each with their own key.'),
    never_for: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Globs of files for which passes of other clones never count. If such a file has changed, its gates run in this clone.',
      ),
    audit: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('The share of accepted passes that onceover reviews a second time, such as 0.05.'),
  })
  .describe(
    'The settings for sharing passes between clones. onceover reads these settings and the signers file from the base branch. Without these settings, passes stay in the clone.',
  );

/** The schema of `onceover.yml`. */
export const settingsSchema = z
  .strictObject({
    version: z.literal(1).default(1).describe('The version of the file format.'),
    base: z
      .string()
      .min(1)
      .optional()
      .describe('The base branch. The change under review is everything that differs from the base branch.'),
    agents: agentNames.optional().describe('The names of the agents, in order of preference.'),
    concurrency: z.int().min(1).max(64).default(4).describe('The maximum number of calls to agents at the same time.'),
    timeout: seconds.default(1200).describe('The timeout in seconds of each call to an agent and of each check.'),
    idle_timeout: seconds
      .default(180)
      .describe('onceover ends a call if the agent prints nothing for this many seconds.'),
    log_dir: z
      .string()
      .min(1)
      .default(DEFAULT_LOG_DIR)
      .describe('The folder in the repository in which onceover stores the results of runs.'),
    max_retries: z
      .int()
      .min(0)
      .max(1000)
      .default(3)
      .describe(
        'How often onceover repeats a failed review without progress, which means that the code is the same and no finding was closed. After this number of repetitions, the review waits for a change.',
      ),
    rerun_new_issue_threshold: priority
      .default('low')
      .describe(
        'In the second and later reviews by a reviewer, new findings with a priority below this value are warnings. Warnings do not fail the gate.',
      ),
    fail_on: priority
      .default('low')
      .describe('Findings with a priority below this value are warnings. Warnings do not fail the gate.'),
    cache: choice('content', 'strict').describe(
      'How long a review stays marked as passed by mark_review_as_passed. With `content`, until one of its files changes. With `strict`, until one of its files, its rule, its paths or its context changes.',
    ),
    certify: off.describe(
      'If true, every reviewer that onceover skipped reviews the final code before the run passes.',
    ),
    after_pass: choice('latch', 'all').describe(
      'Which reviewers run after a review has passed and the code changes. With `latch`, only reviewer 1 runs. With `all`, every reviewer runs.',
    ),
    unchanged_gates: choice('run', 'rest').describe(
      'What a run does with gates whose files have not changed. With `rest`, the run skips gates that passed, and shows the findings of gates that failed. With `run`, the run repeats reviews that failed; if any gate has to run, the run also repeats the gates that passed.',
    ),
    final_validation: choice('all', 'changed').describe(
      'Only for onceover phase: which reviewers review again at the end. With `all`, every reviewer reviews again. With `changed`, only the reviewers that have not seen the current code review again.',
    ),
    delta_guard: choice('auto', 'prompt', 'effective').describe(
      'Only for onceover phase: how long the prompt of a resumed session may be. With `prompt`, half as long as the first prompt of the session. With `effective`, half as long as the first prompt and the files that a new session reads, together. With `auto`, the limit is `prompt` for reviewers whose prompt contains the document, and `effective` for all other reviewers.',
    ),
    resume_when_cold: z
      .boolean()
      .default(true)
      .describe(
        'Only for onceover phase. If false, onceover starts a new session when the cache of the old session has expired and a new session is cheaper.',
      ),
    cache_ttl: choice('auto', '5m', '1h').describe(
      'Only for Claude Code: how long the provider caches prompts. With `auto`, onceover chooses the cheaper time, based on the pauses between past reviews in this repository.',
    ),
    share_reading: choice('reviews', 'all', 'off').describe(
      'Whether one session reads the files for several reviewers, who then continue in copies of this session. onceover shares a session only if the agent can copy sessions and copies are cheaper. With `reviews`, only reviewers of different reviews share a session. With `all`, reviewers of the same review share a session too, and are less independent. With `off`, every reviewer reads the files in its own session.',
    ),
    recheck_domain: off.describe(
      'Only for onceover phase. If true, the reviewer of the document also reviews the changes that the reviewer `phase-reviewer` required.',
    ),
    trust_marks: off.describe(
      'If true, a review counts as passed in a run if mark_review_as_passed marked it as passed. onceover does not verify such marks.',
    ),
    convergence: z
      .strictObject({
        unchanged_code: choice('block', 'must_fix_only').describe(
          'What happens to a new finding whose lines have not changed since an earlier review by the same reviewer. With `block`, the finding fails the gate. With `must_fix_only`, a finding with a priority below high is only a warning.',
        ),
        ratchet: z
          .union([z.boolean(), z.enum(['on', 'off'])])
          .optional()
          .describe('Has no effect any more. onceover accepts it and shows a warning; delete it.'),
      })
      .prefault({})
      .describe('Rules that limit new findings about old code in later reviews.'),
    waivers: z
      .strictObject({
        who: choice('people', 'anyone').describe(
          'Whose waivers count. With `people`, the waiver of an agent is a proposal until a person confirms the waiver. With `anyone`, the waivers of agents count too.',
        ),
        signers: z
          .string()
          .min(1)
          .optional()
          .describe(
            'The path of a file with the keys of people whose signed waivers count in every clone. The file has the same format as passes.signers. Without this setting, a waiver counts only in the clone where it was made.',
          ),
      })
      .prefault({})
      .describe('Rules for waivers. A waiver is the decision that a finding needs no fix.'),
    passes: passesSchema.optional(),
    budget: z
      .strictObject({
        usd: z
          .number()
          .positive()
          .optional()
          .describe('The limit in US dollars. Only calls whose agent reports a price count.'),
        dispatches: z
          .int()
          .min(1)
          .optional()
          .describe('The limit on the number of calls to agents, including retries.'),
      })
      .prefault({})
      .describe('Limits on the cost of one run, or of one loop of reviews and fixes.'),
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
    const agentNames = new Set<string>(AGENT_NAMES);
    for (const [agent, agentSettings] of Object.entries(settings.agent)) {
      checkApi(agentSettings, (key, message) => wrong(['agent', agent, ...(key === null ? [] : [key])], message));
      if (agentSettings.command !== undefined || agentSettings.api !== undefined || agentSettings.acp !== undefined)
        agentNames.add(agent);
      else if (!agentNames.has(agent))
        wrong(
          ['agent', agent],
          `is not a known agent (${AGENT_NAMES.join(', ')}), so it needs a command, an acp or an api`,
        );
    }
    const checkAgents = (agents: readonly string[] | undefined, path: PropertyKey[]) => {
      for (const [i, agent] of (agents ?? []).entries()) {
        if (agentNames.has(agent)) continue;
        const near = didYouMean(agent, [...agentNames]);
        wrong([...path, i], `names the agent "${agent}", which is neither known nor defined under agent${near}`);
      }
    };
    const checkPath = (path: string, at: PropertyKey[]) => {
      const relativePath = repoPath(path);
      if (relativePath === null || relativePath === '' || relativePath.split('/').includes('.git'))
        wrong(at, 'must be a path inside the repository, relative to its root');
    };
    const checkGlob = (glob: string, at: PropertyKey[]) => {
      const compiledGlob = glob === '.' ? null : compileGlob(glob, '');
      if (compiledGlob?.ok === false) wrong(at, compiledGlob.said, { glob });
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
function checkApi(agent: z.output<typeof agentSchema>, wrong: (key: string | null, message: string) => void): void {
  if (agent.acp !== undefined) {
    for (const key of ['command', 'path', 'resume', 'sandbox'] as const) {
      if (agent[key] !== undefined && agent[key] !== false) wrong(key, 'is not for agents with acp');
    }
  }
  if (agent.api === undefined) {
    for (const key of API_ONLY)
      if (agent[key] !== undefined) wrong(key, 'needs api: anthropic or api: openai beside it');
    return;
  }
  for (const key of PROGRAM_ONLY) {
    if (agent[key] !== undefined && agent[key] !== false) wrong(key, 'is for agents that are programs, not for api');
  }
  if (Object.keys(agent.env).length > 0) wrong('env', 'is for agents that are programs, not for api');
  if (agent.model === undefined) wrong(null, 'needs a model, because it has an api');
  if (agent.api !== 'openai' && agent.endpoint !== undefined) wrong('endpoint', 'needs api: openai');
  if (agent.api !== 'openai' && agent.tier === 'flex') wrong('tier', 'can be flex only with api: openai');
  for (const header of Object.keys(agent.headers ?? {})) {
    if (HEADER_OF_KEY.test(header))
      wrong('headers', `must not contain "${header}"; name the variable with the key in key`);
  }
}

/** The content of an `onceover.yml` after parsing, with defaults. */
export type SettingsFile = z.output<typeof settingsSchema>;
