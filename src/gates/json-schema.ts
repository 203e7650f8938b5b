import * as z from 'zod';
import { PRIORITIES } from '../config/settings.ts';
import { errorSchema, usage } from '../kernel/json-schema.ts';
import { RUN_STATUSES } from '../ledger/entries.ts';
import { agreement } from '../ledger/json-schema.ts';
import { LOOP_ENDS } from './run-types.ts';
import { FINDING_STATES } from './types.ts';

const slot = z.object({
  slot: z.number(),
  agent: z.string().nullable(),
  status: z.enum(['pass', 'fail', 'error', 'skipped_prior_pass', 'not_run']),
  dispatch: z.enum(['fresh', 'resumed', 'none']),
  why: z.string(),
  pass_iteration: z.number().nullable(),
  usage,
  detail: z.string().describe('The reason as text.'),
  accepted: z
    .object({
      by: z.array(z.string()).describe('The people who signed the pass, as the signers file names them.'),
      at: z.string().describe('When the reviewer passed the code.'),
      agent: z.string(),
      model: z.string().nullable(),
      session: z.enum(['new', 'resumed']).describe('Whether the reviewer had a new or a resumed session.'),
      waived: z.number().describe('The number of findings that people waived.'),
    })
    .nullable()
    .describe('The pass of another clone by which the reviewer counts as passed; null if there is none.'),
  not_accepted: z
    .object({
      why: z.string().describe('The reason as a word, such as unknown-signer.'),
      detail: z.string().describe('The reason as text.'),
    })
    .nullable()
    .describe('Why no pass of another clone was accepted; null if one was, or if none was looked up.'),
});

const gate = z.object({
  id: z.string(),
  kind: z.enum(['check', 'review', 'rule']),
  status: z.enum(['pass', 'fail', 'error', 'holds', 'not_run']),
  why: z.string(),
  detail: z.string().describe('The reason as text.'),
  slots: z.array(slot),
  output: z.string().optional().describe('The last lines of the output of a check.'),
  would_do: z
    .array(z.string())
    .optional()
    .describe('With --dry-run: what a run would do with the gate, in words; empty if it would skip the gate.'),
});

const actor = z.object({ kind: z.enum(['person', 'agent']), name: z.string() });

const closing = z.object({
  how: z
    .enum(['fixed', 'withdrawn', 'silent'])
    .describe('"silent": the code changed, and the reviewer did not report the finding again.'),
  why: z.string(),
  iteration: z.number(),
});

export const findingSchema = z.object({
  id: z.string(),
  gate: z.string(),
  slot: z.number(),
  file: z.string().nullable(),
  line: z.number().nullable(),
  code: z.string().nullable(),
  anchor: z
    .object({ text: z.string(), occurrence: z.number() })
    .nullable()
    .describe('The text that the finding points at, with the number of its occurrence in the file; null if unknown.'),
  fingerprint: z
    .string()
    .describe(
      'The identity of the finding: a digest of gate, file, anchor and occurrence. Wording does not change it.',
    ),
  agent: z.string().describe('The agent that reported the finding.'),
  issue: z.string(),
  fix: z.string().nullable(),
  priority: z.enum(PRIORITIES),
  state: z.enum(FINDING_STATES),
  since: z
    .number()
    .describe('The number of the run that first reported the finding. The records of that run may be archived.'),
  mark: z
    .string()
    .nullable()
    .describe('What is wrong with the place of the finding, such as a line that does not exist; null if nothing is.'),
  why: z.string().nullable().describe('The reason that was given with resolve; null if there is none.'),
  answer: z
    .enum(['fixed', 'skipped', 'refuted', 'proposed'])
    .nullable()
    .describe('What was answered with resolve. A proposed waiver counts only after a person confirms it.'),
  by: actor.nullable().describe('Who gave the answer; null if there is none.'),
  closed: closing.nullable().describe('How the reviewer closed the finding; null if it did not.'),
  proposed_by: actor.nullable().describe('Who proposed the waiver that a person confirmed; else null.'),
  same_code: z
    .array(z.string())
    .optional()
    .describe(
      'The ids of findings of other reviewers about the same code. They are shown as one and answered together.',
    ),
  seen_before: z
    .number()
    .optional()
    .describe(
      'Only with convergence, for a warning: how many earlier reviews of the reviewer there are. The lines are unchanged since the last of them.',
    ),
  contested: z
    .literal(true)
    .optional()
    .describe('The reviewer closed the finding and reported it again too often. It stays open until a person decides.'),
});

const fix = z
  .object({
    agent: z.string(),
    dispatch: z.enum(['fresh', 'resumed']),
    summary: z.string().describe('The summary of the fixer.'),
    fixed: z
      .array(z.string())
      .describe('Findings that the fixer marked as fixed; they stay open until a reviewer confirms the fix.'),
    declined: z.array(z.string()).describe('Findings that the fixer proposes to waive.'),
    files_changed: z.number(),
    usage,
    failure: z.string().nullable().describe('The reason why the fixer gave no answer; null if it gave one.'),
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
      let_be: z
        .array(z.string())
        .describe('New findings that --ratchet tolerates. A run without --ratchet reports them as open.'),
      nothing_left: z.array(z.string()).describe('Gates that failed before and have nothing left to review.'),
      closed: z.number(),
      added: z.number(),
      dispatches: z.number().describe('The number of calls for the review, without the fix.'),
      usage,
      fix: fix.describe('The fix that followed; null if no fixer was called.'),
    }),
  ),
});

