import { quoteName } from '@onceover/base/kernel/escape';
import { count } from '@onceover/base/ui/wording';
import { describeTrusted } from '@onceover/gates/result/describe/messages';
import { describeNotice } from '@onceover/gates/rules/describe';
import { describeSnoozed } from '@onceover/gates/stop-hook/describe';
import { workflowWarnings } from '@onceover/loops/workflows/describe';
import { type CheckedConfig, checkConfig, doctor, init, removeSetUp, snoozeHook, trust } from '../../api.ts';
import { describeDoctor, describeRemoval, describeSetUp } from '../../setup/describe.ts';
import { IMPORT_TOOLS } from '../../setup/import/types.ts';
import { doctorDocument, removalDocument, setUpDocument } from '../../setup/json.ts';
import { canReview, HOOK_AGENTS } from '../../setup/types.ts';
import { interruptible } from '../interrupt.ts';
import { type Flags, finish, workingDirectory, wrongUsage } from '../output.ts';

export async function doctorCommand(options: Flags & { readonly resume?: string | true }): Promise<void> {
  const { json = false } = options;
  const resume = options.resume === true ? 'all' : (options.resume ?? null);
  const tell = (agent: string) =>
    process.stderr.write(`${agent}: testing whether it can resume a session (four short questions) …\n`);
  const report = await interruptible((signal) => doctor(workingDirectory(), { resume, signal, tell }), json);
  await finish(report, json, {
    document: doctorDocument,
    text: describeDoctor,
    exitCode({ agents }) {
      if (!agents.some(canReview)) return 3;
      const testedAgents = agents.filter(
        ({ name, program }) => program !== null && (resume === 'all' || name === resume),
      );
      return testedAgents.some((agent) => agent.resume.kind === 'no' && agent.resume.from === 'probed') ? 1 : 0;
    },
  });
}

export async function initCommand(
  options: Flags<'mcp' | 'hook', 'gates' | 'rules' | 'passes' | 'remove' | 'yes'> & { readonly from?: string | true },
): Promise<void> {
  const { json = false, remove = false, yes = false, ...asked } = options;
  const wrong = (message: string) => wrongUsage('init', message, json);
  if (remove && Object.keys(asked).length > 0)
    return wrong('init --remove can be combined only with --yes and --json.');
  if (remove) {
    const removal = await removeSetUp(workingDirectory(), { dryRun: !yes });
    return finish(removal, json, { document: removalDocument, text: describeRemoval });
  }
  if (asked.mcp !== undefined && asked.mcp !== 'claude')
    return wrong(`init --mcp supports the agent "claude", not "${asked.mcp}".`);
  const hook = HOOK_AGENTS.find((agent) => agent === asked.hook) ?? null;
  if (asked.hook !== undefined && hook === null)
    return wrong(`init --hook supports the agents "claude", "codex" and "gemini", not "${asked.hook}".`);
  const from = asked.from === true ? 'any' : (IMPORT_TOOLS.find((tool) => tool === asked.from) ?? null);
  if (asked.from !== undefined && from === null)
    return wrong(`init --from supports "gauntlet", "coderabbit" and "continue", not "${asked.from}".`);
  const [rules, mcp] = [asked.rules === true, asked.mcp !== undefined];
  const passes = asked.passes === true;
  const gates = asked.gates === true || from !== null || !(rules || mcp || hook !== null || passes);
  if (passes && gates) return wrong('Run init --gates first, then init --passes: both change onceover.yml.');
  const outcome = await init(workingDirectory(), { gates, from, rules, mcp, hook, passes });
  await finish(outcome, json, { document: setUpDocument, text: describeSetUp });
}

/** Reports every mistake in the configuration files. Exits with 2 if there is one. */
export async function configCheckCommand({ json = false }: Flags): Promise<void> {
  const checkResult = await checkConfig(workingDirectory());
  const problems = checkResult.ok ? problemsOf(checkResult.value) : [];
  const warnings = checkResult.ok ? warningsOf(checkResult.value) : [];
  const valid = problems.length === 0;
  await finish(checkResult, json, {
    exitCode: () => (valid ? 0 : 2),
    document: ({ gates, rules, jobs }) => ({ valid, gates, rules, jobs, problems, warnings }),
    text({ gates, rules, jobs }) {
      const parts = [count(gates, 'gate'), count(rules, 'rule'), count(jobs, 'job')].join(', ');
      const verdict = valid
        ? `The configuration is valid: ${parts}.`
        : `The configuration has ${count(problems.length, 'problem')} (exit code 2). Fix the files and run "onceover config check" again.`;
      return [...problems, ...warnings.map((warning) => `Warning: ${warning}`), verdict].join('\n');
    },
  });
}

function warningsOf({ idlePaths, ignored }: CheckedConfig): readonly string[] {
  return [
    ...ignored.map((name) => `onceover.yml: ${name} has no effect any more. Delete it.`),
    ...idlePaths.map(
      (path) =>
        `onceover.yml: no file matches the gate path ${quoteName(path)}. Check its spelling, also upper and lower case.`,
    ),
  ];
}

function problemsOf({ missingPrompts, idlePatterns, notices, offered }: CheckedConfig): readonly string[] {
  return [
    ...missingPrompts.map((path) => `onceover.yml: the prompt file ${quoteName(path)} does not exist.`),
    ...idlePatterns.map(
      (pattern) =>
        `onceover.yml: ${quoteName(pattern)} in passes.never_for matches no file, so no pass of another clone counts.`,
    ),
    ...notices.map(describeNotice),
    ...workflowWarnings(offered),
  ];
}

const DEFAULT_MINUTES = 60;
const MOST_MINUTES = 24 * 60;

export async function snoozeCommand(duration: string | undefined, { json = false }: Flags): Promise<void> {
  const minutes = duration === 'off' ? 0 : duration === undefined ? DEFAULT_MINUTES : Number(duration);
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > MOST_MINUTES)
    return wrongUsage('hook', `hook snooze takes a number of minutes up to ${MOST_MINUTES}, or "off".`, json);
  await finish(await snoozeHook(workingDirectory(), minutes), json, {
    document: (until) => ({ snoozed_until: until?.toISOString() ?? null }),
    text: describeSnoozed,
  });
}

export async function trustCommand({ json = false }: Flags): Promise<void> {
  await finish(await trust(workingDirectory()), json, {
    document: (commands) => ({ trusted_commands: [...commands] }),
    text: describeTrusted,
  });
}
