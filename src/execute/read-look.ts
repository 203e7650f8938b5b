import type { RepoPath } from '../domain/brand.ts';
import type { Entry } from '../domain/gate.ts';
import { repoPath } from '../domain/repo-path.ts';
import { done, type Result } from '../domain/result.ts';
import { pointAt } from '../plan/anchor.ts';
import { isInCycle } from '../plan/cycle.ts';
import { seenAs } from '../plan/seen.ts';
import type { Look, Reported } from '../plan/settle-findings.ts';
import type { Answers } from '../prompt/answers.ts';
import type { SlotAnswer } from './ask-slot.ts';
import type { Wave } from './prepare-slot.ts';
import type { SlotJob } from './slot-job.ts';

/** What a look comes to: each problem with what it points at in the files as they were shown, and what was open before. */
export async function readLook(
  wave: Wave,
  job: SlotJob,
  answer: SlotAnswer,
  said: Answers['gate'],
  iteration: number,
  isStale: boolean,
): Promise<Result<Look>> {
  const { comparison } = wave.facts;
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const files = new Map<RepoPath, { readonly text: string | null; readonly seen: string | null }>();
  const earlier = job.state.findings.flatMap(({ finding }) => finding.file ?? []);
  const pathOf = (name: string) =>
    repoPath(name.startsWith(`${wave.request.root}/`) ? name.slice(wave.request.root.length + 1) : name);
  for (const file of [...said.violations.map(({ file: one }) => pathOf(one)), ...earlier]) {
    if (file === null || file === '' || files.has(file)) continue;
    const text = await wave.ports.snapshots.textIn(job.tree, file);
    if (!text.ok) return text;
    files.set(file, { text: text.value, seen: seenAs(entries.get(file), text.value) });
  }
  const reported = said.violations.map((violation): Reported => {
    const path = pathOf(violation.file);
    const file = path === null || path === '' ? null : path;
    const known = file === null ? undefined : files.get(file);
    const line = violation['no_such_line'] === true ? 0 : violation.line;
    const pointed = pointAt(known?.text ?? null, line, violation.code ?? null);
    const entry = file === null ? null : (entries.get(file) ?? null);
    return {
      file,
      line: pointed.line,
      code: violation.code ?? null,
      anchor: pointed.anchor,
      issue: file === null && violation.file.trim() !== '' ? `${violation.file}: ${violation.issue}` : violation.issue,
      fix: violation.fix ?? null,
      priority: violation.priority,
      mark: file !== null && entry === null ? 'off-diff' : pointed.mark,
      entry,
      seen: known?.seen ?? null,
    };
  });
  return done({
    gate: job.gate.id,
    scope: comparison.scope.key,
    slot: job.slot,
    agent: answer.agent,
    iteration,
    at: wave.ports.clock.now().toISOString(),
    content: job.gate.content,
    where: comparison.where,
    isRerun: wave.facts.past.slots.some(
      // A record by hand or by another tool is no look of ours, nor is one under another prompt a look at this.
      (record) =>
        record.gate === job.gate.id &&
        record.slot === job.slot &&
        record.own?.promptDigest === job.gate.rubric.digest &&
        isInCycle(record, comparison) &&
        (record.status === 'pass' || record.status === 'fail'),
    ),
    failOn: wave.request.settings.failOn,
    rerunNewIssueThreshold: wave.request.settings.rerunNewIssueThreshold,
    status: said.status,
    reported,
    previous: said.previous ?? [],
    message: said.message ?? null,
    earlier: job.state.findings,
    entryNow: (file) => entries.get(file) ?? null,
    isStale,
    seenNow: (file) => files.get(file)?.seen ?? null,
  });
}
