import { quoteName } from '../domain/quote-name.ts';
import type { GateOutcome, SlotOutcome, ToldFinding } from '../domain/run.ts';
import { tellGateDetail, tellGateReason } from '../text/gate-reason.ts';
import { SLOT_WORDS, tellFinding, tellStanding } from '../text/run.ts';
import { type EndedRun, exitCodeOf, isStillOpen, obstaclesOf, standingFindings } from './ended-run.ts';
import { type Xml, xmlDocument } from './xml.ts';

/** A run as JUnit tells tests: a suite for each gate, a case for each slot or check. */
export function junitReport(run: EndedRun): string {
  const findings = standingFindings(run);
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
  /** In one line. */
  readonly why: string;
  readonly text: string;
};

/** What is about no gate; and what skipped cases alone would not tell: most readers take them for passed. */
function runSuite(run: EndedRun, suites: readonly Suite[]): readonly Suite[] {
  const obstacles = obstaclesOf(run);
  const isTold = suites.some(({ cases }) => cases.some(({ end }) => end === 'failure' || end === 'error'));
  const shown = obstacles.filter(({ gate }) => gate === null || (exitCodeOf(run) !== 0 && !isTold));
  if (shown.length === 0) return [];
  const why = shown.map(({ gate, text }) => (gate === null ? text : `${gate}: ${text}`)).join('; ');
  return [{ name: 'onceover', cases: [{ name: 'run', seconds: null, end: 'error', why, text: '' }] }];
}

function gateSuite(gate: GateOutcome, findings: readonly ToldFinding[]): Suite {
  if (gate.kind === 'check') return { name: gate.id, cases: [checkCase(gate)] };
  const cases = slotCases(gate.slots, findings, gate.status === 'not_run' ? tellGateDetail(gate) : null);
  // What keeps the gate from holding may be nothing that one of its slots did.
  const isTold = cases.some(({ end }) => end === 'failure' || end === 'error');
  const isSpoilt = gate.status === 'error' || (gate.status === 'not_run' && cases.length === 0);
  const verdict: Case = { name: 'verdict', seconds: null, end: 'error', why: tellGateReason(gate.why), text: '' };
  return { name: gate.id, cases: isSpoilt && !isTold ? [...cases, verdict] : cases };
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
    why: tellGateDetail(gate),
    text: status === 'pass' ? '' : (check?.tail ?? ''),
  };
}

/** A case for each slot; findings of slots that are no more have one too. `notRun`: why none was asked. */
function slotCases(
  slots: readonly SlotOutcome[],
  findings: readonly ToldFinding[],
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
  // With nothing open, all that it found is waived.
  fail: 'passed',
  error: 'error',
  skipped_prior_pass: 'skipped',
  not_run: 'skipped',
};

function slotCase(slot: SlotOutcome, findings: readonly ToldFinding[], notRun: string | null): Case {
  const open = findings.filter(isStillOpen).length;
  const standing = slot.status === 'not_run' ? notRun : null;
  return {
    name: slot.agent === null ? `@${slot.slot}` : `@${slot.slot} ${slot.agent}`,
    seconds: slot.durationMs === null ? null : slot.durationMs / 1000,
    // Whatever the slot did: a finding of its own is open.
    end: open > 0 ? 'failure' : SLOT_ENDS[slot.status],
    why:
      open > 0 && slot.status !== 'error'
        ? countOpen(open)
        : (standing ?? `${SLOT_WORDS[slot.status]}: ${tellStanding(slot)}`),
    text: textOf(findings),
  };
}

function otherCase(slot: number, findings: readonly ToldFinding[]): Case {
  const open = findings.filter(isStillOpen).length;
  const end = open > 0 ? 'failure' : 'passed';
  return { name: `@${slot}, which is no more`, seconds: null, end, why: countOpen(open), text: textOf(findings) };
}

function countOpen(count: number): string {
  return count === 1 ? '1 finding is open' : `${count} findings are open`;
}

function textOf(findings: readonly ToldFinding[]): string {
  return findings
    .map((told) => {
      const place = told.finding.file === null ? '' : `\n  in ${quoteName(told.finding.file)}`;
      const [head = '', ...rest] = tellFinding(told);
      return [`${head.trimStart()}${place}`, ...rest].join('\n');
    })
    .join('\n\n');
}

function ofGate(findings: readonly ToldFinding[], gate: string): readonly ToldFinding[] {
  return findings.filter(({ finding }) => finding.gate === gate);
}

function ofSlot(findings: readonly ToldFinding[], slot: number): readonly ToldFinding[] {
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
    // The schema that most readers go by has no attribute for the reason.
    case 'skipped':
      return [{ name: 'skipped', attributes: {}, children: [why] }, ...out];
    case 'failure':
    case 'error':
      return [{ name: end, attributes: { message: why, type: end }, children: [text === '' ? why : text] }];
  }
}
