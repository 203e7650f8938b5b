import type { AgentName } from './real-person.ts';
import { FEATURE } from './real-phase.ts';

const document = (name: string, text: string) => ({ [`${FEATURE}/${name}`]: text });

/** A specification of a typical length with four flawed sentences, far from each other. */
const FLAWS = [
  { before: 'The export is fast.', after: 'The export of 10,000 rows ends within 2 seconds.' },
  { before: 'Errors are handled.', after: 'A row that cannot be written is listed with its number and its reason.' },
  { before: 'Dates are written as usual.', after: 'Dates are written as ISO 8601, in UTC.' },
  { before: 'Large exports are supported.', after: 'An export of up to 1,000,000 rows is possible.' },
] as const;

const PRD = '# Export\n\nPeople want their rows as a file that other programs can read.\n';
export const SPEC = `# Specification of the export\n\n${FLAWS.map(({ before }, n) => `${before}\n\n${rules(n)}`).join('\n')}`;

function rules(part: number): string {
  return Array.from(
    { length: 14 },
    (_, n) =>
      `- R-${part + 1}.${n + 1}: Column ${n + 1} of part ${part + 1} is written as text, in the order of the table, and is empty where there is no value.\n`,
  ).join('');
}

/** A reviewer's issue with a sentence, and its fix. */
export function flaw(n: number) {
  const { before, after } = FLAWS[n] ?? FLAWS[0];
  const issue = {
    severity: n % 2 === 0 ? 'blocker' : 'warning',
    category: 'testability',
    description: `"${before}" cannot be tested.`,
    location: `part ${n + 1}`,
    suggestion: 'Say how much.',
  } as const;
  return { before, after, issue, summary: `Part ${n + 1} has a measure now.` };
}

/** Returns the specification with this many flaws fixed. */
export function specAfter(fixed: number): string {
  return FLAWS.slice(0, fixed).reduce((text, { before, after }) => text.replace(before, after), SPEC);
}

export const SPECIFY = { ...document('prd.md', PRD), ...document('spec.md', SPEC) };

const CODE = `${Array.from({ length: 60 }, (_, n) => `export const column${n} = 'The column number ${n} of an export';\n`).join('')}
export function row(values: readonly string[]): string {
  return values.join(";");
}

export function file(name: string): string {
  return "/exports/" + name;
}
`;

/** Code of a feature, with a mistake for each of two reviewers. */
export const IMPLEMENT = {
  ...document('prd.md', PRD),
  ...document('spec.md', '# Spec\n\nA row is written as CSV, with commas.\n'),
  ...document('design.md', '# Design\n\n`row` makes a line, `file` names the file.\n'),
  ...document('plan.md', '# Plan\n\nFirst `row`, then `file`.\n'),
  ...document('tasks.md', '# Tasks\n\n- [x] row\n- [x] file\n'),
  'src/export.ts': 'export {};\n',
};
export const CODE_CHANGED = { 'src/export.ts': CODE };

export const MISTAKES = {
  row: {
    edit: ['join(";")', 'join(",")'] as const,
    summary: 'Commas are written now.',
    issue: {
      severity: 'blocker',
      level: 'spec',
      category: 'misunderstood',
      description: 'Rows have semicolons.',
      location: 'src/export.ts',
      suggestion: 'Write commas.',
    },
  },
  file: {
    edit: ['"/exports/" + name', '"/exports/" + encodeURIComponent(name)'] as const,
    summary: 'The name is encoded now.',
    issue: {
      severity: 'warning',
      category: 'injection',
      description: 'The name can leave the folder.',
      location: 'src/export.ts',
      suggestion: 'Encode it.',
    },
  },
} as const;

/** The levels in the answer of the implementation reviewer. */
export function levels(passed: boolean) {
  const level = (isPassed: boolean) => ({ passed: isPassed, issues_count: isPassed ? 0 : 1 });
  return {
    levels: { tasks: level(true), spec: level(passed), design: level(true), prd: level(true) },
    evidence: { verified: ['src/export.ts'], missing: [] },
  };
}

export const AGENT_NAMES: readonly AgentName[] = ['claude', 'codex'];
