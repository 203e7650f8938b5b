import { describeRunNotice, describeVerdict } from '../gates/describe/result.ts';
import { describeUncovered } from '../gates/describe/run.ts';
import type { GateOutcome, ReportedFinding, RunOutcome } from '../gates/run-types.ts';
import type { GateId } from '../kernel/ids.ts';
import { asShellWord } from '../ui/wording.ts';
import {
  currentFindings,
  type EndedRun,
  exitCodeOf,
  listObstacles,
  NO_GATE,
  namedText,
  type ReportEntry,
  readable,
  reportEntries,
} from './finished-run.ts';

/** The version of onceover that made a report. */
export type Tool = { readonly version: string };

/** Returns a run as SARIF 2.1.0: a rule per gate, a result per finding, failed check and gate without a result. */
export function sarifReport(run: EndedRun, tool: Tool): string {
  const rules = rulesOf(run);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const driver = { name: 'onceover', version: tool.version, semanticVersion: tool.version, rules };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        invocations: [invocationOf(run)],
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        columnKind: 'utf16CodeUnits',
        results: reportEntries(run).map((entry) => ({
          ruleId: entry.gate,
          ruleIndex: indexes.get(entry.gate) ?? -1,
          ...resultOf(entry),
        })),
        properties: propertiesOf(run),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const ROOT = '%SRCROOT%';

const FINGERPRINT = 'onceoverFinding/v1';

const KINDS: Readonly<Record<GateOutcome['kind'], string>> = {
  check: 'A command of onceover.yml.',
  review: 'A review of onceover.yml, by agents.',
  rule: 'A rule of a .deepreview file, reviewed by agents.',
};

function rulesOf(run: EndedRun) {
  const kinds = new Map<GateId, string>();
  if (run.kind === 'judged') for (const { id, kind } of run.outcome.gates) kinds.set(id, KINDS[kind]);
  for (const { finding } of currentFindings(run)) {
    if (!kinds.has(finding.gate)) kinds.set(finding.gate, 'A gate that no longer exists.');
  }
  if (listObstacles(run).some(({ gate }) => gate === null)) kinds.set(NO_GATE, 'Whether the gates have a result.');
  return [...kinds].map(([gate, what]) => {
    const id = readable(gate);
    return {
      id,
      shortDescription: { text: id },
      fullDescription: { text: what },
      help: { text: `See "onceover explain ${asShellWord(gate)}".` },
    };
  });
}

function resultOf(entry: ReportEntry) {
  const { reported, severity, message, fingerprint } = entry;
  return {
    level: severity,
    message: { text: withoutLinks(message) },
    locations: [locationOf(entry)],
    partialFingerprints: { [FINGERPRINT]: fingerprint },
    ...(reported === null ? {} : findingFacts(reported)),
  };
}

function findingFacts({ finding, state }: ReportedFinding) {
  const { id, slot, priority, since, mark } = finding;
  return {
    ...(state === 'waived' ? { suppressions: [suppressionOf(finding)] } : {}),
    properties: { id, state, priority, slot, agent: readable(finding.agent), since, mark },
  };
}

function locationOf({ file, region }: ReportEntry) {
  // SARIF locations are URIs, so encode each part of the path.
  const uri = file.split('/').map(encodeURIComponent).join('/');
  const artifactLocation = { uri, uriBaseId: ROOT };
  if (region === null) return { physicalLocation: { artifactLocation } };
  const { line, lastLine, code } = region;
  const end = lastLine === line ? {} : { endLine: lastLine };
  const snippet = code === null ? {} : { snippet: { text: code } };
  return { physicalLocation: { artifactLocation, region: { startLine: line, ...end, ...snippet } } };
}

function suppressionOf({ resolution }: ReportedFinding['finding']) {
  const why = readable(resolution?.why ?? '');
  return { kind: 'external', status: 'accepted', ...(why === '' ? {} : { justification: why }) };
}

/** Returns the SARIF `invocation`. It repeats gates without a result, because some tools read errors only here. */
function invocationOf(run: EndedRun) {
  const errors = listObstacles(run)
    .filter(({ isJudged }) => !isJudged)
    .map((obstacle) => ({ level: 'error', message: { text: readable(namedText(obstacle)) } }));
  const warnings = run.kind === 'judged' ? notReviewed(run.outcome) : [];
  return {
    executionSuccessful: errors.length === 0,
    exitCode: exitCodeOf(run),
    toolExecutionNotifications: [
      ...errors,
      ...warnings.map((text) => ({ level: 'warning', message: { text: readable(text) } })),
    ],
  };
}

function notReviewed(outcome: RunOutcome): string[] {
  const notices = outcome.notices.filter(({ kind }) => kind !== 'unnameable');
  return [...describeUncovered(outcome), ...notices.map(describeRunNotice)];
}

function propertiesOf(run: EndedRun) {
  if (run.kind === 'not-judged') return { status: run.status, exitCode: run.exitCode, result: readable(run.what) };
  const { status, exitCode, iteration, scope } = run.outcome;
  const [result = ''] = describeVerdict(run.outcome);
  return { status, exitCode, iteration, scope: readable(scope.key), result: readable(result) };
}

/** Returns a text without Markdown links, which SARIF would show, because a reviewer's text must not contain links. */
function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
