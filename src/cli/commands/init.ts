import { init } from '../../app.ts';
import { setUpDocument } from '../../report/documents.ts';
import { tellSetUp } from '../../text/set-up.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function initCommand(options: {
  readonly rules?: boolean;
  readonly mcp?: string;
  readonly json?: boolean;
}): Promise<void> {
  const json = options.json === true;
  if (options.mcp !== undefined && options.mcp !== 'claude') {
    const said = `init --mcp knows the agent "claude" only, not "${options.mcp}".`;
    return fail({ kind: 'wrong-usage', said, command: 'init' }, json);
  }
  const steps = await init(workingDirectory(), { rules: options.rules === true, mcp: options.mcp !== undefined });
  if (!steps.ok) return fail(steps.failure, json);
  if (json) answerJson(setUpDocument(steps.value));
  else answer(tellSetUp(steps.value));
}
