import * as z from 'zod';
import { PRIORITIES } from '../domain/finding.ts';
import { SEVERITIES } from '../domain/phase.ts';

// What reviewers and fixers are asked to answer with: each schema goes to the agent and checks what comes back.

const previous = z
  .array(
    z.looseObject({
      id: z.string().describe('The id of the earlier finding.'),
      state: z.enum(['fixed', 'open', 'withdrawn']),
      why: z.string().describe('What shows it.'),
    }),
  )
  .describe('What became of each earlier finding that you were given.');

/** The answer of a gate's or a rule's reviewer. */
const gateAnswer = z.looseObject({
  status: z.enum(['pass', 'fail']).describe('pass only if nothing has to change.'),
  violations: z
    .array(
      z.looseObject({
        file: z.string().describe('Path from the root of the repository.'),
        line: z.int().min(1).nullable().describe('Line in the file as it is now.'),
        code: z.string().optional().describe('The code in question, quoted exactly.'),
        issue: z.string().describe('What is wrong, and what follows from it.'),
        fix: z.string().optional().describe('What would put it right.'),
        priority: z.enum(PRIORITIES),
      }),
    )
    .describe('Every problem that has to change; empty for a pass.'),
  previous: previous.optional(),
  message: z.string().optional(),
});

/** The answer of a reviewer in a loop. */
const loopAnswer = z.looseObject({
  approved: z.boolean(),
  issues: z.array(
    z.looseObject({
      severity: z.enum(SEVERITIES),
      category: z.string().optional(),
      description: z.string(),
      location: z.string().optional(),
      suggestion: z.string().optional(),
    }),
  ),
  summary: z.string(),
});

/** The answer of whoever derives tests from documents. */
const outlineAnswer = z.looseObject({
  outlines: z.array(
    z.looseObject({
      title: z.string(),
      given: z.string(),
      action: z.string(),
      expected: z.string(),
      source: z.string().describe('The document and the sentence that demand it.'),
      catches: z.string().optional().describe('The mistake for which it would fail.'),
    }),
  ),
  summary: z.string().describe('What you covered, and what the documents leave open.'),
});

/** The answer of a reviewer that judges a step's outputs by criteria. */
const qualityAnswer = z.looseObject({
  passed: z.boolean(),
  feedback: z.string(),
  criteria_results: z
    .array(z.looseObject({ criterion: z.string(), passed: z.boolean(), feedback: z.string().nullable().optional() }))
    .optional(),
});

/** The answer of a fixer. */
const fixerAnswer = z.looseObject({
  summary: z.string().describe('What you changed, in a few sentences.'),
  dispositions: z
    .array(z.looseObject({ id: z.string(), state: z.enum(['fixed', 'declined']), why: z.string() }))
    .optional()
    .describe('What you did about each finding.'),
});

/** The answer to a question of the probe that finds out whether an agent can be resumed. */
const probeAnswer = z.looseObject({
  reply: z.string().describe('What was asked for, and nothing else.'),
  issues: z.array(z.looseObject({ description: z.string() })).describe('What is wrong with the file; empty later on.'),
});

type GateAnswer = z.output<typeof gateAnswer>;
type LoopAnswer = z.output<typeof loopAnswer>;
type QualityAnswer = z.output<typeof qualityAnswer>;
type FixerAnswer = z.output<typeof fixerAnswer>;

/** The answers by the kind of question. */
export type Answers = {
  gate: GateAnswer;
  loop: LoopAnswer;
  quality: QualityAnswer;
  fixer: FixerAnswer;
  outline: z.output<typeof outlineAnswer>;
  probe: z.output<typeof probeAnswer>;
};
export type AnswerKind = keyof Answers;

export const ANSWER_SCHEMAS = {
  gate: gateAnswer,
  loop: loopAnswer,
  quality: qualityAnswer,
  fixer: fixerAnswer,
  outline: outlineAnswer,
  probe: probeAnswer,
} as const;
