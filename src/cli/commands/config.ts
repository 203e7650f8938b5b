import { type CheckedConfig, checkConfig } from '../../api.ts';
import { quoteName } from '../../kernel/escape.ts';
import { describeNotice } from '../../rules/describe.ts';
import { count } from '../../ui/wording.ts';
import { workflowWarnings } from '../../workflows/describe.ts';
import { exitWith, printJson, printResult, workingDirectory } from '../output.ts';

/** Reports every mistake in the configuration files; exits with 2 if there is one. */
export async function configCheckCommand({ json = false }: { readonly json?: boolean }): Promise<void> {
  const checked = await checkConfig(workingDirectory());
  if (!checked.ok) return exitWith(checked.failure, json);
  const { gates, rules, jobs } = checked.value;
  const problems = problemsOf(checked.value);
  if (problems.length > 0) process.exitCode = 2;
  if (json) return printJson({ valid: problems.length === 0, gates, rules, jobs, problems });
  const parts = [count(gates, 'gate'), count(rules, 'rule'), count(jobs, 'job')].join(', ');
  const verdict =
    problems.length === 0
      ? `The configuration is valid: ${parts}.`
      : `The configuration has ${count(problems.length, 'problem')} (exit code 2). Fix the files and run "onceover config check" again.`;
  printResult([...problems, verdict].join('\n'));
}

function problemsOf({ missingPrompts, notices, offered }: CheckedConfig): readonly string[] {
  return [
    ...missingPrompts.map((path) => `onceover.yml: the prompt file ${quoteName(path)} does not exist.`),
    ...notices.map(describeNotice),
    ...workflowWarnings(offered),
  ];
}
