import { showInvisibleInLines } from '@onceover/base/kernel/escape';
import { ok } from '@onceover/base/kernel/result';
import { wrapTo } from '@onceover/base/ui/style';
import { describePromptForAgent } from '@onceover/gates/result/describe/messages';
import { describeRunNotice, describeVerdict } from '@onceover/gates/result/describe/result';
import { describeRun } from '@onceover/gates/result/describe/run';
import { runDocument } from '@onceover/gates/result/json';
import { describeSignerAudits } from '@onceover/gates/sharing/describe';
import { status, statusPage } from '../../api.ts';
import { exitWith, type Flags, finish, workingDirectory } from '../output.ts';
import type { PageFlags } from '../reports.ts';
import { amountOf } from './run.ts';

export async function statusCommand(options: Flags<'base', 'prompt' | 'verbose'> & PageFlags): Promise<void> {
  const { json = false, prompt = false, base = null, report } = options;
  const reports = report === undefined ? null : await import('../reports.ts');
  const files = reports?.pageFiles(options, 'status') ?? ok([]);
  if (!files.ok) return exitWith(files.failure, json);
  const statusResult = await status(workingDirectory(), base);
  if (reports !== null && statusResult.ok) {
    const { outcome, proofs } = statusResult.value;
    const verdict = [...describeVerdict(outcome), ...proofs.map(describeProof)];
    const subject = { page: 'status', verdict, run: runDocument(outcome) } as const;
    const missing = await reports.writePages(files.value, await statusPage(workingDirectory(), base, subject));
    if (missing.length > 0) {
      process.exitCode = 3;
      return;
    }
  }
  await finish(statusResult, json, {
    warnings: ({ outcome }) => outcome.notices.map(describeRunNotice),
    document: ({ outcome, proofs, agreement }) => ({
      ...runDocument(outcome),
      ...(proofs.length === 0 ? {} : { proofs }),
      ...(agreement.length === 0 ? {} : { agreement }),
    }),
    text: async ({ outcome, failingChecks, proofs, agreement }, style) =>
      prompt
        ? showInvisibleInLines(describePromptForAgent(outcome.findings, await failingChecks()))
        : [
            describeRun(outcome, style, amountOf(options)),
            ...proofs.map((proof) => wrapTo(describeProof(proof), style)),
            ...describeSignerAudits(agreement).map((line) => wrapTo(line, style)),
          ].join('\n'),
    exitCode: ({ outcome }) => outcome.exitCode,
  });
}

/** Returns one line about the last proof of a gate (`onceover prove`). */
function describeProof({ gate, text }: { readonly gate: string; readonly text: string }): string {
  return `${gate}: ${text}`;
}
