import * as z from 'zod';
import type { RepoPath } from '../domain/brand.ts';
import type { ForeignConfig, ForeignEntry, ForeignExclude, ForeignReview } from '../domain/carry-over.ts';
import { isRecord } from '../domain/is-record.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import type { Position } from '../domain/problem.ts';
import { done, failed, type Result } from '../domain/result.ts';
import {
  type Findings,
  type ForeignFile,
  ignoreOthers,
  isWritable,
  NO_SETTINGS,
  openFindings,
  PLAIN_REVIEW,
  readForeignYaml,
} from './foreign-file.ts';

/** The names that its configuration may have, at the root. */
export const CODERABBIT_FILES = ['.coderabbit.yaml', '.coderabbit.yml'];

const shape = z.looseObject({
  tone_instructions: z.string().nullish(),
  reviews: z
    .looseObject({
      path_filters: z.array(z.string()).nullish(),
      path_instructions: z.array(z.looseObject({ path: z.string(), instructions: z.string() })).nullish(),
      pre_merge_checks: z
        .looseObject({
          custom_checks: z
            .array(z.looseObject({ name: z.string(), instructions: z.string(), mode: z.string().nullish() }))
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

type CodeRabbit = ForeignFile<z.output<typeof shape>>;

/** Reads `.coderabbit.yaml`: instructions by path, checks of its own, and what it leaves out. */
export async function readCodeRabbit(files: ProjectFiles, file: string): Promise<Result<ForeignConfig>> {
  const read = await files.read(file as RepoPath);
  if (!read.ok) return read;
  const findings = openFindings();
  const found = readForeignYaml(file, read.value ?? '', shape, findings);
  const config = found === null ? null : carry(found, file, findings);
  return config === null || findings.problems.length > 0
    ? failed({ kind: 'broken-config', problems: findings.problems })
    : done(config);
}

function carry(found: CodeRabbit, source: string, findings: Findings): ForeignConfig {
  const exclude = filters(found, findings);
  const top: Position = { file: source, line: 1, column: 1 };
  const everywhere = (reviews: readonly ForeignReview[]): ForeignEntry => ({
    at: top,
    path: { kind: 'entry', text: '.' },
    exclude,
    leavesOutWritten: true,
    checks: [],
    reviews,
  });
  const { inUse, spare } = customChecks(found, findings);
  // It looks at everything by rules of its own, beside those that are written down.
  const general: ForeignReview = { ...PLAIN_REVIEW, at: top, name: 'code-quality', text: null };
  findings.leave(top, { kind: 'own-text', name: null, standsIn: true });
  const entries = [everywhere([general, ...inUse]), ...pathInstructions(found, exclude, findings)];
  noteOthers(found, findings);
  const left = findings.allLeft();
  return { tool: 'coderabbit', source, ...NO_SETTINGS, entries, spare, left };
}

/** What is left out everywhere; that only some is looked at cannot be said here. */
function filters({ value, place }: CodeRabbit, findings: Findings): readonly ForeignExclude[] {
  return (value.reviews?.path_filters ?? []).flatMap((filter, i) => {
    const at = place(['reviews', 'path_filters', i]);
    if (filter.startsWith('!')) return [{ at, glob: filter.slice(1) }];
    if (filter.trim() !== '') findings.leave(at, { kind: 'only', glob: filter });
    return [];
  });
}

function pathInstructions(
  { value, place }: CodeRabbit,
  exclude: readonly ForeignExclude[],
  findings: Findings,
): readonly ForeignEntry[] {
  return (value.reviews?.path_instructions ?? []).flatMap(({ path, instructions }, i) => {
    const key = ['reviews', 'path_instructions', i];
    const at = place([...key, 'path']);
    const said = { at: place([...key, 'instructions']), key: [...key, 'instructions'].join('.') };
    if (!isWritable(instructions, said.at, said.key, findings)) return [];
    if (instructions.trim() === '') {
      findings.leave(said.at, { kind: 'empty', name: path });
      return [];
    }
    const name = /^[*/.]*$/.test(path) ? 'everything' : path;
    const review: ForeignReview = { ...PLAIN_REVIEW, at, name, text: instructions };
    return [{ at, path: { kind: 'glob', text: path }, exclude, leavesOutWritten: true, checks: [], reviews: [review] }];
  });
}

/** Its own checks before a merge: each a review of everything. */
function customChecks({ value, place }: CodeRabbit, findings: Findings) {
  const inUse: ForeignReview[] = [];
  const spare: ForeignReview[] = [];
  for (const [i, check] of (value.reviews?.pre_merge_checks?.custom_checks ?? []).entries()) {
    const key = ['reviews', 'pre_merge_checks', 'custom_checks', i];
    const at = place(key);
    if (!isWritable(check.instructions, at, [...key, 'instructions'].join('.'), findings)) continue;
    const name = check.name.toLowerCase();
    if (check.instructions.trim() === '') findings.leave(at, { kind: 'empty', name: check.name });
    else {
      const review: ForeignReview = { ...PLAIN_REVIEW, at, name, text: check.instructions, about: check.name };
      if (check.mode === 'off') spare.push(review);
      else inUse.push(review);
      if (check.mode === 'warning') findings.leave(at, { kind: 'warns-only', name: check.name });
    }
  }
  return { inUse, spare };
}

function noteOthers(found: CodeRabbit, findings: Findings): void {
  const { value, place } = found;
  if ((value.tone_instructions ?? '').trim() !== '')
    findings.leave(place(['tone_instructions'], 'key'), { kind: 'tone' });
  ignoreOthers(found, [], value, ['reviews', 'tone_instructions'], findings);
  const carried = ['path_filters', 'path_instructions', 'pre_merge_checks'];
  ignoreOthers(found, ['reviews'], value.reviews, carried, findings);
  const checks = value.reviews?.pre_merge_checks;
  if (isRecord(checks)) ignoreOthers(found, ['reviews', 'pre_merge_checks'], checks, ['custom_checks'], findings);
}
