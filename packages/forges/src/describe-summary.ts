import { describePaid } from '@onceover/agents/ledger/describe';
import { digestOf } from '@onceover/base/kernel/ids';
import { count } from '@onceover/base/ui/wording';
import { groupBySameCode } from '@onceover/gates/findings/same-code';
import type { RunDocument } from '@onceover/gates/result/json';
import { type FindingDocument, isOpenFinding, partOfChange, placeWords } from './describe-finding.ts';
import { withMarker } from './describe-marker.ts';
import { codeSpan, fitted, prose, proseInLine } from './describe-text.ts';
import { describeDecision, shortCommit } from './describe-thread.ts';
import type { Verdict } from './marker-schema.ts';
import { describeStandingRefusal } from './standing/describe-standing.ts';
import type { Standing } from './standing/read-standing.ts';
import type { PublishedRun } from './types.ts';

export type { PublishedRun };

export type SummaryFacts = {
  readonly run: PublishedRun;
  readonly commit: string;
  /** The weight of the result here. */
  readonly standing: Standing;
  /** The address of a full report; null if there is none. */
  readonly reportUrl: string | null;
};

/**
 * The maximum number of lines of a summary comment, including its marker. The table of findings gets the lines that the
 * other lists leave free.
 */
const MOST_LINES = 30;
const MOST_FINDINGS = 10;
const MOST_BULLETS = 12;
const MOST_LINES_OF_LIST = 3;
/**
 * The lines of the summary that are neither list items nor table rows: marker, verdict, warning, table head, footer and
 * empty lines.
 */
const FRAME = 12;

const MOST_OF_ISSUE = 160;
const MOST_OF_DEMOTED = 100;

/** Returns the verdict of a result in one word. */
export function verdictOf(run: PublishedRun): Verdict {
  if (run.kind === 'error') return 'error';
  const { exit_code } = run.document;
  return exit_code === 0 ? 'passed' : exit_code === 1 ? 'failed' : 'error';
}

/** Returns the summary comment with its marker. */
export function describeSummary(facts: SummaryFacts, fingerprints: readonly string[]): string {
  const verdict = verdictOf(facts.run);
  const text = fitted(
    `${summaryLines(facts)
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()}\n`,
  );
  const digest = digestOf([verdict, fingerprints.toSorted(), text]).slice(0, 16);
  return withMarker({ kind: 'summary', verdict, digest, posted: fingerprints }, text);
}

function summaryLines(facts: SummaryFacts): readonly string[] {
  const { run, commit, standing, reportUrl } = facts;
  const end = [`Commit ${shortCommit(commit)}`, ...(reportUrl === null ? [] : [`[full report](${reportUrl})`])];
  const part = run.kind === 'run' ? partOfChange(run.document) : null;
  const refusal =
    standing.refusal === null || isAboutGates(standing) ? null : describeStandingRefusal(standing.refusal);
  const warnings: readonly string[] = [
    ...(refusal === null ? [] : [`**${refusal.title}:** ${refusal.why}`]),
    ...(standing.confirmedBy === null ? [] : [`**Confirmed** by ${codeSpan(standing.confirmedBy)}.`]),
    ...(part === null ? [] : [`**Only a part of the change was reviewed:** ${codeSpan(part)}.`]),
  ];
  const warning = warnings.length === 0 ? [] : ['', warnings.join(' ')];
  if (run.kind === 'error') {
    return [
      '### ⚠️ onceover: no result',
      ...warning,
      '',
      proseInLine(run.message, 600),
      '',
      proseInLine(run.next, 400),
      '',
      end.join(' · '),
    ];
  }
  const { document } = run;
  const bullets = bulletsOf(document);
  return [
    `### ${describeHeadline(document)}`,
    ...warning,
    '',
    ...findingTable(
      document.findings.filter(isOpenFinding),
      Math.min(MOST_FINDINGS, MOST_LINES - FRAME - bullets.length),
    ),
    '',
    ...bullets,
    '',
    end.join(' · '),
  ];
}

/** Whether only gates are missing, which the list of the gates that did not run already says. */
function isAboutGates({ refusal }: Standing): boolean {
  return refusal?.kind === 'differs' && refusal.part === 'gates';
}

