import { RUN_STATUSES } from '@onceover/agents/ledger/entries';
import { agreement } from '@onceover/agents/ledger/json-schema';
import { errorSchema, usage } from '@onceover/base/kernel/json-schema';
import { PRIORITIES } from '@onceover/repo/config/settings';
import * as z from 'zod';
import { FINDING_STATES } from '../findings/types.ts';
import { LOOP_ENDS } from './types.ts';

const slot = z.object({
  slot: z.number(),
  agent: z.string().nullable(),
  status: z.enum(['pass', 'fail', 'error', 'skipped_prior_pass', 'not_run']),
  dispatch: z.enum(['fresh', 'resumed', 'none']),
  why: z.string(),
  pass_iteration: z.number().nullable(),
  usage,
  detail: z.string().describe('Why the reviewer ran or was skipped, as text.'),
  accepted: z
    .object({
      by: z.array(z.string()).describe('The people who signed the pass, as the signers file names them.'),
      at: z.string().describe('The time at which the reviewer passed the code.'),
      agent: z.string(),
      model: z.string().nullable(),
      session: z.enum(['new', 'resumed']).describe('Whether the reviewer had a new or a resumed session.'),
      waived: z.number().describe('The number of findings that people had waived before the pass.'),
    })
    .nullable()
    .describe('The pass of another clone that counts for this reviewer; null if there is none.'),
  not_accepted: z
    .object({
      why: z
        .string()
        .describe(
          'The reason why onceover used no pass, as a word, such as unknown-signer. With `repeated`, a pass counts, but the reviewer ran too.',
        ),
      detail: z.string().describe('The reason why onceover used no pass, as text.'),
    })
    .nullable()
    .describe(
      'Why onceover used no pass of another clone for this reviewer; null if it used a pass or did not look for one.',
    ),
});

