import * as z from 'zod';
import { SEVERITIES } from '../domain/phase.ts';
import type { ReviewForm } from '../domain/role.ts';
import { type JsonSchema, jsonSchema } from './answer-schema.ts';

/** What a reviewer is asked to answer with, as it stands in its prompt. */
export function tellForm(form: ReviewForm): string {
  const fields = [
    `"approved": true/false`,
    ...(form.levels.length === 0 ? [] : [`"levels": ${levels(form)}`]),
    `"issues": [${issue(form)}]`,
    ...(form.evidence ? ['"evidence": {"verified": ["..."], "missing": ["..."]}'] : []),
    `"summary": "..."`,
  ];
  const object = form.compact ? `{${fields.join(', ')}}` : `{\n${fields.map((one) => `  ${one}`).join(',\n')}\n}`;
  return `Return your assessment as JSON:\n${object}`;
}

/** The same as a JSON schema, for agents that take one; made once for each form. */
export function formSchema(form: ReviewForm): JsonSchema {
  const known = made.get(form) ?? makeSchema(form);
  made.set(form, known);
  return known;
}

const made = new WeakMap<ReviewForm, JsonSchema>();

function makeSchema(form: ReviewForm): JsonSchema {
  const [level, ...levels] = form.levels;
  const [category, ...categories] = form.categories;
  const place = z.string().optional();
  const issue = z.looseObject({
    severity: z.enum(SEVERITIES),
    ...(level === undefined ? {} : { level: z.enum([level, ...levels]) }),
    ...(category === undefined ? {} : { category: z.enum([category, ...categories]) }),
    description: z.string(),
    ...(form.place === 'task' ? { task: place } : { location: place }),
    suggestion: z.string().optional(),
  });
  const judged = z.looseObject({ passed: z.boolean(), issues_count: z.int().min(0) });
  const evidence = z.looseObject({ verified: z.array(z.string()), missing: z.array(z.string()) });
  return jsonSchema(
    z.looseObject({
      approved: z.boolean(),
      ...(level === undefined
        ? {}
        : { levels: z.looseObject(Object.fromEntries(form.levels.map((name) => [name, judged]))) }),
      issues: z.array(issue),
      ...(form.evidence ? { evidence } : {}),
      summary: z.string(),
    }),
  );
}

function issue({ levels, categories, place }: ReviewForm): string {
  const fields = [
    `"severity": "${SEVERITIES.join('|')}"`,
    ...(levels.length === 0 ? [] : [`"level": "${levels.join('|')}"`]),
    ...(categories.length === 0 ? [] : [`"category": "${categories.join('|')}"`]),
    '"description": "..."',
    `"${place}": "..."`,
    '"suggestion": "..."',
  ];
  return `{${fields.join(', ')}}`;
}

function levels({ levels: names }: ReviewForm): string {
  return `{${names.map((name) => `"${name}": {"passed": true/false, "issues_count": 0}`).join(', ')}}`;
}