/** Returns the verdict of a run as one line of text. */
export function describeHeadline(document: RunDocument): string {
  const { status, gates } = document;
  const problems = groupBySameCode(document.findings.filter(isOpenFinding), (finding) => finding).length;
  const gateCount = count(gates.length, 'gate');
  const failing = gates.filter((gate) => gate.status === 'fail').length;
  const without = gates.filter((gate) => gate.status === 'error' || gate.status === 'not_run').length;
  switch (status) {
    case 'passed':
      return `✅ onceover: passed, ${gateCount}`;
    case 'passed_with_warnings':
      return `✅ onceover: passed with warnings, ${gateCount}`;
    case 'no_changes':
      return '✅ onceover: nothing to review';
    case 'no_applicable_gates':
      return '✅ onceover: no gate covers this change';
    case 'failed':
    case 'retry_limit_exceeded':
      return problems > 0
        ? `❌ onceover: ${count(problems, 'problem')} to fix`
        : `❌ onceover: ${count(failing, 'gate')} failed`;
    case 'error':
    case 'lock_conflict':
      return `⚠️ onceover: no result for ${count(without, 'gate')}`;
  }
}

function findingTable(open: readonly FindingDocument[], limit: number): readonly string[] {
  if (open.length === 0) return [];
  const order = ['critical', 'high', 'medium', 'low'];
  const groups = groupBySameCode(
    [...open].sort((a, b) => order.indexOf(a.priority) - order.indexOf(b.priority)),
    (finding) => finding,
  );
  const rows = groups.slice(0, limit).map((group) => {
    const [first] = group;
    const ids = group.map(({ id }) => id).join(', ');
    return `| **${ids}** ${first.priority} | ${placeWords(first)} | ${proseInLine(first.issue, MOST_OF_ISSUE)} |`;
  });
  const omittedCount = groups.length - rows.length;
  return [
    '| finding | place | problem |',
    '|---|---|---|',
    ...rows,
    ...(omittedCount > 0
      ? ['', `${count(omittedCount, 'more problem is', 'more problems are')} not listed here.`]
      : []),
  ];
}

/**
 * Returns the list items of the summary. All lists are shortened to the same length until they fit into the summary.
 */
function bulletsOf(document: RunDocument): readonly string[] {
  const lists = listsOf(document);
  const lastBullets = closingBullets(document);
  for (let limit = MOST_LINES_OF_LIST; ; limit--) {
    const lines = lists.flatMap(({ title, items }) =>
      items.slice(0, limit).map((item, index) => {
        const omittedCount = index === limit - 1 ? items.length - limit : 0;
        return `- **${title}:** ${item}${omittedCount > 0 ? ` (and ${omittedCount} more)` : ''}`;
      }),
    );
    if (limit === 1 || lines.length + lastBullets.length <= MOST_BULLETS) return [...lines, ...lastBullets];
  }
}

function shortenList(list: readonly string[], limit: number): readonly string[] {
  return list.length > limit ? [...list.slice(0, limit), `and ${list.length - limit} more`] : list;
}

type SummaryList = { readonly title: string; readonly items: readonly string[] };

