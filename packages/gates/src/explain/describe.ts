import { describeCache } from '@onceover/agents/ledger/describe';
import { oneLine, quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { cut, wrap } from '@onceover/base/ui/layout';
import { type Styled, UNSTYLED } from '@onceover/base/ui/style';
import { asShellWord, bulletList, count, describeDuration, reviewerName, someNames } from '@onceover/base/ui/wording';
import { bySeverity, describeFinding } from '../findings/describe.ts';
import type { ReportedFinding } from '../findings/types.ts';
import { describeReviewerPlan, describeWhy, SESSIONS, STATUS_WORDS } from '../result/describe/reasons.ts';
import { checkOutput } from '../run/describe/check-log.ts';
import { describeFindingState } from './describe-finding.ts';
import type { RunExplanation, RunExplanationDocument } from './json.ts';

type About<Kind> = Extract<RunExplanationDocument, { about: Kind }>;

/** Explains on one screen why a gate or reviewer ran or was skipped, with its findings and what makes it run again. */
export function describeRunExplanation(explanation: RunExplanation, style: Styled = UNSTYLED): string {
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const [title = '', ...blocks] = blocksOf(explanation, style, width);
  const [first = '', ...about] = title.split('\n');
  const head = [style.paint('strong', wrap(first, width, 2)), ...about.map((line) => wrap(line, width, 2))];
  return [head.join('\n'), ...blocks].filter((block) => block !== '').join('\n\n');
}

function blocksOf({ document, planned, findings }: RunExplanation, style: Styled, width: number): readonly string[] {
  if (document.about === 'finding') {
    return findings.flatMap((reportedFinding) => findingBlocks(reportedFinding, document, style, width));
  }
  const again = bulletList('When it runs again:', document.runs_again, width);
  if (document.about === 'idle_gate') {
    const against = document.base === null ? '' : ` from ${quoteName(document.base)}`;
    const why = `No file of the gate differs${against}, so runs leave it out and there are no records.`;
    return [`${quoteName(document.gate)}: nothing to review`, wrap(why, width), again];
  }
  const isCheck = document.about === 'check';
  const steps = isCheck ? [document.would_run ? 'run the check' : 'skip the check'] : planned.map(describeReviewerPlan);
  const findingTexts = [...findings]
    .sort(bySeverity)
    .map((finding) => describeFinding(finding, style, 'brief').join('\n'));
  const past = isCheck ? document.history.map(describeCheckRun) : document.history.map(describeReview);
  return [
    headOf(document),
    bulletList('The next run would:', steps.length === 0 ? ['call no reviewer'] : steps, width),
    isCheck ? '' : describeSharedReasons(document, width),
    listBlock('Findings:', findingTexts, MOST.findings),
    isCheck ? lastOutput(document, width) : '',
    listBlock(
      'History, newest first:',
      past.map((line) => wrap(`  ${line}`, width, 2)),
      MOST.records,
    ),
    document.about === 'slot' ? '' : describeFixes(document.fixes, width),
    again,
    promptHint(document),
  ];
}

const MOST = { findings: 5, records: 6, fixes: 3, fixLines: 5, output: 8 } as const;

function headOf(document: About<'gate' | 'slot' | 'check'>): string {
  if (document.about === 'slot') {
    return `${quoteName(document.gate)}, ${reviewerName(document.slot)}: ${document.slot.detail}`;
  }
  const { gate } = document;
  const title = `${quoteName(gate.id)}: ${STATUS_WORDS[gate.status]}, ${gate.detail}`;
  if (document.about === 'check') return `${title}\nCommand: ${oneLine(document.command)}`;
  const proof = document.proof == null ? '' : `\nProof: ${document.proof}`;
  return `${title}\nFiles: ${someNames(document.files)}\nPrompt: ${quoteName(document.prompt ?? 'none')}${proof}`;
}

/**
 * Explains for each reviewer why no pass of another clone counts. The text is empty if passes are not shared, or if a
 * pass was accepted for every reviewer.
 */
function describeSharedReasons(document: About<'gate' | 'slot'>, width: number): string {
  const slots = document.about === 'slot' ? [document.slot] : document.gate.slots;
  const reasons = slots.flatMap(({ slot, not_accepted: not }) => {
    return not === null ? [] : [`reviewer ${slot}: ${showInvisible(not.detail)}`];
  });
  return reasons.length === 0 ? '' : bulletList('Passes of other clones:', reasons, width);
}

function lastOutput({ history: [last], log }: About<'check'>, width: number): string {
  const lines = last === undefined || last.status === 'pass' || log === null ? [] : checkOutput(log);
  const lastLines = lines.slice(-MOST.output).map((line) => cut(`  ${showInvisible(line)}`, width));
  return listBlock('Last output:', lastLines, MOST.output);
}

/** Returns the command that prints the last prompt and answer, preferably of a reviewer that did not pass. */
function promptHint(document: About<'gate' | 'slot' | 'check'>): string {
  const gate = document.about === 'slot' ? document.gate : document.gate.id;
  if (document.about === 'check') {
    return document.history.length === 0 ? '' : `Command and output: onceover explain ${asShellWord(gate)} --prompt`;
  }
  const ran = document.history.filter(({ dispatch }) => dispatch !== 'none');
  const last = ran.find(({ status }) => status !== 'pass') ?? ran[0];
  if (last === undefined) return '';
  return `Prompt and answer: onceover explain ${asShellWord(`${gate}@${last.slot}`)} --prompt`;
}

/** Returns a title and the first entries of a list; empty if the list is empty. */
function listBlock(title: string, entries: readonly string[], limit: number): string {
  if (entries.length === 0) return '';
  const omissionNote = entries.length > limit ? [`  and ${entries.length - limit} more`] : [];
  return [title, ...entries.slice(0, limit), ...omissionNote].join('\n');
}

function describeFixes(fixes: About<'gate'>['fixes'], width: number): string {
  const entries = fixes.map(({ agent, iteration, said, log }) =>
    [
      wrap(`  after run ${iteration}: ${quoteName(agent)}, ${quoteName(log)}`, width, 2),
      ...said.slice(0, MOST.fixLines).map((line) => cut(`    ${showInvisible(line)}`, width)),
    ].join('\n'),
  );
  return listBlock('Fixes, newest first:', entries, MOST.fixes);
}

function findingBlocks(reportedFinding: ReportedFinding, document: About<'finding'>, style: Styled, width: number) {
  const changes = document.would_change_it;
  return [
    describeFindingState(reportedFinding, document.would_be_asked).title,
    describeFinding(reportedFinding, style).join('\n'),
    describeFixes(document.fixes, width),
    changes.length === 0 ? '' : bulletList('What can change this:', changes, width),
  ];
}

type Review = About<'gate'>['history'][number];

function describeReview(review: Review) {
  const { iteration, slot, agent, status, dispatch, why, findings } = review;
  const session = dispatch === 'fresh' || dispatch === 'resumed' ? `, ${SESSIONS[dispatch]}` : '';
  const reason = why === null ? 'not a record of onceover' : describeWhy(why);
  const findingList = findings.length === 0 ? '' : `: ${findings.join(', ')}`;
  const cacheNote = review.cache === undefined ? '' : `; ${describeCache(noteOf(review.cache))}`;
  return `run ${iteration}: ${reviewerName({ slot, agent })} ${STATUS_WORDS[status]}${session} (${reason}${cacheNote}${describeReads(review)})${findingList}`;
}

/**
 * Describes the session that read files for this reviewer and others, and the changed files that its prompt showed in
 * full.
 */
function describeReads({ reading, handed = [] }: Review): string {
  const promptNote = handed.length === 0 ? '' : `; the prompt showed ${someNames(handed)} as a whole`;
  if (reading === undefined) return promptNote;
  const files = count(reading.opened.length, 'file');
  return `; shares ${files} that one session read, counted for ${quoteName(reading.leader)}${promptNote}`;
}

function noteOf({ idle_ms, life_minutes, life_from, hit, ...costs }: NonNullable<Review['cache']>) {
  const { estimate_new: newEstimate, estimate_resumed: resumeEstimate } = costs;
  const estimate =
    newEstimate === null || resumeEstimate === null ? null : { fresh: newEstimate, resumed: resumeEstimate };
  return { idleMs: idle_ms, lifeMinutes: life_minutes, lifeFrom: life_from, hit, estimate };
}

function describeCheckRun({ iteration, status, duration_ms, why }: About<'check'>['history'][number]): string {
  const reason = why === null ? '' : ` (${showInvisible(why)})`;
  return `run ${iteration}: ${STATUS_WORDS[status]}, ${describeDuration(duration_ms)}${reason}`;
}
