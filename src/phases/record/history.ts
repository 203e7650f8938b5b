import { oneLine, showInvisible } from '../../kernel/escape.ts';
import type { ReviewerRole } from '../../kernel/review-loops.ts';
import { describeAgentFailure } from '../../ui/describe-agent-failure.ts';
import { describeIssueMark, withoutMarks } from '../describe/issues.ts';
import type { IterationEntry, LoopIssue, PhaseMark } from '../types.ts';

/** The fix that followed a round. */
export type HistoryFix = { readonly summary: string; readonly marks: readonly PhaseMark[] };

/** Returns the `.review-history.md` entry of a round; `fix` is null before the issues are fixed. */
export function historyEntry(entry: IterationEntry, at: Date, fix: HistoryFix | null): string {
  const marks = [...entry.marks, ...(fix?.marks ?? [])].map(describeIssueMark);
  return [
    ...(entry.stage === 'implement' ? codeReview(entry, at) : documentReview(entry, at)),
    '',
    '**Changes Made:**',
    fix === null || fix.summary.trim() === '' ? 'None.' : plain(fix.summary),
    ...(marks.length === 0 ? [] : ['', ...marks]),
    '',
    '---',
    '',
  ].join('\n');
}

/**
 * Adds an entry to a history and keeps everything else. The entry replaces `earlier`, its own earlier version. If that text was
 * edited in the meantime, both are kept.
 */
export function withEntry(history: string, entry: string, earlier: string | null): string {
  const found = earlier === null || earlier === '' ? -1 : history.lastIndexOf(earlier);
  if (earlier !== null && found !== -1) {
    return `${history.slice(0, found)}${entry}${history.slice(found + earlier.length)}`;
  }
  if (history.trim() === '') return `${history}${entry}`;
  return `${history}${history.endsWith('\n') ? '' : '\n'}\n${entry}`;
}

type Story = {
  readonly heading: (iteration: number) => string;
  readonly reviewer: string | null;
  readonly issue: (issue: LoopIssue) => readonly string[];
};

const PLAIN_ISSUE = (issue: LoopIssue) => [
  `- ${tagged(issue)} ${inline(issue.description)}${at(issue)}`,
  ...hint(issue),
];

const GATEKEEPER = 'phase-reviewer (gatekeeper)';

const DOMAIN: Readonly<Record<Exclude<IterationEntry['phase'], 'implement'>, Story>> = {
  specify: {
    heading: (n) => `Stage 1: Spec-Reviewer Review - Iteration ${n}`,
    reviewer: 'spec-reviewer (skeptic)',
    issue: PLAIN_ISSUE,
  },
  design: {
    heading: (n) => `Design Review - Iteration ${n}`,
    reviewer: 'design-reviewer (skeptic)',
    issue: (issue) => [`- ${tagged(issue)} ${inline(issue.description)}${at(issue)}`, ...hint(issue, 'Challenge')],
  },
  'create-plan': {
    heading: (n) => `Stage 1: Plan Review - Iteration ${n}`,
    reviewer: 'plan-reviewer (skeptic)',
    issue: PLAIN_ISSUE,
  },
  'create-tasks': {
    heading: (n) => `Task Review Iteration ${n}`,
    reviewer: null,
    issue: ({ severity, description, location, suggestion }) => [
      `- [${severity}] ${location === undefined ? '' : `${inline(location)}: `}${inline(description)}${suggestion === undefined ? '' : ` -> ${inline(suggestion)}`}`,
    ],
  },
};

const HANDOVER: Readonly<Record<Exclude<IterationEntry['phase'], 'implement'>, Story>> = {
  specify: { heading: (n) => `Stage 2: Phase Review - Iteration ${n}`, reviewer: GATEKEEPER, issue: PLAIN_ISSUE },
  design: {
    heading: (n) => `Handoff Review - Iteration ${n}`,
    reviewer: GATEKEEPER,
    issue: (issue) => [`- [${issue.severity}] ${inline(issue.description)}${at(issue)}`, ...hint(issue)],
  },
  'create-plan': { heading: (n) => `Stage 2: Chain Review - Iteration ${n}`, reviewer: GATEKEEPER, issue: PLAIN_ISSUE },
  'create-tasks': {
    heading: (n) => `Stage 2: Chain Review - Iteration ${n}`,
    reviewer: GATEKEEPER,
    issue: PLAIN_ISSUE,
  },
};

