import { createHash } from 'node:crypto';
import type { Rubric } from '../domain/gate.ts';
import type { Rule } from '../domain/rule.ts';

/** The rubric that a prompt file holds. */
export function fileRubric(source: string, text: string): Rubric {
  return { source, text, digest: createHash('sha256').update(text).digest('hex') };
}

/** The rubric of a rule: its instructions. */
export function ruleRubric(rule: Rule): Rubric {
  return fileRubric(`${rule.source.file}:${rule.source.line}`, rule.instructions);
}
