import type { Strategy } from '../domain/rule.ts';
import type { PlacedProblem } from './yaml-file.ts';

/** What the text of a `.deepreview` file says, before any other file is looked at; plain data that can be kept. */
export type ParsedRuleFile = { readonly rules: readonly ParsedRule[]; readonly problems: readonly PlacedProblem[] };

type Place = { readonly line: number; readonly column: number };

export type ParsedRule = {
  readonly name: string;
  readonly description: string;
  readonly line: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly strategy: Strategy;
  readonly instructions: Place & ({ readonly text: string } | { readonly file: string });
  readonly personas: Readonly<Record<string, string>>;
  readonly allChangedFilenames: boolean;
  readonly unchangedMatchingFiles: boolean;
  readonly references: readonly (Place & { readonly path: string; readonly description: string | null })[];
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
};

/** Whether a kept value still has the form of a parsed file. */
export function isParsedRuleFile(value: unknown): value is ParsedRuleFile {
  if (typeof value !== 'object' || value === null) return false;
  return 'rules' in value && Array.isArray(value.rules) && 'problems' in value && Array.isArray(value.problems);
}