function documentReview(entry: IterationEntry, at: Date): readonly string[] {
  const { phase } = entry;
  const story = phase === 'implement' ? DOMAIN.specify : (entry.stage === 'phase' ? HANDOVER : DOMAIN)[phase];
  const look = entry.looks[0];
  const issues = look?.answer.issues.flatMap((one) => story.issue(one)) ?? [];
  return [
    `## ${story.heading(entry.iteration)} - ${at.toISOString()}${finalTag(entry)}`,
    '',
    ...(story.reviewer === null ? [] : [`**Reviewer:** ${story.reviewer}`]),
    `**Decision:** ${look === undefined ? 'None' : look.enginePass ? 'Approved' : 'Needs Revision'}`,
    ...errorLines(entry),
    '',
    '**Issues:**',
    ...(issues.length === 0 ? ['None.'] : issues),
  ];
}

const CODE: readonly { readonly role: ReviewerRole; readonly title: string; readonly name: string }[] = [
  { role: 'implementation-reviewer', title: 'Implementation Review', name: 'implementation' },
  { role: 'code-quality-reviewer', title: 'Quality Review', name: 'quality' },
  { role: 'security-reviewer', title: 'Security Review', name: 'security' },
];

const LEVELS = ['Tasks', 'Spec', 'Design', 'PRD'];

function codeReview(entry: IterationEntry, at: Date): readonly string[] {
  const issues = CODE.flatMap(({ role, name }) => {
    const look = entry.looks.find((one) => one.role === role);
    return look?.answer.issues.flatMap((issue) => codeIssue(issue, name)) ?? [];
  });
  return [
    `## Iteration ${entry.iteration} - ${at.toISOString()}${finalTag(entry)}`,
    '',
    ...CODE.flatMap(({ role, title }) => [`**${title}:** ${standing(entry, role)}`, ...levels(entry, role)]),
    ...errorLines(entry),
    '',
    '**Issues:**',
    ...(issues.length === 0 ? ['None.'] : issues),
  ];
}

function finalTag({ isFinalValidation }: IterationEntry): string {
  return isFinalValidation ? ' [FINAL VALIDATION]' : '';
}

function standing({ looks, skipped }: IterationEntry, role: ReviewerRole): string {
  const look = looks.find((one) => one.role === role);
  if (look !== undefined) return look.enginePass ? 'Approved' : 'Issues found';
  const rest = skipped.find((one) => one.role === role);
  return rest === undefined ? 'None' : `Skipped (passed iter ${rest.passedAt})`;
}

function levels({ looks }: IterationEntry, role: ReviewerRole): readonly string[] {
  if (role !== 'implementation-reviewer') return [];
  const judged = looks.find((one) => one.role === role)?.answer.levels ?? {};
  return LEVELS.flatMap((title, i) => {
    const passed = judged[title.toLowerCase()];
    return passed === undefined ? [] : [`  - Level ${i + 1} (${title}): ${passed ? 'pass' : 'fail'}`];
  });
}

function codeIssue(issue: LoopIssue, reviewer: string): readonly string[] {
  const tag = issue.level ?? issue.category;
  const tags = `[${issue.severity}]${tag === undefined ? '' : ` [${inline(tag)}]`}`;
  return [`- ${tags} ${reviewer}: ${inline(issue.description)}${at(issue)}`, ...hint(issue)];
}

function errorLines({ errors }: IterationEntry): readonly string[] {
  return errors.map(({ role, failure }) => {
    const reason = failure.kind === 'stopped' ? 'was stopped' : inline(describeAgentFailure(failure));
    return `**No verdict:** ${role} ${reason}`;
  });
}

function tagged({ severity, category }: LoopIssue): string {
  return `[${severity}]${category === undefined ? '' : ` [${inline(category)}]`}`;
}

function at({ location }: LoopIssue): string {
  return location === undefined ? '' : ` (at: ${inline(location)})`;
}

function hint({ suggestion }: LoopIssue, name = 'Suggestion'): readonly string[] {
  return suggestion === undefined ? [] : [`  ${name}: ${inline(suggestion)}`];
}

/** Returns an agent's text on one line, without markers. */
function inline(text: string): string {
  return withoutMarks(oneLine(text));
}

/** Returns a fix summary with its lines, escaped so that none looks like a heading or the end of the entry. */
function plain(text: string): string {
  return withoutMarks(text)
    .trim()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => showInvisible(line.replaceAll('\t', '  ')).replace(/^( {0,3})(#|---|===|\*\*)/, '$1\\$2'))
    .join('\n');
}
