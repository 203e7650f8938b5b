import type { PlacedProblem } from '@onceover/base/kernel/failure';
import { compileGlob } from '@onceover/base/kernel/glob';
import { checkShape, readYaml, type YamlFile } from '@onceover/repo/config/yaml';
import { isMap, isScalar } from 'yaml';
import * as z from 'zod';
import type { ParsedRule, ParsedRuleFile } from './types.ts';

/** The schema of one rule in a `.deepreview` file. */
export const ruleSchema = z.strictObject({
  description: z.string().min(1).max(256).describe('The purpose of this review, in one sentence.'),
  match: z.strictObject({
    include: z
      .array(z.string().min(1))
      .min(1)
      .describe('Globs of files that the rule matches, relative to the folder of this file.'),
    exclude: z.array(z.string().min(1)).default([]).describe('Globs of files that the rule leaves out.'),
  }),
  review: z.strictObject({
    strategy: z
      .enum(['individual', 'matches_together', 'all_changed_files'])
      .describe(
        'Which files one review covers: with individual, one matched file; with matches_together, all matched files; with all_changed_files, all changed files.',
      ),
    instructions: z
      .union([z.string().min(1), z.strictObject({ file: z.string().min(1) })], {
        error: 'must be text, or {file: path} with a path relative to this file',
      })
      .describe('What the reviewer looks for.'),
    agent: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe('The sub-agent that does the review, by platform, such as {claude: security-expert}.'),
    additional_context: z
      .strictObject({
        all_changed_filenames: z
          .boolean()
          .default(false)
          .describe('If true, the reviewer gets the names of all changed files.'),
        unchanged_matching_files: z
          .boolean()
          .default(false)
          .describe(
            'If true, the reviewer also gets the names of unchanged files that the rule matches. Only for matches_together.',
          ),
      })
      .prefault({}),
    reference_files: z
      .array(z.strictObject({ path: z.string().min(1), description: z.string().optional() }))
      .default([])
      .describe('Files that the reviewer gets in addition: at most 20, and 256 KiB in total.'),
    num_reviews: z
      .int()
      .min(1)
      .max(20)
      .default(1)
      .describe('The number of reviewers that `onceover run` uses for this rule.'),
    agents: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('The agents that `onceover run` uses for this rule, in order of preference.'),
  }),
});

export const RULE_NAME = /^[a-zA-Z0-9_-]+$/;

/** The schema of a whole `.deepreview` file, which is a map from rule names to rules. */
export const ruleFileSchema = z
  .record(z.string().regex(RULE_NAME), ruleSchema)
  .describe('Review rules: each rule assigns a review to changed files.');

/** Parses the text of a `.deepreview` file. Invalid rules are left out and reported as problems. */
export function parseRules(text: string): ParsedRuleFile {
  const content = readYaml(text);
  if (!content.ok) return { rules: [], problems: content.problems };
  const { yaml } = content;
  if (content.value === null || content.value === undefined) return { rules: [], problems: [] };
  if (!isMap(yaml.document.contents)) {
    const problem = { kind: 'wrong-type', key: 'the file', expected: 'a map from rule names to rules' } as const;
    return { rules: [], problems: [{ ...yaml.place([]), what: problem }] };
  }
  const values = content.value as Readonly<Record<string, unknown>>;
  const rules: ParsedRule[] = [];
  const problems: PlacedProblem[] = [];
  for (const pair of yaml.document.contents.items) {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const ruleOrProblems = parseRule(name, values[name], yaml);
    if (Array.isArray(ruleOrProblems)) problems.push(...ruleOrProblems);
    else rules.push(ruleOrProblems);
  }
  return { rules, problems };
}

/** Returns the rule or, if it is invalid, its problems. */
function parseRule(name: string, value: unknown, yaml: YamlFile): ParsedRule | PlacedProblem[] {
  const place = yaml.place([name], 'key');
  if (!RULE_NAME.test(name)) return [{ ...place, what: { kind: 'bad-rule-name', name } }];
  const shapeCheck = checkShape(ruleSchema, value, yaml, [name]);
  if (!shapeCheck.ok) return shapeCheck.problems;
  const { description, match, review } = shapeCheck.value;
  const problems = (['include', 'exclude'] as const).flatMap((list) =>
    match[list].flatMap((glob, i) => badGlob(glob, yaml.place([name, 'match', list, i]))),
  );
  if (problems.length > 0) return problems;
  return {
    name,
    description,
    line: place.line,
    ...match,
    strategy: review.strategy,
    instructions:
      typeof review.instructions === 'string'
        ? { text: review.instructions, ...yaml.place([name, 'review', 'instructions']) }
        : { file: review.instructions.file, ...yaml.place([name, 'review', 'instructions', 'file']) },
    personas: review.agent,
    allChangedFilenames: review.additional_context.all_changed_filenames,
    unchangedMatchingFiles: review.additional_context.unchanged_matching_files,
    references: review.reference_files.map((file, i) => ({
      path: file.path,
      description: file.description ?? null,
      ...yaml.place([name, 'review', 'reference_files', i, 'path']),
    })),
    numReviews: review.num_reviews,
    agents: review.agents ?? null,
  };
}

function badGlob(glob: string, place: { readonly line: number; readonly column: number }): PlacedProblem[] {
  const compilation = compileGlob(glob, '');
  return compilation.ok ? [] : [{ ...place, what: { kind: 'bad-glob', glob, said: compilation.said } }];
}
