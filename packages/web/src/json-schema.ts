import { RUN_STATUSES } from '@onceover/agents/ledger/entries';
import { usage } from '@onceover/base/kernel/json-schema';
import { costSchema, featureCostSchema } from '@onceover/gates/cost/json-schema';
import { runExplanationSchema, runSchema } from '@onceover/gates/result/json-schema';
import { phaseSchema } from '@onceover/loops/phases/json-schema';
import { proveSchema } from '@onceover/prove/json';
import * as z from 'zod';

const time = z.string().describe('A time in UTC.');

const price = {
  cost_usd: z.number().nullable().describe('The price in US dollars; null if it is unknown.'),
  cost_source: z
    .enum(['agent', 'list'])
    .nullable()
    .describe('The source of the price. agent: the agent reported it. list: an estimate at list prices.'),
};

const pastCall = z.object({
  at: time.describe('The time at which the call or its run ended.'),
  kind: z.enum(['review', 'fix', 'loop', 'step', 'probe', 'proof']),
  name: z.string().describe('The gate and reviewer, the role of a review loop, or the step of a workflow.'),
  iteration: z.number().nullable().describe('The number of the run or round; null if there is none.'),
  branch: z.string().nullable(),
  agent: z.string(),
  model: z.string().nullable(),
  dispatch: z.enum(['fresh', 'resumed']),
  status: z.enum(['pass', 'fail', 'error', 'done']).nullable(),
  why: z.string().nullable(),
  requests: z.number().describe('The number of requests, including retries.'),
  usage,
  ...price,
  duration_ms: z.number(),
  transcript: z.string().nullable().describe('The id of the transcript; null if there is none.'),
});

const period = z.object({
  from: z.string().describe('The first day, as YYYY-MM-DD in UTC.'),
  runs: z.number(),
  calls: z.number(),
  priced_calls: z.number().describe('The number of calls with a known price.'),
  cost_usd: z.number(),
  tokens: z.number(),
  saved_tokens: z.number().describe('An estimate of the tokens that were not paid.'),
});

/** The schema of a clone's history, as HTML pages show it. It is made from the cost ledger. */
export const historySchema = z.object({
  runs: z.array(
    z.object({
      at: time,
      branch: z.string().nullable(),
      iteration: z.number().nullable().describe('The number of the run; null if nothing ran.'),
      status: z.enum(RUN_STATUSES),
      exit_code: z.number(),
      started_by: z.enum(['person', 'agent']),
      duration_ms: z.number(),
      calls: z.number(),
      tokens: z.number(),
      cost_usd: z.number().nullable().describe('The known prices; null if no price is known.'),
      saved_tokens: z.number(),
    }),
  ),
  calls: z.array(pastCall),
  days: z.array(period),
  weeks: z.array(period).describe('Weeks that start on Monday.'),
  gates: z.array(
    z.object({
      gate: z.string(),
      reviews: z.number(),
      passed: z.number(),
      failed: z.number(),
      errors: z.number(),
      flips: z.number().describe('How often the result changed between pass and fail from one run to the next.'),
      runs_until_pass: z.array(z.number()).describe('For each time the gate passed: the number of runs it took.'),
    }),
  ),
  unreadable_entries: z.number(),
});

export type HistoryDocument = z.output<typeof historySchema>;

const listedTranscript = {
  id: z
    .string()
    .describe('The gate, reviewer and run: "review:src:code-quality@1.2". Of a phase: its run, round and role.'),
  kind: z
    .enum(['review', 'check', 'fix', 'phase'])
    .describe('Whose call it is: of a review, a check, a fix or a phase.'),
  gate: z.string().describe('The gate; of a phase, its name and role; of a fix, the word "fix".'),
  slot: z.number().nullable().describe('The number of the reviewer; null if there is none.'),
  iteration: z.number().describe('The number of the run; of a phase, the round.'),
  agent: z.string().nullable(),
  status: z.string(),
  at: z.string(),
};

/** The schema of a review's transcript: what was sent, what the reviewer answered, and what it cost. */
export const transcriptSchema = z.object({
  ...listedTranscript,
  head: z.array(z.string()).describe('Why the reviewer ran.'),
  calls: z.array(
    z.object({
      agent: z.string(),
      mode: z.string().describe('fresh: a new session. resumed: the earlier session. repair: asked to answer again.'),
      stable: z.string().describe('The part of the prompt that is the same in several calls.'),
      dynamic: z.string().describe('The rest of the prompt.'),
      said: z.string(),
      usage,
      turns: z
        .array(z.object({ did: z.string(), usage }))
        .describe('Each request with the action that followed, and its tokens. Empty if the agent reports only sums.'),
      files_read: z.array(z.string()).nullable().describe('The files that the agent opened; null if unknown.'),
      notes: z.array(z.string()).describe('Retries and failures.'),
    }),
  ),
  result: z.array(z.string()).describe('The result, or the output of a check.'),
  cut: z.boolean().describe('Whether the end is missing because the log is too long.'),
});

export type TranscriptDocument = z.output<typeof transcriptSchema>;

const unseenLines = z
  .object({
    files: z.array(z.string()),
    added: z.number(),
    removed: z.number(),
    diff: z.string().nullable().describe('These lines as a diff; null if it is very long.'),
  })
  .nullable()
  .describe('The lines that changed since the reviewer passed; null if it saw the current code or they are unknown.');

