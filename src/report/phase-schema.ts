import * as z from 'zod';
import { PHASES, type PhaseEndReason, SEVERITIES } from '../domain/phase.ts';
import { REVIEWER_ROLES } from '../domain/role.ts';
import { usage } from './run-schema.ts';
import { errorSchema } from './schemas.ts';

const issue = z.object({
  severity: z.enum(SEVERITIES),
  level: z.string().nullable(),
  category: z.string().nullable(),
  description: z.string(),
  location: z.string().nullable(),
  suggestion: z.string().nullable(),
});

const openIssue = issue.extend({ role: z.enum(REVIEWER_ROLES) });

const dispatch = {
  agent: z.string(),
  dispatch: z.enum(['fresh', 'resumed']),
  why: z.string(),
  prompt_chars: z.number().describe('Characters sent, repairs and fallbacks among them.'),
  usage,
};

const marks = z.array(z.string()).describe('What the history remembers of it: fallbacks, guards, unconfirmed reads.');

const iteration = z.object({
  n: z.number().describe('Counted iterations of the loop; final validation has the number of the last one.'),
  round: z.number().describe('Numbers every round of the phase.'),
  final_validation: z.boolean(),
  ...dispatch,
  reviewer_approved: z.boolean().nullable().describe('What the reviewer said; null: it gave no verdict.'),
  engine_pass: z.boolean().describe('What counts: approved, and neither a blocker nor a warning.'),
  issues: z.array(issue),
  summary: z.string().nullable(),
  error: z.string().nullable().describe('Why there is no verdict.'),
  marks,
});

const loop = z.object({
  role: z.enum(REVIEWER_ROLES),
  iterations: z.array(iteration).describe('Every look of this reviewer.'),
  rested: z
    .array(z.object({ n: z.number(), round: z.number(), passed_at: z.number() }))
    .describe('Rounds in which it was not asked, and the iteration in which it had passed.'),
});

const fix = z.object({
  n: z.number(),
  round: z.number(),
  by: z.enum(['fixer', 'caller']),
  agent: z.string().nullable(),
  dispatch: z.enum(['fresh', 'resumed']).nullable(),
  why: z.string().nullable(),
  summary: z.string().nullable().describe('What was done, by the word of whoever did it; null: the fixer failed.'),
  prompt_chars: z.number(),
  usage,
  marks,
});

const preparation = z.object({
  role: z.enum(['code-simplifier', 'test-deepener']),
  part: z.enum(['A', 'B']).nullable(),
  agent: z.string(),
  summary: z.string(),
  usage,
});

/** Why a phase ended. */
const ENDS = [
  'approved',
  'accepted-with-notes',
  'cap',
  'stalled',
  'not-fixed',
  'reviewer-failed',
  'fixer-failed',
  'preparation-failed',
  'forbidden-edit',
  'artifact-missing',
  'artifact-empty',
  'artifact-unreadable',
  'disturbed',
  'interrupted',
  'budget',
  'trouble',
] as const satisfies readonly PhaseEndReason[];

/** The document of `phase --json`, and of `start_phase` and `continue_phase`. */
export const phaseSchema = z.object({
  phase: z.enum(PHASES),
  feature: z.string().describe('The folder of the feature, from the root.'),
  loop_id: z.string(),
  status: z
    .enum(['approved', 'needs_work', 'stalled', 'cap', 'error'])
    .describe('approved: by the reviewers, and nothing else. What is accepted with notes stays "cap".'),
  end: z.enum(ENDS).nullable().describe('Why it ended; null: it waits.'),
  waiting: z.boolean().describe('It goes on when whoever called has mended what is open.'),
  accepted_with_notes: z
    .boolean()
    .describe('The cap was reached, and whoever called chose to go on with what is open.'),
  exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  loops: z.array(loop),
  fixes: z.array(fix),
  preparations: z.array(preparation),
  open_issues: z.array(openIssue).describe('Blockers and warnings that nobody has settled; the heaviest first.'),
  forbidden_edits: z.array(z.string()).describe('What an agent changed and must not.'),
  usage,
  saved: z
    .object({ pass: z.number(), slot: z.number(), session: z.number(), prefix: z.number() })
    .describe('Tokens not paid for, by lever; estimates.'),
  warnings: z.array(z.string()),
});

/** The document of `phase --dry-run --json`. */
export const phasePlanSchema = z.object({
  phase: z.enum(PHASES),
  feature: z.string(),
  artifact: z.string().nullable().describe('The document under review; null: code.'),
  files: z.array(z.string()).describe('Files under review.'),
  required: z.array(z.string()).describe('Documents that reviewers have to read.'),
  fixing: z.object({ by: z.enum(['fixer', 'caller', 'nobody']), agent: z.string().nullable() }),
  max_iterations: z.number(),
  goes_on: z
    .object({ round: z.number(), waiting: z.array(openIssue).nullable() })
    .nullable()
    .describe('Where a loop that was begun stands; null: it begins anew.'),
  dispatches: z.array(
    z.object({
      role: z.string(),
      agent: z.string(),
      model: z.string().nullable(),
      dispatch: z.enum(['fresh', 'resumed']),
      why: z.string(),
      prompt_chars: z.number(),
    }),
  ),
  warnings: z.array(z.string()),
});

/** What `start_phase` and `continue_phase` answer with. */
export const startedPhaseSchema = z.object({
  loop_id: z.string().describe('For continue_phase.'),
  state: z
    .enum(['running', 'waiting', 'ended', 'died'])
    .describe('waiting: mend what is open, then call continue_phase with a summary. died: it ended without a result.'),
  progress: z.array(z.string()).describe('The last lines that the round has said.'),
  phase: phaseSchema.nullable().describe('The result of the round, once it is there.'),
  error: errorSchema.shape.error.nullable(),
  next: z.string().describe('What to do now.'),
});
