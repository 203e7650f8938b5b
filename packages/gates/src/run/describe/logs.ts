import { describeTranscript } from '@onceover/agents/dispatch/describe-transcript';
import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import type { TranscriptEntry } from '@onceover/base/kernel/agent';
import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import type { SlotPlan } from '../../gate-types.ts';
import { describePlan } from '../../result/describe/reasons.ts';
import type { SlotRecord, Violation } from '../record-types.ts';

const RESULT_HEADING = '--- Result ---';

/** Returns the log of a reviewer: why it ran or was skipped and, if it ran, every prompt and answer, and the result. */
export function slotLog(record: SlotRecord, plan: SlotPlan, transcript: readonly TranscriptEntry[]): string {
  const { gate, slot, iteration } = record;
  const head = [`Review: ${gate} @${slot}, iteration ${iteration}`, describePlan(plan)];
  if (plan.kind !== 'run') return logOf(head);
  const error = record.own?.error ?? null;
  return logOf([
    ...head,
    ...describeTranscript(transcript),
    RESULT_HEADING,
    `Status: ${record.status.toUpperCase()}${error === null ? '' : ` (${error})`}`,
    ...record.violations.map(findingLine),
  ]);
}

function logOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function findingLine({ id, file, line, issue, priority, state }: Violation): string {
  const place = file === '' ? '' : `${file}${line === null ? '' : `:${line}`} - `;
  return `${id ?? '-'} ${priority} ${state ?? ''} ${place}${issue}`;
}

/** Returns the log of a fix: the problems that the fixer was given, every prompt and answer, and the result. */
export function fixLog(
  fix: Fix,
  about: { readonly round: number; readonly iteration: number | null; readonly asked: readonly string[] },
  transcript: readonly TranscriptEntry[],
): string {
  const after = about.iteration === null ? '' : `, after iteration ${about.iteration}`;
  return logOf([
    `Fix ${about.round}: ${fix.agent}${after}`,
    ...about.asked.map(askedAbout),
    ...describeTranscript(transcript),
    RESULT_HEADING,
    ...(fix.failure === null ? [] : [`Status: ERROR (${describeAgentFailure(fix.failure)})`]),
    `Files changed: ${fix.filesChanged}`,
    ...(fix.fixed.length === 0 ? [] : [`Says fixed: ${fix.fixed.join(', ')}`]),
    ...(fix.declined.length === 0 ? [] : [`Declines: ${fix.declined.join(', ')}`]),
    ...(fix.summary.trim() === '' ? [] : [`Summary: ${oneLine(fix.summary)}`]),
  ]);
}

const ASKED = 'Asked about: ';

function askedAbout(id: string): string {
  return `${ASKED}${quoteName(id)}`;
}

/** Whether the prompt in this log asked the fixer to fix one of these findings or checks. */
export function isAskedAbout(log: string, ids: readonly string[]): boolean {
  const [, ...lines] = log.split('\n');
  // Prompts and answers further down in the log may contain lines with this prefix too, so read only up to the first
  // line without it.
  const end = lines.findIndex((line) => !line.startsWith(ASKED));
  const askedLines = lines.slice(0, Math.max(0, end));
  return ids.some((id) => askedLines.includes(askedAbout(id)));
}

export function fixResult(log: string): readonly string[] {
  const lines = log.trimEnd().split('\n');
  const start = lines.lastIndexOf(RESULT_HEADING);
  return start === -1 ? [] : lines.slice(start + 1);
}
