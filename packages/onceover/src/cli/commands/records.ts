import { userInfo } from 'node:os';
import { quoteName, showInvisibleInLines } from '@onceover/base/kernel/escape';
import { ok } from '@onceover/base/kernel/result';
import { PAGE_WIDTH } from '@onceover/base/ui/terminal';
import { costCsv } from '@onceover/gates/cost/csv';
import { describeCost, describeFeatureCost } from '@onceover/gates/cost/describe';
import type { Cost } from '@onceover/gates/cost/read';
import { describeRunExplanation } from '@onceover/gates/explain/describe';
import { explainDocument } from '@onceover/gates/explain/json';
import { commandActor } from '@onceover/gates/findings/waivers';
import { describeCleaned, describeResolved } from '@onceover/gates/result/describe/messages';
import { resolvedDocument } from '@onceover/gates/result/json';
import { describeExplanation } from '@onceover/gates/rules/describe';
import { clean, cost, explain, recordsPage, resolveAll } from '../../api.ts';
import { givenFlags } from '../input.ts';
import { exitWith, type Flags, finish, printResult, workingDirectory, wrongUsage } from '../output.ts';
import type { PageFlags } from '../reports.ts';

export async function cleanCommand({ json = false }: Flags): Promise<void> {
  await finish(await clean(workingDirectory()), json, {
    document: ({ iterations, open }) => ({ archived_iterations: iterations, open_findings: [...open] }),
    text: describeCleaned,
  });
}

export async function costCommand(
  feature: string | undefined,
  options: Flags<'since' | 'branch', 'details' | 'csv'> & PageFlags,
): Promise<void> {
  const { json = false, csv = false, details = false, since = null, branch = null } = options;
  if (json && csv) return wrongUsage('cost', '--json and --csv cannot be used together.', json);
  const reports = options.report === undefined ? null : await import('../reports.ts');
  const files = reports?.pageFiles(options, 'cost') ?? ok([]);
  if (!files.ok) return exitWith(files.failure, json);
  const costResult = await cost(workingDirectory(), { feature: feature ?? null, since, branch });
  const missing =
    reports === null || !costResult.ok ? [] : await reports.writePages(files.value, await costPage(costResult.value));
  await finish(costResult, json, {
    exitCode: () => (missing.length === 0 ? 0 : 3),
    document: ({ report }) => report,
    text({ kind, report, rows }, { paint, width }) {
      if (csv) return costCsv(rows);
      const style = { paint, width: Math.min(WIDEST, Math.max(NARROWEST, width ?? PAGE_WIDTH)), details };
      return kind === 'all' ? describeCost(report, style) : describeFeatureCost(report, style);
    },
  });
}

function costPage({ kind, report }: Cost) {
  const pageContent = kind === 'all' ? { cost: report } : { feature: report };
  const title =
    kind === 'all' ? 'What reviews cost in this clone' : `What reviews of ${quoteName(report.feature)} cost`;
  return recordsPage(workingDirectory(), { page: 'cost', verdict: [title], ...pageContent });
}

const NARROWEST = 64;
const WIDEST = 110;

export async function explainCommand(name: string, options: Flags<'base', 'prompt' | 'transcript'>): Promise<void> {
  const { base = null, prompt = false, transcript = false, json = false } = options;
  const result = await explain(workingDirectory(), name, base);
  if (!result.ok) return exitWith(result.failure, json);
  if (result.value.about === 'review') {
    return finish(ok(result.value.explanation), json, {
      document: explainDocument,
      text: (review, { width }) => describeExplanation(review, width),
    });
  }
  const { explanation } = result.value;
  const { document } = explanation;
  if (transcript && !json) {
    if (document.about !== 'slot') return wrongUsage('explain', `--transcript ${NEEDS_REVIEWER}`);
    const { describeTurns } = await import('@onceover/gates/explain/describe-turns');
    return printResult(document.log === null ? NOT_RUN : describeTurns(document.log));
  }
  if (!prompt || json) return finish(ok(explanation), json, { document: () => document, text: describeRunExplanation });
  if ('log' in document) return printResult(showInvisibleInLines(document.log ?? NOT_RUN));
  return wrongUsage('explain', `--prompt works with a check too, and ${NEEDS_REVIEWER}`);
}

const NOT_RUN = 'It has not run on this change yet.';

const NEEDS_REVIEWER = 'needs the name of a reviewer: its gate and number, such as "review:src:code-quality@1".';

export async function resolveCommand(
  ids: readonly string[],
  flags: Flags<'skip', 'confirm'> & { readonly fixed?: string | true },
): Promise<void> {
  const { fixed, skip, confirm, json = false } = flags;
  const flagNames = givenFlags({ '--fixed': fixed, '--skip': skip, '--confirm': confirm });
  if (flagNames.length !== 1) return wrongUsage('resolve', 'Use --fixed, --skip with a reason, or --confirm.', json);
  const why = skip?.trim() ?? (typeof fixed === 'string' ? fixed : '');
  if (skip !== undefined && why === '') return wrongUsage('resolve', '--skip needs a reason.', json);
  const how = confirm === true ? 'confirmed' : skip === undefined ? 'fixed' : 'skipped';
  const by = commandActor(process.env, { isTerminal: process.stdin.isTTY === true, user: userInfo().username });
  await finish(await resolveAll(workingDirectory(), ids, { how, why }, by), json, {
    document(findings) {
      const documents = findings.map((finding) => resolvedDocument(finding, findings));
      const [only] = ids.length === 1 ? documents : [];
      return only ?? { findings: documents };
    },
    text: describeResolved,
  });
}
