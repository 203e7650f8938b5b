import type { GateId } from '../domain/gate.ts';
import type { GateOutcome, RunOutcome, ToldFinding } from '../domain/run.ts';
import { commandWord } from '../text/command-word.ts';
import { tellRunNotice, tellUncovered } from '../text/run.ts';
import { tellResult } from '../text/run-result.ts';
import { type EndedRun, exitCodeOf, type Obstacle, obstaclesOf, standingFindings } from './ended-run.ts';
import { findingMessage } from './finding-message.ts';
import { isQuoted, NO_FILE, placeOf } from './finding-place.ts';
import { findingFingerprint, gateFingerprint } from './fingerprint.ts';
import { readable, wellFormed } from './readable.ts';
import { severityOf } from './severity.ts';

/** Which onceover made a report. */
export type Tool = { readonly version: string };

/** A run as SARIF 2.1.0: a rule for each gate, a result for each finding and for each gate that failed without one. */
export function sarifReport(run: EndedRun, tool: Tool): string {
  const rules = rulesOf(run);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const named = (gate: GateId | null) => {
    const ruleId = readable(gate ?? RUN);
    return { ruleId, ruleIndex: indexes.get(ruleId) ?? -1 };
  };
  const obstacles = obstaclesOf(run);
  const driver = { name: 'onceover', version: tool.version, semanticVersion: tool.version, rules };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        invocations: [invocationOf(run, obstacles)],
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        columnKind: 'utf16CodeUnits',
        results: [
          ...standingFindings(run).map((told) => ({ ...named(told.finding.gate), ...findingResult(told) })),
          ...obstacles.map((obstacle) => ({ ...named(obstacle.gate), ...obstacleResult(obstacle) })),
        ],
        properties: propertiesOf(run),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** The rule of what is about no gate. */
const RUN = 'onceover';
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
  for (const { finding } of standingFindings(run)) {
    if (!kinds.has(finding.gate)) kinds.set(finding.gate, 'A gate that is no more.');
  }
  if (obstaclesOf(run).some(({ gate }) => gate === null)) kinds.set(RUN, 'Whether the change could be judged.');
  return [...kinds].map(([gate, what]) => {
    const id = readable(gate);
    return {
      id,
      shortDescription: { text: id },
      fullDescription: { text: what },
      help: { text: `See "onceover explain ${commandWord(gate)}".` },
    };
  });
}

function findingResult(told: ToldFinding) {
  const { finding, state } = told;
  const { id, slot, priority, since, mark } = finding;
  return {
    level: severityOf(told),
    message: { text: withoutLinks(findingMessage(finding)) },
    locations: [locationOf(finding)],
    partialFingerprints: { [FINGERPRINT]: findingFingerprint(finding) },
    ...(state === 'waived' ? { suppressions: [suppressionOf(finding)] } : {}),
    properties: { id, state, priority, slot, agent: readable(finding.agent), since, mark },
  };
}

function locationOf(finding: ToldFinding['finding']) {
  const { file, line, lastLine } = placeOf(finding);
  const artifactLocation = { uri: uriOf(file), uriBaseId: ROOT };
  if (line === null) return { physicalLocation: { artifactLocation } };
  const end = lastLine === null || lastLine === line ? {} : { endLine: lastLine };
  const snippet = finding.code !== null && isQuoted(finding) ? { snippet: { text: wellFormed(finding.code) } } : {};
  return { physicalLocation: { artifactLocation, region: { startLine: line, ...end, ...snippet } } };
}

function suppressionOf({ resolution }: ToldFinding['finding']) {
  const why = readable(resolution?.why ?? '');
  return { kind: 'external', status: 'accepted', ...(why === '' ? {} : { justification: why }) };
}

function obstacleResult({ gate, text, output }: Obstacle) {
  const told = output === null || output === '' ? text : `${text}\n\n${output}`;
  return {
    level: 'error',
    message: { text: withoutLinks(readable(told)) },
    locations: [{ physicalLocation: { artifactLocation: { uri: NO_FILE, uriBaseId: ROOT } } }],
    partialFingerprints: { [FINGERPRINT]: gateFingerprint(gate) },
  };
}

/** How the tool itself fared; what was not judged is told here too, for readers that look for it here. */
function invocationOf(run: EndedRun, obstacles: readonly Obstacle[]) {
  const errors = obstacles
    .filter(({ isJudged }) => !isJudged)
    .map(({ gate, text }) => ({
      level: 'error',
      message: { text: readable(gate === null ? text : `${gate}: ${text}`) },
    }));
  const warnings = run.kind === 'judged' ? notLookedAt(run.outcome) : [];
  return {
    executionSuccessful: errors.length === 0,
    exitCode: exitCodeOf(run),
    toolExecutionNotifications: [
      ...errors,
      ...warnings.map((text) => ({ level: 'warning', message: { text: readable(text) } })),
    ],
  };
}

function notLookedAt(outcome: RunOutcome): string[] {
  const files = tellUncovered(outcome).split('\n');
  const notices = outcome.notices.filter(({ kind }) => kind !== 'unnameable').map(tellRunNotice);
  return [...files.filter((line) => line !== ''), ...notices];
}

function propertiesOf(run: EndedRun) {
  if (run.kind === 'not-judged') return { status: run.status, exitCode: run.exitCode, result: readable(run.what) };
  const { status, exitCode, iteration, scope } = run.outcome;
  const [result = ''] = tellResult(run.outcome);
  return { status, exitCode, iteration, scope: readable(scope.key), result: readable(result) };
}

/** A path as a relative reference. */
function uriOf(path: string): string {
  return wellFormed(path).split('/').map(encodeURIComponent).join('/');
}

/** SARIF reads `[text](target)` as a link, and a reviewer's text must not lead anybody anywhere. */
function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
