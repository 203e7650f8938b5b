import * as z from 'zod';
import { FINDING_STATES, PRIORITIES } from '../domain/finding.ts';
import { LOOP_ENDS } from '../domain/loop.ts';
import { RUN_STATUSES } from '../domain/run.ts';
import { errorSchema } from './schemas.ts';

/** What a dispatch used. */
export const usage = z
  .object({
    input_tokens: z.number().describe('The part that came from no cache.'),
    cached_input_tokens: z.number(),
    cache_write_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z.number().nullable(),
  })
  .nullable();

const slot = z.object({
  slot: z.number(),
  agent: z.string().nullable(),
  status: z.enum(['pass', 'fail', 'error', 'skipped_prior_pass', 'not_run']),
  dispatch: z.enum(['fresh', 'resumed', 'none']),
  why: z.string(),
  pass_iteration: z.number().nullable(),
  usage,
  detail: z.string().describe('The reason in words.'),
});

const gate = z.object({
  id: z.string(),
  kind: z.enum(['check', 'review', 'rule']),
  status: z.enum(['pass', 'fail', 'error', 'holds', 'not_run']),
  why: z.string(),
  detail: z.string().describe('The reason in words.'),
  slots: z.array(slot),
  output: z.string().optional().describe('The end of what a check printed.'),
  would_do: z
    .array(z.string())
    .optional()
    .describe('With --dry-run: what a run would do with it now, in words; empty: it would leave it alone.'),
});

/** A finding in a document. */
export const findingSchema = z.object({
  id: z.string(),
  gate: z.string(),
  slot: z.number(),
  file: z.string().nullable(),
  line: z.number().nullable(),
  code: z.string().nullable(),
  issue: z.string(),
  fix: z.string().nullable(),
  priority: z.enum(PRIORITIES),
  state: z.enum(FINDING_STATES),
  since: z.number().describe('The iteration that reported it first.'),
  mark: z.string().nullable().describe('What is odd about where it points.'),
  why: z.string().nullable().describe('What was said of it with resolve.'),
});

const fix = z
  .object({
    agent: z.string(),
    dispatch: z.enum(['fresh', 'resumed']),
    summary: z.string().describe('What the fixer says that it did.'),
    fixed: z.array(z.string()).describe('Findings that it says are fixed; open until a reviewer confirms it.'),
    declined: z.array(z.string()).describe('Findings that it objects to; the reviewer decides.'),
    files_changed: z.number(),
    usage,
    failure: z.string().nullable().describe('Why it gave no answer.'),
  })
  .nullable();

const loop = z.object({
  end: z.enum(LOOP_ENDS),
  rounds: z.array(
    z.object({
      iteration: z.number().nullable(),
      status: z.string(),
      open: z.array(z.string()).describe('Findings that are open after this review.'),
      failing_checks: z.array(z.string()),
      let_be: z.array(z.string()).describe('New findings that --ratchet lets be; open for every other run.'),
      nothing_left: z.array(z.string()).describe('Gates that failed before and have nothing to look at any more.'),
      closed: z.number(),
      added: z.number(),
      dispatches: z.number().describe('Of the review alone.'),
      usage,
      fix: fix.describe('What was done about it; null: nobody was asked.'),
    }),
  ),
});

/** The document of `run --json`, `status --json` and `get_run`. */
export const runSchema = z.object({
  status: z.enum(RUN_STATUSES),
  iteration: z.number().nullable().describe('Null: nothing ran.'),
  gates: z.array(gate),
  not_asked: z.array(z.string()).describe('Gates of the change that this run was not asked about.'),
  findings: z.array(findingSchema),
  uncovered_files: z.array(z.string()).describe('Changed files that no review looks at.'),
  withheld_files: z.array(z.string()).describe('Untracked files and repositories that were shown to nobody.'),
  usage,
  saved: z
    .object({ pass: z.number(), slot: z.number(), session: z.number(), prefix: z.number() })
    .describe('Tokens not paid for, by lever; estimates.'),
  scope: z.string(),
  base: z.string().nullable(),
  exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  dispatches: z.number(),
  warnings: z.array(z.string()),
  loop: loop.optional().describe('With --until-pass: every review, and the fix that followed it.'),
});

const history = z.array(
  z.object({
    iteration: z.number(),
    slot: z.number(),
    agent: z.string(),
    status: z.enum(['pass', 'fail', 'error', 'skipped_prior_pass']),
    dispatch: z.string().nullable(),
    why: z.string().nullable(),
    findings: z.array(z.string()),
  }),
);

const fixes = z
  .array(
    z.object({
      agent: z.string(),
      iteration: z.number().describe('The iteration that it followed.'),
      said: z.array(z.string()).describe('What came of it, a line each.'),
      log: z.string().describe('Where all that was sent and said is, from the root.'),
    }),
  )
  .describe('What fixers of --until-pass did about it, newest first.');

const runsAgain = z.array(z.string()).describe('What makes it run again, each in words.');

/** The document of `explain --json` about a gate, a check, a slot or a finding. */
export const runExplanationSchema = z.discriminatedUnion('about', [
  z.object({
    about: z.literal('gate'),
    gate,
    files: z.array(z.string()),
    prompt: z.string().nullable(),
    would_do: z.array(z.string()),
    findings: z.array(findingSchema).describe('Those that count.'),
    history,
    fixes,
    runs_again: runsAgain,
  }),
  z.object({
    about: z.literal('check'),
    gate,
    command: z.string(),
    would_run: z.boolean(),
    history: z.array(
      z.object({
        iteration: z.number(),
        status: z.enum(['pass', 'fail', 'error']),
        exit_code: z.number().nullable(),
        duration_ms: z.number(),
        why: z.string().nullable(),
      }),
    ),
    fixes,
    log: z.string().nullable(),
    runs_again: runsAgain,
  }),
  z.object({
    about: z.literal('slot'),
    gate: z.string(),
    slot,
    would_do: z.array(z.string()),
    findings: z.array(findingSchema).describe('Those that count.'),
    history,
    log: z.string().nullable(),
    runs_again: runsAgain,
  }),
  z
    .object({ about: z.literal('idle_gate'), gate: z.string(), base: z.string().nullable(), runs_again: runsAgain })
    .describe('A configured gate that has nothing to look at.'),
  z.object({
    about: z.literal('finding'),
    finding: findingSchema,
    would_be_asked: z.boolean().describe('Whether a run would ask its slot now.'),
    would_change_it: z.array(z.string()),
    fixes,
  }),
]);

/** The document of `clean --json`. */
export const cleanSchema = z.object({ archived_iterations: z.number(), open_findings: z.array(z.string()) });

/** The document of `trust --json`. */
export const trustSchema = z.object({ trusted_commands: z.array(z.string()) });

/** The document of `hook snooze --json`. */
export const snoozeSchema = z.object({
  snoozed_until: z.string().nullable().describe('Until when agents may stop unjudged; null: the hook is awake.'),
});

/** What `start_run` and `get_run` answer with. */
export const startedRunSchema = z.object({
  run_id: z.string(),
  state: z.enum(['running', 'done', 'died']),
  progress: z.array(z.string()).describe('The last lines that the run has said.'),
  run: runSchema.nullable().describe('The result, once it is there.'),
  error: errorSchema.shape.error.nullable(),
  next: z.string().describe('What to do now.'),
});
