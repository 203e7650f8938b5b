import { sha256 } from '../domain/digest.ts';
import type { Rubric } from '../domain/gate.ts';
import type { Rule } from '../domain/rule.ts';

/** The rubric that a prompt file holds. */
export function fileRubric(source: string, text: string): Rubric {
  return { source, text, digest: sha256(text) };
}

/** The rubric of a rule: its instructions. */
export function ruleRubric(rule: Rule): Rubric {
  return fileRubric(`${rule.source.file}:${rule.source.line}`, rule.instructions);
}