function listsOf(document: RunDocument): readonly SummaryList[] {
  const gates = document.gates
    // The table of findings shows the open findings, so a gate that fails only because of them needs no line of its
    // own.
    .filter(({ status, why }) => status !== 'pass' && status !== 'holds' && why !== 'open-findings')
    .map(({ id, status, detail }) => `${codeSpan(id)} ${GATE_WORDS[status]}: ${proseInLine(detail, 120)}`);
  const skippedSlots = document.gates.flatMap(({ id, slots }) =>
    slots
      .filter(({ status }) => status === 'skipped_prior_pass')
      .map(({ slot, agent, detail }) => {
        const agentNote = agent === null ? '' : ` (${codeSpan(agent)})`;
        return `reviewer ${slot}${agentNote} of ${codeSpan(id)}: ${proseInLine(detail, 120)}`;
      }),
  );
  const acceptedPasses = document.gates.flatMap(({ id, slots }) =>
    slots.flatMap(({ slot, accepted: pass }) => {
      if (pass === null) return [];
      const session = pass.session === 'resumed' ? 'resumed session of ' : '';
      const waivers = pass.waived === 0 ? '' : `, with ${count(pass.waived, 'waiver')}`;
      const signers = shortenList(pass.by.map(codeSpan), 3).join(', ');
      return [
        `reviewer ${slot} of ${codeSpan(id)}: ${session}${codeSpan(pass.agent)} in another clone, ${proseInLine(pass.at.slice(0, 10), 10)}, signed by ${signers}${waivers}`,
      ];
    }),
  );
  const contestedFindings = document.findings.filter((finding) => finding.contested === true);
  const demotedFindings = document.findings.filter((finding) => finding.seen_before !== undefined);
  return [
    { title: 'Gate', items: gates },
    {
      title: 'Contested',
      items: contestedFindings.map(
        ({ id }) => `${id} was closed and reported again three times: ${describeDecision([id])}`,
      ),
    },
    {
      title: 'Warning',
      items: demotedFindings.map((finding) => {
        const problem = proseInLine(finding.issue, MOST_OF_DEMOTED);
        return `${finding.id} ${finding.priority} ${placeWords(finding)} does not block, because its lines are unchanged since an earlier review: ${problem}`;
      }),
    },
    { title: 'Skipped', items: skippedSlots },
    { title: 'Accepted pass', items: acceptedPasses },
  ];
}

/** Returns the last list items of the summary: counts of findings and the cost of the run. */
function closingBullets(document: RunDocument): readonly string[] {
  const states = (target: FindingDocument['state']) => document.findings.filter(({ state }) => state === target);
  const closedIds = states('closed').map(({ id }) => id);
  const omittedGates = shortenList(document.not_asked.map(codeSpan), 5).join(', ');
  const counts = [
    ...(omittedGates === '' ? [] : [`not part of this run: ${omittedGates}`]),
    ...(closedIds.length > 0 ? [`closed in this run: ${shortenList(closedIds, 10).join(', ')}`] : []),
    ...(states('warning').length > 0 ? [count(states('warning').length, 'warning')] : []),
    ...(states('waived').length > 0 ? [`${count(states('waived').length, 'finding')} waived`] : []),
    ...(document.uncovered_files.length > 0
      ? [`${count(document.uncovered_files.length, 'changed file has', 'changed files have')} no review`]
      : []),
  ];
  const costLines = describePaid({
    usage: usageOf(document.usage),
    dispatches: document.dispatches,
    retries: document.retries,
    saved: document.saved,
  });
  return [
    ...(counts.length === 0 ? [] : [`- ${sentence(counts.join('; '))}`]),
    ...costLines.map((line) => `- ${line}`),
  ];
}

const GATE_WORDS = { fail: 'failed', error: 'has no result', not_run: 'did not run', pass: 'passed', holds: 'passed' };

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function usageOf(usage: RunDocument['usage']) {
  if (usage === null) return null;
  return {
    inputTokens: usage.input_tokens,
    cachedInputTokens: usage.cached_input_tokens,
    cacheWriteTokens: usage.cache_write_tokens,
    outputTokens: usage.output_tokens,
    costUsd: usage.cost_usd,
  };
}

/**
 * Returns the short comment that announces a changed verdict. Editing the summary notifies no one, so the change needs
 * a comment of its own.
 */
export function describeVerdictChange({ run, commit }: SummaryFacts, before: Verdict): string {
  const verdict = verdictOf(run);
  const headline = run.kind === 'run' ? describeHeadline(run.document) : '⚠️ onceover: no result';
  const text = `${headline} on ${shortCommit(commit)} (before: ${before}).\n`;
  return withMarker({ kind: 'verdict', verdict, commit }, text);
}

/** Returns the text of the check about the whole run: the same as the summary comment, without its marker. */
export function describeOverall(facts: SummaryFacts): string {
  return fitted(summaryLines(facts).slice(1).join('\n').trim());
}

/** Returns the title of the check for a run that ended with an error. */
export function describeErrorTitle(run: Extract<PublishedRun, { kind: 'error' }>): string {
  return prose(run.message).slice(0, 200);
}
