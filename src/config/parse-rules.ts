import { isMap, isScalar } from 'yaml';
import { compileGlob } from '../domain/glob.ts';
import type { ParsedRule, ParsedRuleFile } from './rule-file.ts';
import { RULE_NAME, ruleSchema } from './rule-schema.ts';
import { checkShape, type PlacedProblem, readYaml, type YamlFile } from './yaml-file.ts';

/** Reads the text of a `.deepreview` file: a rule with a problem is left out, the others stay. */
export function parseRules(text: string): ParsedRuleFile {
  const read = readYaml(text);
  if (!read.ok) return { rules: [], problems: read.problems };
  const { yaml } = read;
  if (read.value === null || read.value === undefined) return { rules: [], problems: [] };
  if (!isMap(yaml.document.contents)) {
    const what = { kind: 'wrong-type', key: 'the file', expected: 'a map of rule names and rules' } as const;
    return { rules: [], problems: [{ ...yaml.place([]), what }] };
  }
  const values = read.value as Readonly<Record<string, unknown>>;
  const rules: ParsedRule[] = [];
  const problems: PlacedProblem[] = [];
  for (const pair of yaml.document.contents.items) {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const parsed = parseRule(name, values[name], yaml);
    if (parsed.ok) rules.push(parsed.rule);
    else problems.push(...parsed.problems);
  }
  return { rules, problems };
}

function parseRule(
  name: string,
  value: unknown,
  yaml: YamlFile,
): { readonly ok: true; readonly rule: ParsedRule } | { readonly ok: false; readonly problems: PlacedProblem[] } {
  const place = yaml.place([name], 'key');
  if (!RULE_NAME.test(name)) return { ok: false, problems: [{ ...place, what: { kind: 'bad-rule-name', name } }] };
  const checked = checkShape(ruleSchema, value, yaml, [name]);
  if (!checked.ok) return checked;
  const { description, match, review } = checked.value;
  const problems = (['include', 'exclude'] as const).flatMap((list) =>
    match[list].flatMap((glob, i) => badGlob(glob, yaml.place([name, 'match', list, i]))),
  );
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    rule: {
      name,
      description,
      line: place.line,
      include: match.include,
      exclude: match.exclude,
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
    },
  };
}

function badGlob(glob: string, place: { readonly line: number; readonly column: number }): PlacedProblem[] {
  const compiled = compileGlob(glob, '');
  return compiled.ok ? [] : [{ ...place, what: { kind: 'bad-glob', glob, said: compiled.said } }];
}