const proof = z.object({
  gate: z.string(),
  content: z.string().describe('A hash over the changed files of the gate.'),
  files: z.array(z.string()),
  prompt: z.string(),
  slots: z.array(
    z.object({
      slot: z.number(),
      counts_as: z
        .enum(['passed', 'waived', 'accepted', 'marked', 'skipped'])
        .nullable()
        .describe('Why the reviewer counts as passed; null if it does not.'),
      agent: z.string().nullable(),
      at: z.string().nullable(),
      iteration: z.number().nullable(),
      dispatch: z.enum(['fresh', 'resumed', 'none']).nullable(),
      unseen: unseenLines,
    }),
  ),
});

const timeline = z.object({
  gate: z.string(),
  runs: z.array(
    z.object({
      iteration: z.number().nullable(),
      at: z.string(),
      cells: z.array(
        z.object({
          slot: z.number().nullable().describe('The reviewer; null for a check or for the whole gate.'),
          kind: z.enum(['fresh', 'resumed', 'skipped', 'cached', 'accepted', 'check', 'unknown']),
          status: z.enum(['pass', 'fail', 'error', 'skipped']),
          agent: z.string().nullable(),
          detail: z.string(),
          duration_ms: z.number().nullable(),
          findings: z.number(),
          transcript: z.string().nullable().describe('The id of the transcript; null if there is none.'),
        }),
      ),
    }),
  ),
});

/**
 * The schema of the data of an HTML page. It combines the JSON documents of other commands with data that only pages
 * show.
 */
export const pageSchema = z.object({
  page: z.enum(['run', 'status', 'cost', 'phase', 'prove']),
  made_at: time,
  version: z.string(),
  project: z.string().describe('The name of the folder of the working tree.'),
  branch: z.string().nullable(),
  verdict: z.array(z.string()).describe('The result in one line, then the next steps.'),
  run: runSchema.nullable().describe('The document of run or status.'),
  error: z.object({ kind: z.string(), message: z.string(), next: z.string() }).nullable(),
  proof: z.array(proof).describe('Why each review counts as passed.'),
  explanations: z.array(runExplanationSchema).describe('The documents of explain, one per gate.'),
  code: z
    .array(z.object({ finding: z.string(), first_line: z.number(), lines: z.array(z.string()) }))
    .describe('The code around findings.'),
  timelines: z.array(timeline),
  history: historySchema,
  cost: costSchema.nullable(),
  feature: featureCostSchema.nullable().describe('The document of cost for one feature.'),
  phase: phaseSchema.nullable(),
  prove: proveSchema.nullable().describe('The document of prove.'),
  logs: z.array(z.object(listedTranscript)).describe('All transcripts that can be opened, newest first.'),
  transcripts: z
    .array(transcriptSchema)
    .describe('The text of these transcripts. Empty in the live view, which reads them one by one.'),
  missing: z.array(z.string()).describe('Parts of the page that could not be read, with the reason.'),
});

export type PageDocument = z.output<typeof pageSchema>;

/** The schema of the differences between two reviews by the same reviewer. */
export const reviewDiffSchema = z.object({
  gate: z.string(),
  slot: z.number(),
  from: z.number().describe('The number of the earlier run.'),
  to: z.number(),
  fixed: z.array(z.string()).describe('Findings that only the earlier review reported.'),
  added: z.array(z.string()).describe('Findings that only the later review reported.'),
  kept: z.array(z.string()),
  findings: z
    .array(z.object({ id: z.string(), file: z.string(), issue: z.string() }))
    .describe('What these findings say.'),
  sections: z
    .array(z.object({ files: z.array(z.string()), text: z.string() }))
    .nullable()
    .describe('How the reviewed code changed between them; null if a snapshot no longer exists.'),
});

export type ReviewDiffDocument = z.output<typeof reviewDiffSchema>;

/** The schema of the events that the server sends to an open live view. */
export const liveSchema = z.object({
  stamp: z.string().describe('Changes if records, findings or the ledger change.'),
  run: z
    .object({
      id: z.string().nullable().describe('The id of a background run; null if another program started the run.'),
      since: z.string(),
      pid: z.number(),
      progress: z.array(z.string()).describe('The last events, one line each.'),
      title: z.string().nullable().describe('The number of the run, or the phase and its round; null at the start.'),
      steps: z.number().describe('The number of checks and reviewers of this run.'),
      ended: z.number().describe('How many of them have ended.'),
      failed: z.number().describe('How many of them have failed.'),
      tokens: z.number().describe('The tokens of the calls that have ended.'),
      working: z
        .array(
          z.object({
            name: z.string(),
            agent: z.string().nullable(),
            dispatch: z.string().nullable().describe('fresh: a new session. resumed: the earlier session.'),
            since: z.string(),
            doing: z.string().nullable().describe('The last action of the agent, or the command of a check.'),
            tokens: z.number().nullable(),
          }),
        )
        .describe('The checks, reviewers and fixers at work.'),
    })
    .nullable()
    .describe('The run in progress; null if none is.'),
  ended: z
    .object({ id: z.string(), error: z.string().nullable() })
    .nullable()
    .describe('The newest background run that has ended.'),
});

export type LiveDocument = z.output<typeof liveSchema>;

/** The schema of the server's state: its working trees, and whether a person or an agent uses it. */
export const sessionSchema = z.object({
  version: z.string(),
  worktrees: z.array(
    z.object({ id: z.string(), name: z.string(), branch: z.string().nullable(), current: z.boolean() }),
  ),
  person: z.boolean().describe('Whether answers count as those of a person. If not, a waiver is only a proposal.'),
});

export type SessionDocument = z.output<typeof sessionSchema>;

/** The schema of the JSON document of `ui --json`. */
export const uiSchema = z.object({
  address: z.string().describe('The link to open in your browser. The link contains the token that gives access.'),
  port: z.number(),
});
