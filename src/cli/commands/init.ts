import { init, removeSetUp } from '../../app.ts';
import { FOREIGN_TOOLS } from '../../domain/carry-over.ts';
import { HOOK_AGENTS } from '../../domain/set-up.ts';
import { removalDocument } from '../../report/removal-document.ts';
import { setUpDocument } from '../../report/set-up-document.ts';
import { tellRemoval } from '../../text/removal.ts';
import { tellSetUp } from '../../text/set-up.ts';
import { shownOn } from '../looks.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function initCommand(options: {
  readonly gates?: boolean;
  readonly from?: string | true;
  readonly rules?: boolean;
  readonly mcp?: string;
  readonly hook?: string;
  readonly remove?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}): Promise<void> {
  const json = options.json === true;
  if (options.remove === true) return removeCommand(options, json);
  if (options.yes === true) {
    const said = 'init --yes belongs to --remove; without it, nothing is asked.';
    return fail({ kind: 'wrong-usage', said, command: 'init' }, json);
  }
  if (options.mcp !== undefined && options.mcp !== 'claude') {
    const said = `init --mcp knows the agent "claude" only, not "${options.mcp}".`;
    return fail({ kind: 'wrong-usage', said, command: 'init' }, json);
  }
  const hook = HOOK_AGENTS.find((agent) => agent === options.hook) ?? null;
  if (options.hook !== undefined && hook === null) {
    const said = `init --hook knows the agents "claude", "codex" and "gemini", not "${options.hook}".`;
    return fail({ kind: 'wrong-usage', said, command: 'init' }, json);
  }
  const from = options.from === true ? 'any' : (FOREIGN_TOOLS.find((tool) => tool === options.from) ?? null);
  if (options.from !== undefined && from === null) {
    const said = `init --from knows "gauntlet", "coderabbit" and "continue", not "${options.from}".`;
    return fail({ kind: 'wrong-usage', said, command: 'init' }, json);
  }
  const [rules, mcp] = [options.rules === true, options.mcp !== undefined];
  const gates = options.gates === true || from !== null || !(rules || mcp || hook !== null);
  const outcome = await init(workingDirectory(), { gates, from, rules, mcp, hook });
  if (!outcome.ok) return fail(outcome.failure, json);
  if (json) answerJson(setUpDocument(outcome.value));
  else answer(tellSetUp(outcome.value, shownOn(process.stdout, process.env)));
}

async function removeCommand(options: Parameters<typeof initCommand>[0], json: boolean): Promise<void> {
  const { gates, from, rules, mcp, hook } = options;
  if ([gates, from, rules, mcp, hook].some((one) => one !== undefined)) {
    const said = 'init --remove takes away all that onceover wrote, and no other option but --yes and --json.';
    return fail({ kind: 'wrong-usage', said, command: 'init' }, json);
  }
  const removal = await removeSetUp(workingDirectory(), { isDone: options.yes === true });
  if (!removal.ok) return fail(removal.failure, json);
  if (json) answerJson(removalDocument(removal.value));
  else answer(tellRemoval(removal.value, shownOn(process.stdout, process.env)));
}