const gate = z.object({
  id: z.string(),
  kind: z.enum(['check', 'review', 'rule']),
  status: z.enum(['pass', 'fail', 'error', 'holds', 'not_run']),
  why: z.string(),
  detail: z.string().describe('Why the gate has its status, as text.'),
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
    .describe(
      'How the reviewer closed the finding. With `silent`, the code changed and the reviewer did not report the finding again.',
    ),
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
    .describe(
      'The text in the file that the finding is about, and which occurrence of this text is meant; null if this is not known.',
    ),
  fingerprint: z
    .string()
    .describe(
      'A hash that identifies the finding, made from its gate, its file, its code and the occurrence of the code. The hash does not depend on how the reviewer words the finding.',
    ),
  agent: z.string().describe('The agent that reported the finding.'),
  issue: z.string(),
  fix: z.string().nullable(),
  priority: z.enum(PRIORITIES),
  state: z.enum(FINDING_STATES),
  since: z.number().describe('The number of the run that first reported the finding.'),
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
  closed: closing.nullable().describe('How the reviewer closed the finding; null if the reviewer did not close it.'),
  proposed_by: actor.nullable().describe('Who proposed the waiver that a person confirmed; else null.'),
  same_code: z
    .array(z.string())
    .optional()
    .describe(
      'The ids of findings that other reviewers reported about the same code. onceover shows such findings as one finding, and an answer to one of them applies to all.',
    ),
  seen_before: z
    .number()
    .optional()
    .describe(
      'For a warning, and only with the setting `convergence`: the number of earlier reviews by this reviewer. The lines of the finding have not changed since the last of these reviews.',
    ),
  contested: z
    .literal(true)
    .optional()
    .describe(
      'Present if the reviewer closed this finding and reported it again too often. A contested finding stays open until a person decides.',
    ),
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
    .describe(
      'The number of the run. The field is null if nothing ran, or if a failed check stopped the run before the reviews.',
    ),
  gates: z.array(gate),
  not_asked: z.array(z.string()).describe('Gates that cover a changed file, but were not selected for this run.'),
  findings: z.array(findingSchema),
  settled: z
    .array(findingSchema)
    .describe(
      'Findings that earlier runs closed or that no longer apply, for the gates in `gates`. The list is sorted from new to old and has at most 500 items.',
    ),
  uncovered_files: z.array(z.string()).describe('Changed files that no review covers.'),
  withheld_files: z.array(z.string()).describe('Untracked files and repositories that no reviewer saw.'),
  usage,
  saved: z
    .object({ pass: z.number(), slot: z.number(), session: z.number(), prefix: z.number(), reading: z.number() })
    .describe('Estimated tokens saved, by kind of reuse.'),
  scope: z.string(),
  base: z.string().nullable(),
  commit: z
    .string()
    .nullable()
    .describe(
      'The commit at HEAD. The field is null if the branch has no commit yet, or if the run has the option --commit.',
    ),
  pull_request: z
    .object({
      head: z
        .string()
        .nullable()
        .describe('The newest commit of the pull request when the CI job started; null if CI does not name it.'),
      head_repository: z
        .string()
        .nullable()
        .describe(
          'The repository of the branch: its name on GitHub, its number on GitLab; null if CI does not name it.',
        ),
      repository: z
        .string()
        .nullable()
        .describe('The repository of the pull request: its name on GitHub, its number on GitLab.'),
      base: z.string().describe('The target branch.'),
      base_commit: z
        .string()
        .describe('The newest commit of the target branch in this clone, from which onceover read the settings.'),
    })
    .nullable()
    .optional()
    .describe(
      'In CI, the pull request that the run reviewed; null if the run did not review one. Documents of older versions do not have this field.',
    ),
  exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  dispatches: z.number().describe('The number of calls to agents, including retries.'),
  retries: z.number().describe('The number of calls that agents made because they repeated a request by themselves.'),
  shared: z
    .object({
      passes: z.number().describe('The number of passes that the run sent to other clones.'),
      waivers: z.number().describe('The number of waivers that the run sent to other clones.'),
    })
    .nullable()
    .describe('How many passes and waivers this run sent to other clones; null if the run sent none.'),
  warnings: z.array(z.string()),
  loop: loop.optional().describe('With --until-pass: every review, with the fix that followed it.'),
  proofs: z
    .array(
      z.object({
        gate: z.string().describe('The id of the gate.'),
        text: z.string().describe('The result of the last "onceover prove" for this gate, in one line.'),
        stale: z
          .enum(['prompt', 'agents'])
          .nullable()
          .describe(
            'What changed after the last "onceover prove": the prompt of the gate or its agents; null if neither changed.',
          ),
      }),
    )
    .optional()
    .describe('Only from `onceover status`: the result of the last "onceover prove" for each gate.'),
  agreement: agreement
    .optional()
    .describe(
      'Only from `onceover status`: how often a second review agreed with the passes of other clones that onceover had accepted.',
    ),
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
        idle_ms: z.number().describe('The time between the last call of the session and this call, in milliseconds.'),
        life_minutes: z
          .number()
          .describe(
            'The number of minutes for which the provider keeps the session in its cache, as onceover assumed.',
          ),
        life_from: z
          .enum(['table', 'measured'])
          .describe(
            'Where the number of minutes comes from: from the table of cache rules in onceover, or from a measurement.',
          ),
        hit: z
          .boolean()
          .nullable()
          .describe("Whether the session was still in the provider's cache; null if this is not known."),
        estimate_new: z
          .number()
          .nullable()
          .describe('The estimated cost of a new session, in weighted tokens; null if the cache had not expired.'),
        estimate_resumed: z
          .number()
          .nullable()
          .describe(
            'The estimated cost of resuming the session, in weighted tokens; null if the cache had not expired.',
          ),
      })
      .optional()
      .describe(
        "What onceover assumed about the session in the provider's cache. The field is missing if there was no session to resume.",
      ),
    opened: z
      .array(z.string())
      .optional()
      .describe('The files that the reviewer opened itself; missing if onceover does not know them.'),
    handed: z.array(z.string()).optional().describe('The files whose whole text was in the prompt.'),
    reading: z
      .object({
        leader: z.string().describe('The reviewer to whose cost onceover adds the calls of the shared session.'),
        session: z.string().describe('The id of the shared session that the reviewer copied.'),
        opened: z.array(z.string()).describe('The files that the shared session opened for all its reviewers.'),
      })
      .optional()
      .describe(
        'The session that read files for several reviewers, if this reviewer started from a copy of such a session; otherwise missing.',
      ),
  }),
);

const fixes = z
  .array(
    z.object({
      agent: z.string(),
      iteration: z.number().describe('The number of the run before the fix.'),
      said: z.array(z.string()).describe('The result of the fix, as lines of text.'),
      log: z
        .string()
        .describe('The path of the log with all prompts and answers of the fix, relative to the repository root.'),
    }),
  )
  .describe('The fixes that an agent made in runs with --until-pass, newest first.');

const runsAgain = z.array(z.string()).describe('The events that make it run again, as text.');

/** The schema of the JSON result of `explain --json` about a gate, a check, a reviewer or a finding. */
export const runExplanationSchema = z.discriminatedUnion('about', [
  z.object({
    about: z.literal('gate'),
    gate,
    files: z.array(z.string()),
    prompt: z.string().nullable(),
    proof: z
      .string()
      .nullable()
      .describe('The result of the last "onceover prove" for this gate; null if there is none.'),
    would_do: z.array(z.string()),
    findings: z
      .array(findingSchema)
      .describe('The findings of the gate that are open, are only warnings or were waived.'),
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
    findings: z
      .array(findingSchema)
      .describe('The findings of the gate that are open, are only warnings or were waived.'),
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
  snoozed_until: z.string().nullable().describe('The time until which the stop hook is off; null if the hook is on.'),
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
