import { quoteName } from '../domain/quote-name.ts';
import type { Rule } from '../domain/rule.ts';
import { folded } from './one-line.ts';

/** The configured rules, a line or two each. */
export function tellRules(rules: readonly Rule[], asked: readonly string[] | null): string {
  if (rules.length === 0) {
    return asked === null
      ? 'No rule is defined. "onceover init --rules" writes a first .deepreview.'
      : 'No rule matches these files.';
  }
  return rules
    .map((rule) => `${rule.name} (${quoteName(definingFile(rule))})\n  ${folded(rule.description)}`)
    .join('\n');
}

/** `path/.deepreview:LINE` of a rule. */
export function definingFile(rule: Rule): string {
  return `${rule.source.file}:${rule.source.line}`;
}
