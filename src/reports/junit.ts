import { describeFinding } from '../gates/describe/finding.ts';
import { describeGateDetail, describeGateReason, SLOT_WORDS } from '../gates/describe/reasons.ts';
import { describeStatus } from '../gates/describe/run.ts';
import type { GateOutcome, ReportedFinding, SlotOutcome } from '../gates/run-types.ts';
import { count } from '../ui/wording.ts';
import {
  currentFindings,
  type EndedRun,
  exitCodeOf,
  isStillOpen,
  listObstacles,
  namedText,
  readable,
} from './finished-run.ts';

/** An XML element. Attributes and texts may contain any characters. */
type Xml = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Xml | string)[];
};

/** Returns an indented XML document. Texts keep their line breaks. */
function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`;
}

function elementText({ name, attributes, children }: Xml, indent: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${inQuotes(String(value))}"`);
  const head = `${indent}<${name}${given.join('')}`;
  if (children.length === 0) return `${head}/>`;
  if (children.every((child) => typeof child === 'string')) {
    return `${head}>${escaped(children.join(''))}</${name}>`;
  }
  const inner = children.map((child) => (typeof child === 'string' ? '' : elementText(child, `${indent}  `)));
  return `${head}>\n${inner.join('\n')}\n${indent}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// XML 1.0 cannot contain some characters, not even escaped: they are spelled out or replaced.
function escaped(text: string): string {
  return readable(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

/** Escapes line ends and tabs, which readers of attributes turn into spaces. */
function inQuotes(text: string): string {
  return escaped(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

/** Returns a run as a JUnit report: one suite per gate, one case per reviewer or check. */
export function junitReport(run: EndedRun): string {
  const findings = currentFindings(run);
  const gates = run.kind === 'judged' ? run.outcome.gates : [];
  const known = new Set(gates.map(({ id }) => id));
  const orphans = [...new Set(findings.map(({ finding }) => finding.gate))].filter((gate) => !known.has(gate));
  const suites: Suite[] = [
    ...gates.map((gate) => gateSuite(gate, ofGate(findings, gate.id))),
    ...orphans.map((gate) => ({ name: gate, cases: slotCases([], ofGate(findings, gate), null) })),
  ];
  const all = [...suites, ...runSuite(run, suites)];
  return xmlDocument({
    name: 'testsuites',
    attributes: { name: 'onceover', ...countsOf(all.flatMap(({ cases }) => cases)) },
    children: all.map(suiteXml),
  });
}

type Suite = { readonly name: string; readonly cases: readonly Case[] };

type Case = {
  readonly name: string;
  readonly seconds: number | null;
  readonly end: 'passed' | 'failure' | 'error' | 'skipped';
  /** One line. */
  readonly why: string;
  readonly text: string;
};

/**
 * Returns a suite for obstacles that concern no gate. If a failed run has only skipped cases, the suite lists all
 * obstacles, because most readers count skipped cases as passed.
 */
function runSuite(run: EndedRun, suites: readonly Suite[]): readonly Suite[] {
  const obstacles = listObstacles(run);
  const isReported = suites.some(({ cases }) => cases.some(({ end }) => end === 'failure' || end === 'error'));
  const shown = obstacles.filter(({ gate }) => gate === null || (exitCodeOf(run) !== 0 && !isReported));
  if (shown.length === 0) return [];
  const why = shown.map(namedText).join('; ');
  return [{ name: 'onceover', cases: [{ name: 'run', seconds: null, end: 'error', why, text: '' }] }];
}

function gateSuite(gate: GateOutcome, findings: readonly ReportedFinding[]): Suite {
  if (gate.kind === 'check') return { name: gate.id, cases: [checkCase(gate)] };
  const cases = slotCases(gate.slots, findings, gate.status === 'not_run' ? describeGateDetail(gate) : null);
  // A gate can lack a result although no reviewer had an error.
  const isReported = cases.some(({ end }) => end === 'failure' || end === 'error');
  const hasNoResult = gate.status === 'error' || (gate.status === 'not_run' && cases.length === 0);
  const verdict: Case = { name: 'verdict', seconds: null, end: 'error', why: describeGateReason(gate.why), text: '' };
  return { name: gate.id, cases: hasNoResult && !isReported ? [...cases, verdict] : cases };
}

const CHECK_ENDS: Readonly<Record<GateOutcome['status'], Case['end']>> = {
  pass: 'passed',
  holds: 'passed',
  fail: 'failure',
  error: 'error',
  not_run: 'skipped',
};

function checkCase(gate: GateOutcome): Case {
  const { check, status } = gate;
  return {
    name: 'check',
    seconds: check === null ? null : check.durationMs / 1000,
    end: CHECK_ENDS[status],
    why: describeGateDetail(gate),
    text: status === 'pass' ? '' : (check?.tail ?? ''),
  };
}

/** Returns one case per slot, also for findings of removed slots. `notRun` is the reason why no slot ran. */
function slotCases(
  slots: readonly SlotOutcome[],
  findings: readonly ReportedFinding[],
  notRun: string | null,
): readonly Case[] {
  const numbers = new Set(slots.map(({ slot }) => slot));
  const others = [...new Set(findings.map(({ finding }) => finding.slot))].filter((slot) => !numbers.has(slot));
  return [
    ...slots.map((slot) => slotCase(slot, ofSlot(findings, slot.slot), notRun)),
    ...others.map((slot) => otherCase(slot, ofSlot(findings, slot))),
  ];
}

const SLOT_ENDS: Readonly<Record<SlotOutcome['status'], Case['end']>> = {
  pass: 'passed',
  // A failed slot without open findings has only waived ones.
  fail: 'passed',
  error: 'error',
  skipped_prior_pass: 'skipped',
  not_run: 'skipped',
};

function slotCase(slot: SlotOutcome, findings: readonly ReportedFinding[], notRun: string | null): Case {
  const open = findings.filter(isStillOpen).length;
  const standing = slot.status === 'not_run' ? notRun : null;
  return {
    name: slot.agent === null ? `@${slot.slot}` : `@${slot.slot} ${slot.agent}`,
    seconds: slot.durationMs === null ? null : slot.durationMs / 1000,
    // An open finding of the slot decides, whatever the slot did in this run.
    end: open > 0 ? 'failure' : SLOT_ENDS[slot.status],
    why:
      open > 0 && slot.status !== 'error'
        ? count(open, 'open finding')
        : (standing ?? `${SLOT_WORDS[slot.status]}: ${describeStatus(slot)}`),
    text: textOf(findings),
  };
}

function otherCase(slot: number, findings: readonly ReportedFinding[]): Case {
  const open = findings.filter(isStillOpen).length;
  const end = open > 0 ? 'failure' : 'passed';
  return { name: `@${slot} (removed)`, seconds: null, end, why: count(open, 'open finding'), text: textOf(findings) };
}

function textOf(findings: readonly ReportedFinding[]): string {
  return findings.map((reported) => describeFinding(reported).join('\n')).join('\n\n');
}

function ofGate(findings: readonly ReportedFinding[], gate: string): readonly ReportedFinding[] {
  return findings.filter(({ finding }) => finding.gate === gate);
}

function ofSlot(findings: readonly ReportedFinding[], slot: number): readonly ReportedFinding[] {
  return findings.filter(({ finding }) => finding.slot === slot);
}

function countsOf(cases: readonly Case[]) {
  const number = (end: Case['end']) => cases.filter((one) => one.end === end).length;
  return { tests: cases.length, failures: number('failure'), errors: number('error') };
}

function suiteXml({ name, cases }: Suite): Xml {
  const seconds = cases.reduce((sum, one) => sum + (one.seconds ?? 0), 0);
  const skipped = cases.filter(({ end }) => end === 'skipped').length;
  return {
    name: 'testsuite',
    attributes: { name, ...countsOf(cases), skipped, time: seconds.toFixed(3) },
    children: cases.map((one) => caseXml(name, one)),
  };
}

function caseXml(suite: string, { name, seconds, end, why, text }: Case): Xml {
  const time = seconds === null ? {} : { time: seconds.toFixed(3) };
  return { name: 'testcase', attributes: { name, classname: suite, ...time }, children: endXml(end, why, text) };
}

function endXml(end: Case['end'], why: string, text: string): readonly Xml[] {
  const out: readonly Xml[] = text === '' ? [] : [{ name: 'system-out', attributes: {}, children: [text] }];
  switch (end) {
    case 'passed':
      return out;
    // The common JUnit schema has no attribute for the reason of a skipped case.
    case 'skipped':
      return [{ name: 'skipped', attributes: {}, children: [why] }, ...out];
    case 'failure':
    case 'error':
      return [{ name: end, attributes: { message: why, type: end }, children: [text === '' ? why : text] }];
  }
}
