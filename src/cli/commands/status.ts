import { preview } from '../../app.ts';
import { runDocument } from '../../report/run-document.ts';
import { tellPromptForAgent } from '../../text/fix-prompt.ts';
import { tellRun, tellRunNotice } from '../../text/run.ts';
import { shownOn } from '../looks.ts';
import { answer, answerJson, fail, warn } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function statusCommand(options: {
  readonly prompt?: boolean;
  readonly base?: string;
  readonly json?: boolean;
}): Promise<void> {
  const json = options.json === true;
  const previewed = await preview(workingDirectory(), {
    selection: { kind: 'change', base: options.base ?? null },
    gates: [],
    paths: [],
    force: false,
    fresh: false,
    all: false,
    startedBy: 'agent',
    reporter: { tell: () => {} },
    stop: null,
  });
  if (!previewed.ok) return fail(previewed.failure, json);
  const { outcome, failingChecks } = previewed.value;
  warn(outcome.notices.map(tellRunNotice));
  if (json) answerJson(runDocument(outcome));
  else if (options.prompt === true) answer(tellPromptForAgent(outcome.findings, await failingChecks()));
  else answer(tellRun(outcome, shownOn(process.stdout, process.env)));
  process.exitCode = outcome.exitCode;
}
