import { SEVERITIES } from '@onceover/base/kernel/review-loops';
import { PRIORITIES } from '@onceover/repo/config/settings';
import * as z from 'zod';

// The schemas of the answers that reviewers and fixing agents give. Each is sent to the agent and later used to check
// its answer.
const previous = z
  .array(
    z.looseObject({
      id: z.string().describe('The id of the earlier finding.'),
      state: z.enum(['fixed', 'open', 'withdrawn']),
      why: z.string().describe('What shows it.'),
    }),
  )
  .describe('What became of each earlier finding that you were given.');

const issue = z.object({
  severity: z.enum(SEVERITIES),
  level: z.string().optional(),
  category: z.string().optional(),
  description: z.string(),
  location: z.string().optional(),
  suggestion: z.string().optional(),
});

export const ANSWER_SCHEMAS = {
  /** The answer of a reviewer of a gate or a rule. */
  gate: z.looseObject({
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
  }),
  /** The answer of a reviewer in a review loop (`onceover phase`). */
  loop: z.object({
    approved: z.boolean(),
    issues: z.array(issue),
    summary: z.string(),
    levels: z.record(z.string(), z.boolean()).optional().describe('Whether each level passed, such as tasks or spec.'),
  }),
  /** The answer of an agent that writes test outlines from the documents of a feature. */
  outline: z.object({
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
  }),
  /** The answer of a reviewer that judges the outputs of a workflow step by the given criteria. */
  quality: z.looseObject({
    passed: z.boolean(),
    feedback: z.string(),
    criteria_results: z
      .array(z.looseObject({ criterion: z.string(), passed: z.boolean(), feedback: z.string().nullable().optional() }))
      .optional(),
  }),
  /** The answer of an agent that fixes findings. */
  fixer: z.object({
    summary: z.string().describe('What you changed, in a few sentences.'),
    dispositions: z
      .array(z.looseObject({ id: z.string(), state: z.enum(['fixed', 'declined']), why: z.string() }))
      .optional()
      .describe('What you did about each finding.'),
  }),
  /** The answer to a question that tests whether an agent can resume a session (see `probeResume`). */
  probe: z.looseObject({
    reply: z.string().describe('What was asked for, and nothing else.'),
    issues: z
      .array(z.looseObject({ description: z.string() }))
      .describe('What is wrong with the file; empty later on.'),
  }),
} as const;

export type AnswerKind = keyof typeof ANSWER_SCHEMAS;

/** The type of the answer to each kind of question. */
export type Answers = { [K in AnswerKind]: z.output<(typeof ANSWER_SCHEMAS)[K]> };

/** The kinds of answers that can pass what they are about. */
export type VerdictKind = 'gate' | 'loop' | 'quality';

/**
 * The exact form of an answer that passes. It has the fields of the answer's schema and no others, at every depth. A
 * field with a default, such as a reason, may be absent. An absent field may be null. A custom command may add its
 * session and its usage.
 */
export const PASS_FORMS: { readonly [K in VerdictKind]: z.ZodType } = {
  gate: passForm(
    ANSWER_SCHEMAS.gate.extend({
      previous: z.array(previous.element.extend({ why: z.string().optional() })).optional(),
    }),
  ),
  // The roles of review loops ask for these fields under other names, or in addition.
  loop: passForm(
    ANSWER_SCHEMAS.loop.extend({
      summary: z.string().optional(),
      issues: z.array(issue.extend({ task: z.string().optional(), challenge: z.string().optional() })),
      levels: z
        .record(
          z.string(),
          z.union([z.boolean(), z.strictObject({ passed: z.boolean(), issues_count: z.int().min(0).optional() })]),
        )
        .optional(),
      evidence: z.object({ verified: z.array(z.string()), missing: z.array(z.string()) }).optional(),
    }),
  ),
  quality: passForm(ANSWER_SCHEMAS.quality.partial()),
};

function passForm(schema: z.ZodObject): z.ZodType {
  const figure = z.number().nullable();
  return exactly(
    schema.extend({
      session_id: z.string().optional(),
      usage: z.record(z.string(), z.union([figure, z.record(z.string(), figure)])).optional(),
    }),
  );
}

/** Returns the type without unknown fields in any of its objects, and with null for each absent optional field. */
function exactly(type: z.core.$ZodType): z.ZodType {
  if (type instanceof z.ZodOptional) return exactly(type.unwrap()).nullish();
  if (type instanceof z.ZodArray && type.element instanceof z.ZodObject) return z.array(exactly(type.element));
  if (!(type instanceof z.ZodObject)) return type as z.ZodType;
  return z.strictObject(Object.fromEntries(Object.entries(type.shape).map(([name, field]) => [name, exactly(field)])));
}

export type JsonSchema = { readonly [key: string]: unknown };

/**
 * Returns the JSON schema of an answer for the agent. It forbids unknown fields, but an answer with unknown fields can
 * still be read.
 */
export function answerSchema(kind: AnswerKind): JsonSchema {
  // Deriving a schema takes milliseconds, and every call to an agent needs one, so cache it.
  const schema = schemaCache.get(kind) ?? jsonSchema(ANSWER_SCHEMAS[kind]);
  schemaCache.set(kind, schema);
  return schema;
}

const schemaCache = new Map<AnswerKind | 'shared-gate', JsonSchema>();

/**
 * Returns the JSON schema of a review's answer for agents whose sessions can be forked (copied). A session and its
 * forks must have the same schema, so this one also allows the answer of a session that only reads files: the status
 * `read` and nothing else. A review with that status, or without a list of problems, is not accepted.
 */
export function sharedGateSchema(): JsonSchema {
  const schema =
    schemaCache.get('shared-gate') ??
    jsonSchema(
      ANSWER_SCHEMAS.gate.extend({
        status: z.enum(SHARED_STATUSES),
        violations: ANSWER_SCHEMAS.gate.shape.violations.optional(),
      }),
    );
  schemaCache.set('shared-gate', schema);
  return schema;
}

const SHARED_STATUSES = ['pass', 'fail', 'read'] as const;

/** Returns the JSON schema of a zod type, without the key `$schema`. */
export function jsonSchema(type: z.ZodType): JsonSchema {
  const { $schema: _left, ...schema } = z.toJSONSchema(type, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
    },
  });
  return schema;
}
