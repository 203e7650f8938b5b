import { type JsonSchema, jsonSchema } from '@onceover/agents/dispatch/answer-schemas';
import { quoteName } from '@onceover/base/kernel/escape';
import { type PhaseName, SEVERITIES } from '@onceover/base/kernel/review-loops';
import * as z from 'zod';
import { type Artifact, artifactsOf, type ReviewForm, type Role } from '../roles/types.ts';

/** The paths of a feature's documents. `prd` is null if the feature has no PRD (product requirements document). */
export type FeaturePaths = { readonly folder: string; readonly prd: string | null };

/** Returns the section of a prompt that lists the files to read first; empty if there are none. */
export function requiredArtifacts(role: Role, phase: PhaseName, feature: FeaturePaths): string {
  const artifacts = artifactsOf(role, phase);
  if (artifacts.length === 0) return '';
  return [
    '## Required Artifacts',
    `You MUST read the following files before beginning your ${role.form === null ? 'work' : 'review'}.`,
    'After reading, confirm: "Files read: {name} ({N} lines), ..." in a single line.',
    ...artifacts.map((artifact) => {
      const path = artifactPath(artifact, feature);
      return `- ${TITLES[artifact]}: ${path === null ? 'No PRD — feature created without brainstorm' : quoteName(path)}`;
    }),
  ].join('\n');
}

export const TITLES: Readonly<Record<Artifact, string>> = {
  'prd.md': 'PRD',
  'spec.md': 'Spec',
  'design.md': 'Design',
  'plan.md': 'Plan',
  'tasks.md': 'Tasks',
};

/** Returns the path of a document; null for the PRD (product requirements document) if it does not exist. */
export function artifactPath(artifact: Artifact, { folder, prd }: FeaturePaths): string | null {
  return artifact === 'prd.md' ? prd : `${folder}/${artifact}`;
}

/** Describes a reviewer's answer format, as its prompt shows it. */
export function describeForm({ categories, place, levels, evidence, compact }: ReviewForm): string {
  const issue = [
    `"severity": "${SEVERITIES.join('|')}"`,
    ...(levels.length === 0 ? [] : [`"level": "${levels.join('|')}"`]),
    ...(categories.length === 0 ? [] : [`"category": "${categories.join('|')}"`]),
    '"description": "..."',
    `"${place}": "..."`,
    '"suggestion": "..."',
  ].join(', ');
  const levelForms = levels.map((name) => `"${name}": {"passed": true/false, "issues_count": 0}`).join(', ');
  const fields = [
    `"approved": true/false`,
    ...(levelForms === '' ? [] : [`"levels": {${levelForms}}`]),
    `"issues": [{${issue}}]`,
    ...(evidence ? ['"evidence": {"verified": ["..."], "missing": ["..."]}'] : []),
    `"summary": "..."`,
  ];
  const object = compact ? `{${fields.join(', ')}}` : `{\n${fields.map((field) => `  ${field}`).join(',\n')}\n}`;
  return `Return your assessment as JSON:\n${object}`;
}

/** Returns a reviewer's answer format as a JSON schema, for agents that accept a schema. */
export function formSchema({ categories, place, levels, evidence }: ReviewForm): JsonSchema {
  const issue = z.looseObject({
    severity: z.enum(SEVERITIES),
    ...(levels.length === 0 ? {} : { level: z.enum(levels) }),
    ...(categories.length === 0 ? {} : { category: z.enum(categories) }),
    description: z.string(),
    [place]: z.string().optional(),
    suggestion: z.string().optional(),
  });
  const levelVerdict = z.looseObject({ passed: z.boolean(), issues_count: z.int().min(0) });
  const list = z.array(z.string());
  return jsonSchema(
    z.looseObject({
      approved: z.boolean(),
      ...(levels.length === 0
        ? {}
        : { levels: z.looseObject(Object.fromEntries(levels.map((name) => [name, levelVerdict]))) }),
      issues: z.array(issue),
      ...(evidence ? { evidence: z.looseObject({ verified: list, missing: list }) } : {}),
      summary: z.string(),
    }),
  );
}
