import * as z from 'zod';
import { AGENT_NAMES } from '../domain/agent.ts';
import { PRIORITIES } from '../domain/finding.ts';
import { USUAL_LOG_DIR } from '../domain/generated.ts';
import { didYouMean } from '../text/did-you-mean.ts';

const priority = z.enum(PRIORITIES);
const seconds = z.int().min(1).max(86_400);
const agentNames = z.array(z.string().min(1)).min(1);
// Names become parts of file names and ids.
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
  error: 'names start with a letter or digit and have only letters, digits, ".", "_" and "-"',
});

/** The name of a model is an argument of an agent's program: it must not be able to be an option. */
export const modelName = z.string().min(1).regex(/^[^-]/, { error: 'the name of a model does not begin with "-"' });

const agentSchema = z.strictObject({
  model: modelName.optional().describe('The model to ask for.'),
  command: z.array(z.string().min(1)).min(1).optional().describe('Program and arguments of an agent of your own.'),
  path: z.string().min(1).optional().describe('Where a known agent is installed, if not on PATH.'),
  resume: z.boolean().optional().describe('The command can be resumed with ONCEOVER_SESSION.'),
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables for this agent.'),
  sandbox: z.boolean().default(false).describe('Run the command where it cannot write.'),
  timeout: seconds.optional().describe('Seconds for a dispatch to this agent.'),
});

const checkSchema = z.strictObject({
  run: z.string().min(1).describe('A shell command; exit code 0 is a pass.'),
  timeout: seconds.optional().describe('Seconds that it may take.'),
});

const reviewSchema = z.strictObject({
  prompt: z.string().min(1).describe('A Markdown file with what to look for.'),
  num_reviews: z.int().min(1).max(20).default(1).describe('How many reviewers (slots) answer it.'),
  agents: agentNames.optional().describe('Preference for this review; slot k gets the k-th, round and round.'),
  timeout: seconds.optional().describe('Seconds for a dispatch; it wins over that of an agent.'),
});

const entrySchema = z
  .strictObject({
    path: z.string().min(1).describe('".", a folder, "packages/*", or a glob.'),
    exclude: z.array(z.string().min(1)).default([]).describe('Globs left out of activation and diff.'),
    checks: z.record(name, checkSchema).default({}).describe('Commands that must end with exit code 0.'),
    reviews: z.record(name, reviewSchema).default({}).describe('What reviewers look for.'),
  })
  .describe('An entry point: gates that run when something under its path changed.');

/** `onceover.yml` as people write it. */
export const settingsSchema = z
  .strictObject({
    version: z.literal(1).default(1).describe('Version of this format.'),
    base: z.string().min(1).optional().describe('Branch that a change is measured from.'),
    agents: agentNames.optional().describe('Agents in order of preference.'),
    concurrency: z.int().min(1).max(64).default(4).describe('Dispatches at once.'),
    timeout: seconds.default(1200).describe('Seconds for a dispatch or a check.'),
    idle_timeout: seconds.default(180).describe('Seconds without any event.'),
    log_dir: z.string().min(1).default(USUAL_LOG_DIR).describe('Folder of the records, inside the repository.'),
    max_retries: z
      .int()
      .min(0)
      .max(1000)
      .default(3)
      .describe('Failing iterations in a row before a person must act, less one.'),
    rerun_new_issue_threshold: priority
      .default('low')
      .describe('On a rerun, new findings below it do not fail the gate.'),
    fail_on: priority.default('low').describe('Findings below it only warn.'),
    cache: z
      .enum(['content', 'strict'])
      .default('content')
      .describe('strict: rule text, paths and context must be the same too.'),
    certify: z.boolean().default(false).describe('Before exit 0, resting slots whose content differs look once more.'),
    after_pass: z
      .enum(['latch', 'all'])
      .default('latch')
      .describe('all: after a gate held, all its slots see a new change.'),
    unchanged_gates: z
      .enum(['run', 'rest'])
      .default('run')
      .describe('rest: gates that hold are left out of iterations.'),
    final_validation: z
      .enum(['all', 'changed'])
      .default('all')
      .describe('Phases. changed: at the end only reviewers look whose last look is older than the code.'),
    delta_guard: z
      .enum(['prompt', 'effective'])
      .default('prompt')
      .describe(
        'Phases. effective: whether a change is too long to resume with counts also what a fresh reviewer has to read.',
      ),
    resume_when_cold: z
      .boolean()
      .default(true)
      .describe('Phases. false: go fresh where the cache has expired and fresh is cheaper.'),
    cache_ttl: z
      .enum(['auto', '5m', '1h'])
      .default('auto')
      .describe('How long Claude Code is to keep prompts in the cache; auto: by the pauses between looks.'),
    recheck_domain: z
      .boolean()
      .default(false)
      .describe('Phases. The first reviewer sees what the second one had changed.'),
    trust_marks: z.boolean().default(false).describe('A run accepts passes set by mark_review_as_passed.'),
    budget: z
      .strictObject({
        usd: z.number().positive().optional().describe('Dollars; counts only what agents tell the price of.'),
        dispatches: z.int().min(1).optional().describe('Dispatches, those that ask once more among them.'),
      })
      .prefault({})
      .describe('For one run or loop.'),
    agent: z
      .record(name, agentSchema)
      .default({})
      .describe('Settings by agent; a new name with a command defines one.'),
    gates: z.array(entrySchema).default([]).describe('Entry points with their checks and reviews.'),
  })
  .describe('Settings and gates of onceover.')
  .superRefine((settings, context) => {
    const known = new Set<string>(AGENT_NAMES);
    for (const [agent, own] of Object.entries(settings.agent)) {
      if (own.command !== undefined) known.add(agent);
      else if (!known.has(agent)) {
        context.addIssue({
          code: 'custom',
          path: ['agent', agent],
          message: `is no agent that onceover knows (${AGENT_NAMES.join(', ')}), so it needs a command`,
        });
      }
    }
    const check = (agents: readonly string[] | undefined, path: PropertyKey[]) => {
      for (const [i, agent] of (agents ?? []).entries()) {
        if (known.has(agent)) continue;
        context.addIssue({
          code: 'custom',
          path: [...path, i],
          message: `names the agent "${agent}", which is neither known nor defined under agent${didYouMean(agent, [...known])}`,
        });
      }
    };
    check(settings.agents, ['agents']);
    const ids = new Set<string>();
    for (const [i, entry] of settings.gates.entries()) {
      for (const [review, own] of Object.entries(entry.reviews))
        check(own.agents, ['gates', i, 'reviews', review, 'agents']);
      for (const kind of ['checks', 'reviews'] as const) {
        for (const gate of Object.keys(entry[kind])) {
          const id = `${kind} ${entry.path.replace(/^(?:\.\/)+|\/+$/g, '') || '.'} ${gate}`;
          if (ids.has(id)) {
            const message = `is defined twice for the path "${entry.path}"; give one of them another name`;
            context.addIssue({ code: 'custom', path: ['gates', i, kind, gate], message });
          }
          ids.add(id);
        }
      }
      if (Object.keys(entry.checks).length + Object.keys(entry.reviews).length === 0) {
        context.addIssue({
          code: 'custom',
          path: ['gates', i],
          message: 'has neither checks nor reviews',
          params: { misses: ['checks', 'reviews'] },
        });
      }
    }
  });

/** What the schema gives once defaults are in. */
export type WrittenSettings = z.output<typeof settingsSchema>;
