import { oneLine, showInvisible } from '@onceover/base/kernel/escape';
import type { DocumentPhase, ReviewerRole } from '@onceover/base/kernel/review-loops';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { describeIssueMark, type IssueTags, issueLines, withoutMarks } from '../describe/issues.ts';
import type { IterationEntry, LoopIssue, PhaseFix } from '../types.ts';

/** Returns the entry of a round in `.review-history.md`. `fix` is null if the issues are not fixed yet. */
export function historyEntry(entry: IterationEntry, at: Date, fix: Pick<PhaseFix, 'summary' | 'marks'> | null): string {
  const marks = [...entry.marks, ...(fix?.marks ?? [])].map(describeIssueMark);
  const summary = fix?.summary ?? '';
  return [
    ...(entry.stage === 'implement' ? codeReview(entry, at) : documentReview(entry, at)),
    '',
    '**Changes Made:**',
    summary.trim() === '' ? 'None.' : plain(summary),
    ...(marks.length === 0 ? [] : ['', ...marks]),
    '',
    '---',
    '',
  ].join('\n');
}

/**
 * Returns the history with the old text `earlier` of an entry replaced by `entry`. If the history does not contain
 * `earlier`, appends `entry`.
 */
export function withEntry(history: string, entry: string, earlier: string | null): string {
  const start = earlier === null || earlier === '' ? -1 : history.lastIndexOf(earlier);
  if (earlier !== null && start !== -1) {
    return `${history.slice(0, start)}${entry}${history.slice(start + earlier.length)}`;
  }
  if (history.trim() === '') return `${history}${entry}`;
  return `${history}${history.endsWith('\n') ? '' : '\n'}\n${entry}`;
}

/** The words that differ in the history entries of each loop that reviews a document. */
type Story = {
  /** The beginning of an entry's heading. The iteration number follows it. */
  readonly heading: string;
  readonly reviewer: string | null;
  readonly issue: (issue: LoopIssue) => readonly string[];
};

const ISSUE = (issue: LoopIssue) => bullet(issue, [issue.category]);

const HANDOVER: Story = { heading: 'Stage 2: Chain Review -', reviewer: 'phase-reviewer (gatekeeper)', issue: ISSUE };

const STORIES: Readonly<Record<DocumentPhase, { readonly domain: Story; readonly phase: Story }>> = {
  specify: {
    domain: { heading: 'Stage 1: Spec-Reviewer Review -', reviewer: 'spec-reviewer (skeptic)', issue: ISSUE },
    phase: { ...HANDOVER, heading: 'Stage 2: Phase Review -' },
  },
  design: {
    domain: {
      heading: 'Design Review -',
      reviewer: 'design-reviewer (skeptic)',
      issue: (issue) => bullet(issue, [issue.category], { hint: 'Challenge' }),
    },
    phase: { ...HANDOVER, heading: 'Handoff Review -', issue: (issue) => bullet(issue, []) },
  },
  'create-plan': {
    domain: { heading: 'Stage 1: Plan Review -', reviewer: 'plan-reviewer (skeptic)', issue: ISSUE },
    phase: HANDOVER,
  },
  'create-tasks': {
    domain: {
      heading: 'Task Review',
      reviewer: null,
      issue: ({ severity, description, location, suggestion }) => [
        `- [${severity}] ${location === undefined ? '' : `${inline(location)}: `}${inline(description)}${suggestion === undefined ? '' : ` -> ${inline(suggestion)}`}`,
      ],
    },
    phase: HANDOVER,
  },
};

function documentReview(entry: IterationEntry, at: Date): readonly string[] {
  const { phase, stage, iteration } = entry;
  const story = STORIES[phase === 'implement' ? 'specify' : phase][stage === 'phase' ? 'phase' : 'domain'];
  const look = entry.looks[0];
  return [
    `## ${story.heading} Iteration ${iteration} - ${at.toISOString()}${finalTag(entry)}`,
    '',
    ...(story.reviewer === null ? [] : [`**Reviewer:** ${story.reviewer}`]),
    `**Decision:** ${look === undefined ? 'None' : look.enginePass ? 'Approved' : 'Needs Revision'}`,
    ...errorLines(entry),
    ...issuesSection(look?.answer.issues.flatMap(story.issue) ?? []),
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
    const look = entry.looks.find((candidate) => candidate.role === role);
    return look?.answer.issues.flatMap((issue) => bullet(issue, [issue.level ?? issue.category], { by: name })) ?? [];
  });
  return [
    `## Iteration ${entry.iteration} - ${at.toISOString()}${finalTag(entry)}`,
    '',
    ...CODE.flatMap(({ role, title }) => [`**${title}:** ${standing(entry, role)}`, ...levels(entry, role)]),
    ...errorLines(entry),
    ...issuesSection(issues),
  ];
}

function finalTag({ isFinalValidation }: IterationEntry): string {
  return isFinalValidation ? ' [FINAL VALIDATION]' : '';
}

function standing({ looks, skipped }: IterationEntry, role: ReviewerRole): string {
  const look = looks.find((candidate) => candidate.role === role);
  if (look !== undefined) return look.enginePass ? 'Approved' : 'Issues found';
  const skip = skipped.find((candidate) => candidate.role === role);
  return skip === undefined ? 'None' : `Skipped (passed iter ${skip.passedAt})`;
}

function levels({ looks }: IterationEntry, role: ReviewerRole): readonly string[] {
  if (role !== 'implementation-reviewer') return [];
  const levelVerdicts = looks.find((candidate) => candidate.role === role)?.answer.levels ?? {};
  return LEVELS.flatMap((title, i) => {
    const hasPassed = levelVerdicts[title.toLowerCase()];
    return hasPassed === undefined ? [] : [`  - Level ${i + 1} (${title}): ${hasPassed ? 'pass' : 'fail'}`];
  });
}

function errorLines({ errors }: IterationEntry): readonly string[] {
  return errors.map(({ role, failure }) => {
    const reason = failure.kind === 'stopped' ? 'was stopped' : inline(describeAgentFailure(failure));
    return `**No verdict:** ${role} ${reason}`;
  });
}

function issuesSection(issues: readonly string[]): readonly string[] {
  return ['', '**Issues:**', ...(issues.length === 0 ? ['None.'] : issues)];
}

function bullet(issue: LoopIssue, tags: IssueTags, options: { readonly by?: string; readonly hint?: string } = {}) {
  return issueLines(issue, inline, { tags, ...options });
}

/**
 * Returns an agent's text on one line. Key words of marker lines, such as RESUME-FALLBACK, become lower case, so that
 * users who search for marker lines do not find this text.
 */
function inline(text: string): string {
  return withoutMarks(oneLine(text));
}

/**
 * Returns the summary of a fix, changed so that none of its lines looks like a heading or the end of the history entry.
 */
function plain(text: string): string {
  return withoutMarks(text)
    .trim()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => showInvisible(line.replaceAll('\t', '  ')).replace(/^( {0,3})(#|---|===|\*\*)/, '$1\\$2'))
    .join('\n');
}