/** The schema of the JSON result of `run --json`, `status --json` and `get_run`. */
export const runSchema = z.object({
  status: z.enum(RUN_STATUSES),
  iteration: z
    .number()
    .nullable()
    .describe('The number of the run; null if nothing ran, or a failed check stopped it before the reviews.'),
  gates: z.array(gate),
  not_asked: z.array(z.string()).describe('Gates that cover a changed file, but were not selected for this run.'),
  findings: z.array(findingSchema),
  settled: z
    .array(findingSchema)
    .describe('Findings of these gates that earlier runs closed or that no longer apply, newest first; at most 500.'),
  uncovered_files: z.array(z.string()).describe('Changed files that no review covers.'),
  withheld_files: z.array(z.string()).describe('Untracked files and repositories that no reviewer saw.'),
  usage,
  saved: z
    .object({ pass: z.number(), slot: z.number(), session: z.number(), prefix: z.number(), reading: z.number() })
    .describe('Estimated tokens saved, by kind of reuse.'),
  scope: z.string(),
  base: z.string().nullable(),
  commit: z.string().nullable().describe('The commit at HEAD; null if there is none, or with --commit.'),
  exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  dispatches: z.number().describe('The number of calls to agents, including retries.'),
  retries: z.number().describe('How many of the calls are requests that agents repeated by themselves.'),
  shared: z
    .object({
      passes: z.number().describe('The number of passes.'),
      waivers: z.number().describe('The number of waivers.'),
    })
    .nullable()
    .describe('How many passes and waivers the run sent to other clones; null if it sent none.'),
  warnings: z.array(z.string()),
  loop: loop.optional().describe('With --until-pass: every review, with the fix that followed it.'),
  proofs: z
    .array(
      z.object({
        gate: z.string().describe('The id of the gate.'),
        text: z.string().describe('The result of the proof in one line.'),
        stale: z.enum(['prompt', 'agents']).nullable().describe('What changed since the proof; null if nothing did.'),
      }),
    )
    .optional()
    .describe('In status: what the last "onceover prove" showed for each gate.'),
  agreement: agreement.optional().describe('In status: how often audits agreed with accepted passes.'),
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
    cache: z
      .object({
        idle_ms: z.number().describe("The time since the session's last call."),
        life_minutes: z.number().describe('How long onceover assumed that the provider caches the session.'),
        life_from: z.enum(['table', 'measured']).describe('Whether the table of cache rules or a measurement says so.'),
        hit: z.boolean().nullable().describe('Whether the session was still cached; null if unknown.'),
        estimate_new: z.number().nullable().describe('Estimated cost of a new session; null before expiry.'),
        estimate_resumed: z.number().nullable().describe('Estimated cost of resuming it, in the same weighted tokens.'),
      })
      .optional()
      .describe("What onceover assumed about the provider's cache; left out if there was no session to resume."),
    opened: z.array(z.string()).optional().describe('The files that the reviewer opened itself; left out if unknown.'),
    handed: z.array(z.string()).optional().describe('Files that the prompt showed as a whole.'),
    reading: z
      .object({
        leader: z.string().describe('The reviewer that the calls of the reading are counted for.'),
        session: z.string().describe('The session that the reviewer forked.'),
        opened: z.array(z.string()).describe('The files that this session opened for all its reviewers.'),
      })
      .optional()
      .describe('The shared reading that the reviewer started from; left out if it shared none.'),
  }),
);

const fixes = z
  .array(
    z.object({
      agent: z.string(),
      iteration: z.number().describe('The number of the run before the fix.'),
      said: z.array(z.string()).describe('The result of the fix, as lines of text.'),
      log: z.string().describe('The path of the log with all prompts and answers, relative to the repository root.'),
    }),
  )
  .describe('Fixes by --until-pass, newest first.');

const runsAgain = z.array(z.string()).describe('The events that make it run again, as text.');

/** The schema of the JSON result of `explain --json` about a gate, a check, a reviewer or a finding. */
export const runExplanationSchema = z.discriminatedUnion('about', [
  z.object({
    about: z.literal('gate'),
    gate,
    files: z.array(z.string()),
    prompt: z.string().nullable(),
    proof: z.string().nullable().describe('What the last "onceover prove" showed; null without a proof.'),
    would_do: z.array(z.string()),
    findings: z.array(findingSchema).describe('The findings of the gate that are open, warnings or waived.'),
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
    findings: z.array(findingSchema).describe('The findings of the gate that are open, warnings or waived.'),
    history,
    log: z.string().nullable(),
    runs_again: runsAgain,
  }),
  z
    .object({ about: z.literal('idle_gate'), gate: z.string(), base: z.string().nullable(), runs_again: runsAgain })
    .describe('A configured gate with nothing to review.'),
  z.object({
    about: z.literal('finding'),
    finding: findingSchema,
    would_be_asked: z.boolean().describe('Whether a run would call the reviewer of the finding now.'),
    would_change_it: z.array(z.string()),
    fixes,
  }),
]);

/** The schema of the JSON result of `resolve` for several findings. */
export const resolvedSchema = z.object({ findings: z.array(findingSchema) });

export const cleanSchema = z.object({ archived_iterations: z.number(), open_findings: z.array(z.string()) });

export const trustSchema = z.object({ trusted_commands: z.array(z.string()) });

export const snoozeSchema = z.object({
  snoozed_until: z
    .string()
    .nullable()
    .describe('The time until which the stop hook is off; null if the hook is active.'),
});

/** The schema of the JSON result of `start_run`, and of `get_run` while the run goes on. */
export const startedRunSchema = z.object({
  run_id: z.string(),
  state: z.enum(['running', 'done', 'died']),
  progress: z.array(z.string()).describe('The last lines of progress.'),
  run: runSchema.nullable().describe('The result, once the run has ended.'),
  error: errorSchema.shape.error.nullable(),
  next: z.string().describe('The next step.'),
});
