import type { GateId } from '@onceover/base/kernel/ids';
import { readable } from '@onceover/base/ui/markdown-text';
import { asShellWord } from '@onceover/base/ui/wording';
import { version } from '@onceover/base/version';
import type { ReportedFinding } from '../findings/types.ts';
import { describeSlotReason } from '../result/describe/reasons.ts';
import { describeRunNotice } from '../result/describe/result.ts';
import { describeUncovered } from '../result/describe/run.ts';
import type { GateOutcome } from '../result/types.ts';
import { type EndedRun, NO_GATE, namedText, type ReportEntry, reportEntries } from './finished-run.ts';

/**
 * Returns a run as SARIF 2.1.0: one rule per gate, and one result per problem, failed check and gate without a result.
 */
export function sarifReport(run: EndedRun): string {
  const rules = rulesOf(run);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const driver = { name: 'onceover', version, semanticVersion: version, rules };
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

function rulesOf({ gates, findings, obstacles }: EndedRun) {
  const kinds = new Map<GateId, string>(gates.map(({ id, kind }) => [id, KINDS[kind]]));
  for (const { finding } of findings) {
    if (!kinds.has(finding.gate)) kinds.set(finding.gate, 'A gate that no longer exists.');
  }
  if (obstacles.some(({ gate }) => gate === NO_GATE)) kinds.set(NO_GATE, 'Whether the gates have a result.');
  return [...kinds].map(([gate, description]) => {
    const id = readable(gate);
    return {
      id,
      shortDescription: { text: id },
      fullDescription: { text: description },
      help: { text: `See "onceover explain ${asShellWord(gate)}".` },
    };
  });
}

function resultOf(entry: ReportEntry) {
  const { reported, others, severity, message, fingerprint } = entry;
  return {
    level: severity,
    // SARIF viewers show Markdown links, so break up links in a reviewer's text.
    message: { text: message.replaceAll('](', '] (') },
    locations: [locationOf(entry)],
    partialFingerprints: { [FINGERPRINT]: fingerprint },
    ...(reported === null ? {} : findingFacts(reported, others)),
  };
}

function findingFacts({ finding, state }: ReportedFinding, otherFindings: readonly ReportedFinding[]) {
  const { id, slot, priority, since, mark, resolution } = finding;
  const justification = readable(resolution?.why ?? '');
  const waiver = { kind: 'external', status: 'accepted', ...(justification === '' ? {} : { justification }) };
  return {
    ...(state === 'waived' ? { suppressions: [waiver] } : {}),
    properties: {
      ...{ id, state, priority, slot, agent: readable(finding.agent), since, mark },
      ...(otherFindings.length === 0 ? {} : { sameCode: otherFindings.map((otherFinding) => otherFinding.finding.id) }),
    },
  };
}

function locationOf({ file, region }: ReportEntry) {
  // File locations in SARIF are URIs, so encode each part of the path.
  const uri = file.split('/').map(encodeURIComponent).join('/');
  const artifactLocation = { uri, uriBaseId: ROOT };
  if (region === null) return { physicalLocation: { artifactLocation } };
  const { line, lastLine, code } = region;
  const end = lastLine === line ? {} : { endLine: lastLine };
  const snippet = code === null ? {} : { snippet: { text: code } };
  return { physicalLocation: { artifactLocation, region: { startLine: line, ...end, ...snippet } } };
}

/**
 * Returns the SARIF `invocation`. It repeats the gates without a result, because some tools read errors only from here.
 */
function invocationOf({ exitCode, obstacles, outcome, gates }: EndedRun) {
  const errors = obstacles
    .filter(({ isJudged }) => !isJudged)
    .map((obstacle) => ({ level: 'error', message: { text: namedText(obstacle) } }));
  const notices = (outcome?.notices ?? []).filter(({ kind }) => kind !== 'unnameable').map(describeRunNotice);
  const warnings = [...(outcome === null ? [] : describeUncovered(outcome)), ...notices];
  const acceptanceNotes = gates.flatMap(({ id, slots }) =>
    slots.filter(({ why }) => why === 'accepted').map((slot) => `${id}@${slot.slot}: ${describeSlotReason(slot)}`),
  );
  return {
    executionSuccessful: errors.length === 0,
    exitCode,
    toolExecutionNotifications: [
      ...errors,
      ...warnings.map((text) => ({ level: 'warning', message: { text: readable(text) } })),
      ...acceptanceNotes.map((text) => ({ level: 'note', message: { text: readable(text) } })),
    ],
  };
}

function propertiesOf({ status, exitCode, verdict, outcome }: EndedRun) {
  const result = readable((outcome === null ? verdict[1] : verdict[0]) ?? '');
  if (outcome === null) return { status, exitCode, result };
  return { status, exitCode, iteration: outcome.iteration, scope: readable(outcome.scope.key), result };
}
