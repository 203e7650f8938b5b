import { doctor, init, removeSetUp, snoozeHook, trust } from '../../api.ts';
import { describeTrusted } from '../../gates/describe/messages.ts';
import { describeDoctor, describeRemoval, describeSetUp } from '../../setup/describe.ts';
import { IMPORT_TOOLS } from '../../setup/import/types.ts';
import { doctorDocument, removalDocument, setUpDocument } from '../../setup/json.ts';
import { HOOK_AGENTS } from '../../setup/types.ts';
import { describeSnoozed } from '../../stop-hook/describe.ts';
import { shownOn } from '../../ui/terminal.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, printJson, printResult, workingDirectory } from '../output.ts';

export async function doctorCommand(options: {
  readonly resume?: string | true;
  readonly json?: boolean;
}): Promise<void> {
  const json = options.json === true;
  const resume = options.resume === undefined ? null : options.resume === true ? 'all' : options.resume;
  const report = await interruptible(
    (signal) =>
      doctor(workingDirectory(), {
        resume,
        signal,
        tell: (agent) =>
          process.stderr.write(`${agent}: testing whether it can resume a session (four short questions) …\n`),
      }),
    json,
  );
  if (report === 'interrupted') return;
  if (!report.ok) return exitWith(report.failure, json);
  if (json) printJson(doctorDocument(report.value));
  else printResult(describeDoctor(report.value, shownOn(process.stdout, process.env)));
  const tried = report.value.agents.filter(
    (agent) => agent.program !== null && (resume === 'all' || agent.name === resume),
  );
  if (tried.some((agent) => agent.resume.kind === 'no' && agent.resume.from === 'probed')) process.exitCode = 1;
}

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
  const wrongUsage = (said: string) => exitWith({ kind: 'wrong-usage', said, command: 'init' }, json);
  if (options.remove === true) {
    const { gates, from, rules, mcp, hook } = options;
    return [gates, from, rules, mcp, hook].some((one) => one !== undefined)
      ? wrongUsage('init --remove can be combined only with --yes and --json.')
      : removeCommand(options.yes !== true, json);
  }
  if (options.yes === true) {
    return wrongUsage('init --yes works only with --remove: without it, init asks no questions.');
  }
  if (options.mcp !== undefined && options.mcp !== 'claude') {
    return wrongUsage(`init --mcp supports the agent "claude", not "${options.mcp}".`);
  }
  const hook = HOOK_AGENTS.find((agent) => agent === options.hook) ?? null;
  if (options.hook !== undefined && hook === null) {
    return wrongUsage(`init --hook supports the agents "claude", "codex" and "gemini", not "${options.hook}".`);
  }
  const from = options.from === true ? 'any' : (IMPORT_TOOLS.find((tool) => tool === options.from) ?? null);
  if (options.from !== undefined && from === null) {
    return wrongUsage(`init --from supports "gauntlet", "coderabbit" and "continue", not "${options.from}".`);
  }
  const [rules, mcp] = [options.rules === true, options.mcp !== undefined];
  const gates = options.gates === true || from !== null || !(rules || mcp || hook !== null);
  const outcome = await init(workingDirectory(), { gates, from, rules, mcp, hook });
  if (!outcome.ok) return exitWith(outcome.failure, json);
  if (json) printJson(setUpDocument(outcome.value));
  else printResult(describeSetUp(outcome.value, shownOn(process.stdout, process.env)));
}

async function removeCommand(dryRun: boolean, json: boolean): Promise<void> {
  const removal = await removeSetUp(workingDirectory(), { dryRun });
  if (!removal.ok) return exitWith(removal.failure, json);
  if (json) printJson(removalDocument(removal.value));
  else printResult(describeRemoval(removal.value, shownOn(process.stdout, process.env)));
}

const DEFAULT_MINUTES = 60;

const MOST_MINUTES = 24 * 60;

export async function snoozeCommand(
  asked: string | undefined,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const minutes = asked === 'off' ? 0 : asked === undefined ? DEFAULT_MINUTES : Number(asked);
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > MOST_MINUTES) {
    const said = `hook snooze takes a number of minutes up to ${MOST_MINUTES}, or "off".`;
    return exitWith({ kind: 'wrong-usage', said, command: 'hook' }, json);
  }
  const until = await snoozeHook(workingDirectory(), minutes);
  if (!until.ok) return exitWith(until.failure, json);
  if (json) printJson({ snoozed_until: until.value?.toISOString() ?? null });
  else printResult(describeSnoozed(until.value));
}

export async function trustCommand(options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const trusted = await trust(workingDirectory());
  if (!trusted.ok) return exitWith(trusted.failure, json);
  if (json) printJson({ trusted_commands: [...trusted.value] });
  else printResult(describeTrusted(trusted.value));
}
