import { digestOf } from '@onceover/base/kernel/ids';
import { readable } from '@onceover/base/ui/markdown-text';
import { count } from '@onceover/base/ui/wording';
import { groupBySameCode } from '@onceover/gates/findings/same-code';
import type { RunDocument } from '@onceover/gates/result/json';
import { placeFinder } from './decide-anchor.ts';
import { type FindingDocument, isOpenFinding, partOfChange } from './describe-finding.ts';
import { describeErrorTitle, describeHeadline, describeOverall, type SummaryFacts } from './describe-summary.ts';
import { codeBlock, codeSpan, fitted, prose } from './describe-text.ts';
import type { CheckAnnotation, CheckConclusion, CheckReport, PublishAction, PullRequestState } from './types.ts';

/**
 * The name of the check about the whole run. Branch protection should require this check, because it exists even if no
 * gate covers the change.
 */
const OVERALL_CHECK = 'onceover';

const MOST_OF_TITLE = 120;
const MOST_OF_MESSAGE = 8000;

/**
 * Decides which check runs to create: one per gate and one for the whole run. Identical existing checks are not created
 * again.
 */
export function decideChecks(facts: SummaryFacts, state: ShownNow): PublishAction[] {
  const existingIds = new Map(state.checks.map(({ name, externalId }) => [name, externalId]));
  return reportsOf(facts, state)
    .map((report): CheckReport => {
      const externalId = digestOf([facts.commit, report]).slice(0, 32);
      return { ...report, externalId };
    })
    .filter(({ name, externalId }) => existingIds.get(name) !== externalId)
    .map((check) => ({ kind: 'create-check', check }));
}

type Report = Omit<CheckReport, 'externalId'>;
type ShownNow = Pick<PullRequestState, 'head' | 'checks' | 'files'>;

function reportsOf(facts: SummaryFacts, state: ShownNow): readonly Report[] {
  const { run, isUntrusted } = facts;
  const summary = describeOverall(facts);
  if (run.kind === 'error') {
    const title = describeErrorTitle(run);
    return [{ name: OVERALL_CHECK, conclusion: 'action_required', title, summary, annotations: [] }];
  }
  const { document } = run;
  const overall: Report = {
    name: OVERALL_CHECK,
    conclusion: conclusionOf(document),
    title: describeHeadline(document).replace(/^\S+ onceover: /u, ''),
    summary,
    annotations: [],
  };
  const annotate = annotator(state);
  const isElsewhere = (gate: string) => facts.runsChecksElsewhere === true && gate.startsWith('check:');
  const reason = document.not_asked.every(isElsewhere) ? null : NOT_ALL_GATES;
  const reports = [
    withoutPass(overall, reason),
    ...document.gates.map((gate) => gateReport(gate, document, annotate)),
  ].map((report) => withoutPass(report, isPartial(document, state) ? PARTIAL : null));
  return isUntrusted ? reports.map((report) => withoutPass(report, UNVERIFIED)) : reports;
}

const UNVERIFIED = {
  title: 'Not verified',
  why: 'The author of the pull request controls the job that made this result, so it does not count as a pass.',
};
const PARTIAL = {
  title: 'Only a part',
  why: 'The run reviewed only a part of the change, so its result does not count as a pass.',
};
const NOT_ALL_GATES = {
  title: 'Only some gates',
  why: 'Some gates of this change were not part of the run, so its result does not count as a pass. Require the checks of the gates instead.',
};

/**
 * Turns a pass into `action_required` if there is a reason not to count it. `neutral` would not help, because GitHub
 * counts it as satisfied.
 */
function withoutPass(report: Report, reason: typeof PARTIAL | null): Report {
  if (reason === null || report.conclusion === 'failure' || report.conclusion === 'action_required') return report;
  const title = `${reason.title}: ${report.title}`;
  return { ...report, conclusion: 'action_required', title, summary: `${reason.why}\n\n${report.summary}` };
}

/** Whether the run covers less than the change. Without a pull request, a single commit can be the whole change. */
function isPartial(document: RunDocument, { head }: ShownNow): boolean {
  const part = partOfChange(document);
  return part !== null && (head !== null || !part.startsWith('commit '));
}

function conclusionOf({ status, exit_code }: RunDocument): CheckConclusion {
  if (exit_code === 1) return 'failure';
  if (exit_code === 3) return 'action_required';
  return status === 'passed_with_warnings' ? 'neutral' : 'success';
}

type GateDocument = RunDocument['gates'][number];

function gateReport(
  gate: GateDocument,
  { findings }: RunDocument,
  annotate: (finding: FindingDocument) => CheckAnnotation[],
): Report {
  const gateFindings = findings.filter((finding) => finding.gate === gate.id);
  const open = gateFindings.filter(isOpenFinding);
  const warnings = gateFindings.filter(({ state }) => state === 'warning');
  const problems = groupBySameCode(open, (finding) => finding).length;
  const words = [
    ...(problems > 0 ? [count(problems, 'problem')] : []),
    ...(warnings.length > 0 ? [count(warnings.length, 'warning')] : []),
  ];
  const detail = readable(gate.detail).slice(0, MOST_OF_TITLE);
  const slots = gate.slots.map(({ slot, agent, status, detail: why }) => {
    const agentNote = agent === null ? '' : ` (${codeSpan(agent)})`;
    return `- reviewer ${slot}${agentNote}: ${status.replaceAll('_', ' ')}, ${prose(why)}`;
  });
  const output = gate.output === undefined || gate.output === '' ? [] : [codeBlock(gate.output)];
  return {
    name: `onceover (${readable(gate.id).replace(/\s+/g, ' ')})`,
    conclusion: gateConclusion(gate, warnings.length > 0),
    title: words.length > 0 ? words.join(', ') : detail,
    summary: fitted([`${prose(gate.detail)}.`, slots.join('\n'), ...output].filter((text) => text !== '').join('\n\n')),
    annotations: [...open, ...warnings].flatMap(annotate),
  };
}

function gateConclusion({ status }: GateDocument, hasWarnings: boolean): CheckConclusion {
  switch (status) {
    case 'pass':
    case 'holds':
      return hasWarnings ? 'neutral' : 'success';
    case 'fail':
      return 'failure';
    case 'error':
    case 'not_run':
      return 'action_required';
  }
}

const LEVELS = { critical: 'failure', high: 'failure', medium: 'warning', low: 'notice' } as const;

function annotator({ files }: Pick<PullRequestState, 'files'>): (finding: FindingDocument) => CheckAnnotation[] {
  const place = placeFinder(files);
  return (finding) => {
    const at = place(finding);
    const line = Math.max(1, finding.line ?? 1);
    if (finding.file === null) return [];
    const [first, last] = at?.kind === 'lines' ? [at.first, at.last] : [line, line];
    const isWarning = finding.state === 'warning' && LEVELS[finding.priority] === 'failure';
    const text = finding.fix === null ? finding.issue : `${finding.issue}\n\nFix: ${finding.fix}`;
    return [
      {
        path: finding.file,
        ...{ first, last },
        level: isWarning ? 'warning' : LEVELS[finding.priority],
        title: `${finding.id} ${finding.priority}: ${readable(finding.gate)}`.slice(0, MOST_OF_TITLE),
        message: readable(text).slice(0, MOST_OF_MESSAGE),
      },
    ];
  };
}
