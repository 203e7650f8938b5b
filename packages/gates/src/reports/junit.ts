import { grouped } from '@onceover/base/kernel/collections';
import { readable } from '@onceover/base/ui/markdown-text';
import { count } from '@onceover/base/ui/wording';
import { describeFinding } from '../findings/describe.ts';
import type { ReportedFinding } from '../findings/types.ts';
import { isOpen } from '../findings/types.ts';
import { describeGateDetail, describeSlotReason, GATE_REASONS, STATUS_WORDS } from '../result/describe/reasons.ts';
import type { GateOutcome, SlotOutcome } from '../result/types.ts';
import { type EndedRun, NO_GATE, namedText } from './finished-run.ts';

/** Returns an XML element with its children or its text. Attributes and texts may contain any characters. */
function element(
  depth: number,
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inner: readonly string[] | string,
): string {
  const indent = '  '.repeat(depth);
  // Escape line breaks and tabs in attributes, because XML parsers would turn them into spaces.
  const quoteAttribute = (text: string) => escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
  const attributeTexts = Object.entries(attributes).map(([key, value]) => ` ${key}="${quoteAttribute(String(value))}"`);
  const head = `${indent}<${name}${attributeTexts.join('')}`;
  if (inner.length === 0) return `${head}/>`;
  if (typeof inner === 'string') return `${head}>${escapeXml(inner)}</${name}>`;
  return `${head}>\n${inner.join('\n')}\n${indent}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// XML 1.0 forbids some characters even in escaped form, so show or replace them with other characters.
function escapeXml(text: string): string {
  return readable(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

/** Returns a run as a JUnit report: one suite per gate, one case per reviewer or check. */
export function junitReport(run: EndedRun): string {
  const findings = grouped(run.findings, ({ finding }) => finding.gate);
  const removedGates = [...findings.keys()].filter((gate) => !run.gates.some(({ id }) => id === gate));
  const suites: Suite[] = [
    ...run.gates.map((gate) => gateSuite(gate, findings.get(gate.id) ?? [])),
    ...removedGates.map((gate) => ({ name: gate, cases: slotCases([], findings.get(gate) ?? [], null) })),
  ];
  const allSuites = [...suites, ...runSuite(run, suites)];
  const attributes = { name: 'onceover', ...countsOf(allSuites.flatMap(({ cases }) => cases)) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(0, 'testsuites', attributes, allSuites.map(suiteXml))}\n`;
}

type Suite = { readonly name: string; readonly cases: readonly Case[] };

type Case = {
  readonly name: string;
  readonly seconds: number | null;
  readonly end: 'passed' | 'failure' | 'error' | 'skipped';
  /** The reason for `end`, in one line. */
  readonly why: string;
  readonly text: string;
};

/**
 * Returns a suite for problems of the whole run. Most tools count skipped cases as passed. So if the run failed but no
 * case in `suites` has failed, this suite also lists the problems of all gates.
 */
function runSuite({ obstacles, exitCode }: EndedRun, suites: readonly Suite[]): readonly Suite[] {
  const isReported = suites.some(({ cases }) => cases.some(({ end }) => end === 'failure' || end === 'error'));
  const runObstacles = obstacles.filter(({ gate }) => gate === NO_GATE || (exitCode !== 0 && !isReported));
  if (runObstacles.length === 0) return [];
  const why = runObstacles.map(namedText).join('; ');
  return [{ name: NO_GATE, cases: [{ name: 'run', seconds: null, end: 'error', why, text: '' }] }];
}

function gateSuite(gate: GateOutcome, findings: readonly ReportedFinding[]): Suite {
  if (gate.kind === 'check') return { name: gate.id, cases: [checkCase(gate)] };
  const cases = slotCases(gate.slots, findings, gate.status === 'not_run' ? describeGateDetail(gate) : null);
  // A gate can lack a result although none of its reviewers had an error. Add a case that reports this.
  const isReported = cases.some(({ end }) => end === 'failure' || end === 'error');
  const hasNoResult = gate.status === 'error' || (gate.status === 'not_run' && cases.length === 0);
  const verdict: Case = { name: 'verdict', seconds: null, end: 'error', why: GATE_REASONS[gate.why], text: '' };
  return { name: gate.id, cases: hasNoResult && !isReported ? [...cases, verdict] : cases };
}

