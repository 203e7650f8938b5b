import { clean, cost, explain, resolve } from '../../api.ts';
import { costCsv } from '../../cost/csv.ts';
import { describeCost, describeFeatureCost } from '../../cost/describe.ts';
import { describeRunExplanation } from '../../explain/describe.ts';
import { explainDocument } from '../../explain/json.ts';
import { describeCleaned, describeResolved } from '../../gates/describe/messages.ts';
import { resolvedDocument } from '../../gates/json.ts';
import { describeExplanation } from '../../rules/describe.ts';
import { pageStyle, shownOn } from '../../ui/terminal.ts';
import { exitWith, printJson, printResult, workingDirectory } from '../output.ts';

export async function cleanCommand(options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const cleaned = await clean(workingDirectory());
  if (!cleaned.ok) return exitWith(cleaned.failure, json);
  const { iterations, open } = cleaned.value;
  if (json) printJson({ archived_iterations: iterations, open_findings: [...open] });
  else printResult(describeCleaned(cleaned.value));
}

export async function costCommand(
  feature: string | undefined,
  options: {
    readonly since?: string;
    readonly branch?: string;
    readonly details?: boolean;
    readonly json?: boolean;
    readonly csv?: boolean;
  },
): Promise<void> {
  const { json = false, csv = false, details = false, since = null, branch = null } = options;
  if (json && csv) return exitWith({ kind: 'wrong-usage', said: TWO_FORMATS, command: 'cost' }, json);
  const found = await cost(workingDirectory(), { feature: feature ?? null, since, branch });
  if (!found.ok) return exitWith(found.failure, json);
  const { kind, report, rows } = found.value;
  if (csv) return printResult(costCsv(rows));
  if (json) return printJson(report);
  const { paint, width } = pageStyle(process);
  const style = { paint, width: Math.min(WIDEST, Math.max(NARROWEST, width)), details };
  printResult(kind === 'all' ? describeCost(report, style) : describeFeatureCost(report, style));
}

const TWO_FORMATS = '--json and --csv cannot be used together.';

const NARROWEST = 64;

const WIDEST = 110;

export async function explainCommand(
  name: string,
  options: { readonly base?: string; readonly prompt?: boolean; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const explained = await explain(workingDirectory(), name, { base: options.base ?? null });
  if (!explained.ok) return exitWith(explained.failure, json);
  const { value } = explained;
  const shown = shownOn(process.stdout, process.env);
  if (value.about === 'review') {
    if (json) printJson(explainDocument(value.explanation));
    else printResult(describeExplanation(value.explanation, shown.width));
    return;
  }
  const { document } = value.explanation;
  if (json) printJson(document);
  else if (options.prompt !== true) printResult(describeRunExplanation(value.explanation, shown));
  else if ('log' in document) printResult(document.log ?? 'It has not run on this change yet.');
  else {
    const said =
      '--prompt works with a reviewer or a check. Name a reviewer by gate and number, such as "review:src:code-quality@1".';
    await exitWith({ kind: 'wrong-usage', said, command: 'explain' }, json);
  }
}

export async function resolveCommand(
  id: string,
  options: { readonly fixed?: string | true; readonly skip?: string; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const usage = (said: string) => exitWith({ kind: 'wrong-usage', said, command: 'resolve' }, json);
  if ((options.fixed === undefined) === (options.skip === undefined)) {
    return usage('Use either --fixed, or --skip with a reason.');
  }
  if (options.skip !== undefined && options.skip.trim() === '') return usage('--skip needs a reason.');
  const word =
    options.skip === undefined
      ? ({ how: 'fixed', why: typeof options.fixed === 'string' ? options.fixed : '' } as const)
      : ({ how: 'skipped', why: options.skip.trim() } as const);
  const resolved = await resolve(workingDirectory(), id, word);
  if (!resolved.ok) return exitWith(resolved.failure, json);
  const { finding } = resolved.value;
  if (json) printJson(resolvedDocument(finding));
  else printResult(describeResolved(finding));
}
