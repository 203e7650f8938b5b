import * as z from 'zod';
import { ARTIFACTS, type RoleName } from '../domain/role.ts';
import { modelName } from './settings-schema.ts';

// What the front matter of a role may say. Whatever it leaves out is as in the built-in role of that name.

const text = z.string().trim().min(1);
const word = z.string().regex(/^[a-z][a-z0-9-]*$/, 'may only have lower-case letters, digits and "-"');
const artifacts = z.array(z.enum(ARTIFACTS));

const documentArtifacts = {
  specify: artifacts,
  design: artifacts,
  'create-plan': artifacts,
  'create-tasks': artifacts,
};

const common = {
  coda: text.optional(),
  checklist: text.optional(),
  model: z.record(z.string(), text.pipe(modelName)).optional(),
};

const review = {
  ...common,
  schema: z
    .strictObject({
      categories: z.array(word).optional(),
      place: z.enum(['location', 'task']).optional(),
      levels: z.array(word).optional(),
      evidence: z.boolean().optional(),
      compact: z.boolean().optional(),
    })
    .optional(),
};

const reviewerSchema = z.strictObject({ artifacts: artifacts.optional(), ...review });

const phaseReviewerSchema = z.strictObject({
  artifacts: z.strictObject(documentArtifacts).optional(),
  expectations: z.strictObject({ specify: text, design: text, 'create-plan': text, 'create-tasks': text }).optional(),
  ...review,
});

const writerSchema = z.strictObject({ artifacts: artifacts.optional(), ...common });

const implementerSchema = z.strictObject({
  artifacts: z.strictObject({ ...documentArtifacts, implement: artifacts }).optional(),
  ...common,
});

/** The schema of a role's front matter: roles that look at several phases name their documents for each of them. */
export const ROLE_SCHEMAS = {
  'spec-reviewer': reviewerSchema,
  'design-reviewer': reviewerSchema,
  'plan-reviewer': reviewerSchema,
  'task-reviewer': reviewerSchema,
  'phase-reviewer': phaseReviewerSchema,
  'implementation-reviewer': reviewerSchema,
  'code-quality-reviewer': reviewerSchema,
  'security-reviewer': reviewerSchema,
  implementer: implementerSchema,
  'code-simplifier': writerSchema,
  'test-deepener-a': writerSchema,
  'test-deepener-b': writerSchema,
} as const satisfies Readonly<Record<RoleName, z.ZodType>>;