const ENDS: Readonly<Record<GateOutcome['status'] | SlotOutcome['status'], Case['end']>> = {
  pass: 'passed',
  holds: 'passed',
  fail: 'failure',
  error: 'error',
  skipped_prior_pass: 'skipped',
  not_run: 'skipped',
};

function checkCase(gate: GateOutcome): Case {
  const { check, status } = gate;
  return {
    name: 'check',
    seconds: check === null ? null : check.durationMs / 1000,
    end: ENDS[status],
    why: describeGateDetail(gate),
    text: status === 'pass' ? '' : (check?.tail ?? ''),
  };
}

/**
 * Returns one case per reviewer, also for removed reviewers that still have findings. `notRun` says why the gate did
 * not run; `null` if it did.
 */
function slotCases(
  slots: readonly SlotOutcome[],
  findings: readonly ReportedFinding[],
  notRun: string | null,
): readonly Case[] {
  const numbers = new Set(slots.map(({ slot }) => slot));
  const removedSlots = new Set(findings.map(({ finding }) => finding.slot).filter((slot) => !numbers.has(slot)));
  const ofSlot = (slot: number) => findings.filter(({ finding }) => finding.slot === slot);
  return [
    ...slots.map((slotOutcome) => {
      const why = slotOutcome.status === 'not_run' ? notRun : null;
      const testCase = slotCase(
        slotOutcome,
        ofSlot(slotOutcome.slot),
        why ?? `${STATUS_WORDS[slotOutcome.status]}: ${describeSlotReason(slotOutcome)}`,
      );
      // A passed case usually shows no text. Show who signed a pass that was accepted from another clone.
      return slotOutcome.why === 'accepted' && testCase.text === ''
        ? { ...testCase, text: describeSlotReason(slotOutcome) }
        : testCase;
    }),
    ...[...removedSlots].map((slot) => slotCase({ ...REMOVED, slot }, ofSlot(slot), '')),
  ];
}

/**
 * The facts of a reviewer that was removed from the configuration. It counts as failed, because it still has findings.
 */
const REMOVED = { agent: '(removed)', status: 'fail', durationMs: null } as const;

function slotCase(
  { slot, agent, status, durationMs }: Pick<SlotOutcome, 'slot' | 'agent' | 'status' | 'durationMs'>,
  findings: readonly ReportedFinding[],
  why: string,
): Case {
  const open = findings.filter(({ state }) => isOpen(state)).length;
  // If a failed reviewer has no open findings, all its findings were waived, so its case passes.
  const end = status === 'fail' ? 'passed' : ENDS[status];
  return {
    name: agent === null ? `@${slot}` : `@${slot} ${agent}`,
    seconds: durationMs === null ? null : durationMs / 1000,
    // If a finding is open, the case fails even if this run skipped the reviewer.
    end: open > 0 ? 'failure' : end,
    why: open > 0 && status !== 'error' ? count(open, 'open finding') : why,
    text: findings.map((finding) => describeFinding(finding).join('\n')).join('\n\n'),
  };
}

function countsOf(cases: readonly Case[]) {
  const number = (end: Case['end']) => cases.filter((testCase) => testCase.end === end).length;
  return { tests: cases.length, failures: number('failure'), errors: number('error') };
}

function suiteXml({ name, cases }: Suite): string {
  const seconds = cases.reduce((sum, testCase) => sum + (testCase.seconds ?? 0), 0);
  const skipCount = cases.filter(({ end }) => end === 'skipped').length;
  const attributes = { name, ...countsOf(cases), skipped: skipCount, time: seconds.toFixed(3) };
  const inner = cases.map((testCase) => {
    const time = testCase.seconds === null ? {} : { time: testCase.seconds.toFixed(3) };
    return element(2, 'testcase', { name: testCase.name, classname: name, ...time }, endXml(testCase));
  });
  return element(1, 'testsuite', attributes, inner);
}

function endXml({ end, why, text }: Case): readonly string[] {
  if (end === 'failure' || end === 'error') return [element(3, end, { message: why, type: end }, text || why)];
  const out = text === '' ? [] : [element(3, 'system-out', {}, text)];
  // The usual JUnit schema has no attribute for the reason of a skipped case, so the reason is the text of the element.
  return end === 'skipped' ? [element(3, 'skipped', {}, why), ...out] : out;
}
