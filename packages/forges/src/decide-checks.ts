import { digestOf } from '@onceover/base/kernel/ids';
import { readable } from '@onceover/base/ui/markdown-text';
import { count } from '@onceover/base/ui/wording';
import { groupBySameCode } from '@onceover/gates/findings/same-code';
import type { RunDocument } from '@onceover/gates/result/json';
import { placeFinder } from './decide-anchor.ts';
import { type FindingDocument, isOpenFinding } from './describe-finding.ts';
import { describeErrorTitle, describeHeadline, describeOverall, type SummaryFacts } from './describe-summary.ts';
import { codeBlock, codeSpan, fitted, prose } from './describe-text.ts';
import { describeStandingRefusal } from './standing/describe-standing.ts';
import {
  checkMark,
  describeCheckMark,
  keepsVerdict,
  type PublicationSubject,
  publicationSubject,
  readCheckMark,
  type ShownVerdict,
} from './standing/publication-subject.ts';
import type { CheckAnnotation, CheckConclusion, CheckReport, PublishAction, PullRequestState } from './types.ts';

/**
 * Returns the name of the check about the whole run. A check belongs to a commit, and one commit can be the head of
 * several pull requests, so the name says for which target branch it speaks. Branch protection should require this
 * check, because it exists even if no gate covers the change. `base` is null for a commit without a pull request; no
 * branch can have a name with a colon.
 */
function checkName(base: string | null): string {
  return base === null ? 'onceover: commit' : `onceover / ${base}`;
}

const MOST_OF_TITLE = 120;
const MOST_OF_MESSAGE = 8000;

/**
 * Decides which check runs to create: one per gate and one for the whole run. Identical existing checks are not created
 * again, and a result without a verdict does not replace a verdict about the same change.
 */
export function decideChecks(facts: SummaryFacts, state: ShownNow): PublishAction[] {
  const shownIds = new Map(state.checks.map(({ name, externalId }) => [name, externalId]));
  return reportsOf(facts, state).flatMap((report): PublishAction[] => {
    const shownId = shownIds.get(report.name) ?? '';
    const mark = checkMark(facts.standing.subject ?? commitSubject(facts.commit), VERDICTS[report.conclusion]);
    if (keepsVerdict(readCheckMark(shownId), mark)) return [];
    const externalId = describeCheckMark(mark, digestOf([facts.commit, report]).slice(0, 16));
    return shownId === externalId ? [] : [{ kind: 'create-check', check: { ...report, externalId } }];
  });
}

/**
 * Returns the check that says that the review goes on; null if the commit shows a check with a verdict, which stays
 * valid until there is a new one.
 */
export function decidePending(subject: PublicationSubject, checks: PullRequestState['checks']): CheckReport | null {
  const name = checkName(subject.base);
  const mark = checkMark(subject, 'pending');
  const shown = readCheckMark(checks.find((check) => check.name === name)?.externalId ?? '');
  if (shown !== null && (shown.verdict === 'pending' || keepsVerdict(shown, mark))) return null;
  const title = 'The review has started';
  const report = { name, title, summary: `${title}.`, annotations: [], conclusion: 'pending' } as const;
  return { ...report, externalId: describeCheckMark(mark, digestOf(report).slice(0, 16)) };
}

const VERDICTS = {
  success: 'passed',
  neutral: 'passed',
  failure: 'failed',
  action_required: 'none',
  pending: 'pending',
} as const satisfies Record<CheckConclusion, ShownVerdict>;

function commitSubject(head: string): PublicationSubject {
  const unknown = { headRepository: null, repository: null, base: null, baseCommit: null, gates: null };
  return publicationSubject({ ...unknown, head });
}

type Report = Omit<CheckReport, 'externalId'>;
type ShownNow = Pick<PullRequestState, 'pull' | 'checks' | 'files'>;

function reportsOf(facts: SummaryFacts, state: ShownNow): readonly Report[] {
  const { run, standing } = facts;
  const summary = describeOverall(facts);
  const name = checkName(standing.subject?.base ?? null);
  if (run.kind === 'error') {
    return [{ name, conclusion: 'action_required', title: describeErrorTitle(run), summary, annotations: [] }];
  }
  const { document } = run;
  const overall: Report = {
    name,
    conclusion: conclusionOf(document),
    title: describeHeadline(document).replace(/^\S+ onceover: /u, ''),
    summary,
    annotations: [],
  };
  const annotate = annotator(state);
  const gates = document.gates.map((gate) => gateReport(name, gate, document, annotate));
  const { refusal } = standing;
  const reason = refusal === null ? null : describeStandingRefusal(refusal);
  // Without some of its gates, a run still speaks for those that were part of it.
  const isOnlyOverall = refusal?.kind === 'differs' && refusal.part === 'gates';
  const part = isPartial(document, state) ? PARTIAL : null;
  return [
    withoutPass(overall, reason ?? part),
    ...gates.map((gate) => withoutPass(gate, isOnlyOverall ? part : (reason ?? part))),
  ];
}

const PARTIAL = {
  title: 'Only a part',
  why: 'The run reviewed only a part of the change, so its result does not count as a pass.',
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

/**
 * Whether the run covers less than the change, or compares it with something else than the target branch. Without a pull
 * request, a single commit can be the whole change, and any base the right one.
 */
function isPartial(document: RunDocument, { pull }: ShownNow): boolean {
  if (pull !== null) return document.scope !== FULL;
  return !/^(?:base |commit )/.test(document.scope) && document.scope !== FULL;
}

const FULL = 'full';

function conclusionOf({ status, exit_code }: RunDocument): CheckConclusion {
  if (exit_code === 1) return 'failure';
  if (exit_code === 3) return 'action_required';
  return status === 'passed_with_warnings' ? 'neutral' : 'success';
}

type GateDocument = RunDocument['gates'][number];

function gateReport(
  overallName: string,
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
    name: `${overallName} (${readable(gate.id).replace(/\s+/g, ' ')})`,
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
