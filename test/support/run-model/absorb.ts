import type { Finding } from '@onceover/gates/findings/types';
import type { SlotRecord } from '@onceover/gates/run/record-types';
import { expect } from 'vitest';
import type { Moment } from '../memory/git.ts';
import { type Ground, isOpen, type ModelFinding, type ModelLook, type Standing } from './model.ts';
import type { Answer, Asked, ObservedLook, Write } from './observed.ts';
import { type Settled, settle } from './settle.ts';
import { SMALL_LIMIT } from './setup.ts';
import { type ModelGate, type Stand, standAt } from './stand.ts';
import { cycleLooks, receiptKey } from './states.ts';

type Facts = {
  readonly stand: Stand;
  readonly gate: ModelGate;
  readonly slot: number;
  readonly iteration: number;
  readonly standing: readonly Standing[];
  readonly shown: Moment;
};

/** Updates the model with what a slot that ran left behind. If the run ended, everything must have been written. */
export function absorbLook(
  ground: Ground,
  asked: Asked,
  facts: Facts,
  look: ObservedLook | null,
  writes: readonly Write[],
  hasEnded: boolean,
): void {
  const { model, setup } = ground;
  const { gate, slot, stand, standing } = facts;
  const label = `${gate.id}@${slot}`;
  const own = writes.filter((write) => isAbout(write, gate.id, slot, model.findings));
  const answer = look === null ? null : answerOf(look, partsOf(ground, gate));
  const isRerun = cycleLooks(model, ground.tree, stand, gate).some(
    (one) => one.slot === slot && one.own?.prompt === gate.prompt && (one.status === 'pass' || one.status === 'fail'),
  );
  const isSettled = look !== null && answer !== null;
  if (isSettled) verifyPrompt(facts, look);
  const settled = !isSettled
    ? null
    : settle({
        stand,
        gate,
        slot,
        answer,
        isStale: isStale(ground, asked, facts, look),
        isRerun,
        standing,
        setup,
      });
  absorbFindings(ground, settled, own, hasEnded, label);
  const receipt = own.find((write) => write.kind === 'receipt');
  if (receipt?.kind === 'receipt') {
    expect(receipt.receipt.verdict, `the receipt of ${label}`).toBe(settled?.verdict ?? 'none');
    const findings = (settled?.behind ?? []).map((one) => idOf(own, one));
    expect([...receipt.receipt.findings].sort(), `findings behind the receipt of ${label}`).toEqual(findings.sort());
    model.receipts.set(receiptKey(stand, gate, slot), { verdict: receipt.receipt.verdict, findings });
  } else if (hasEnded) expect(settled, `${label} has no receipt`).toBeNull();
  const record = own.find((write) => write.kind === 'slot');
  if (record?.kind === 'slot') {
    expect(record.record.status, `the record of ${label}`).toBe(settled?.verdict ?? 'error');
    const violations = settled?.violations ?? 0;
    expect(record.record.violations.length, `the violations of ${label}`).toBe(violations);
    keepRecord(ground, facts, record.record, { violations, fails: (settled?.open ?? 0) > 0 });
  } else if (hasEnded) expect(label, 'a slot without a record').toBe('');
}

/** Checks that a skipped slot names the iteration of its pass. */
export function absorbRest(
  ground: Ground,
  facts: Pick<Facts, 'stand' | 'gate' | 'slot' | 'iteration'> & { readonly since: number },
  writes: readonly Write[],
  hasEnded: boolean,
): void {
  const { gate, slot, since } = facts;
  const own = writes.filter(
    (write) => write.kind === 'slot' && write.record.gate === gate.id && write.record.slot === slot,
  );
  const label = `${gate.id}@${slot} rests`;
  for (const write of own) {
    if (write.kind !== 'slot') continue;
    expect(write.record.status, label).toBe('skipped_prior_pass');
    expect(write.record.passIteration, `${label} since`).toBe(since);
    keepRecord(ground, facts, write.record, { violations: 0, fails: false });
  }
  if (hasEnded) expect(own, `${label}: its records`).toHaveLength(1);
}

function keepRecord(
  { model, tree }: Ground,
  { stand, gate, slot, iteration }: Pick<Facts, 'stand' | 'gate' | 'slot' | 'iteration'>,
  { status, passIteration, violations: found, own: written }: SlotRecord,
  { violations, fails }: Pick<ModelLook, 'violations' | 'fails'>,
): void {
  const [first] = cycleLooks(model, tree, stand, gate)
    .map((one) => one.iteration)
    .sort((a, b) => a - b);
  const files = status === 'skipped_prior_pass' || written?.snapshot == null ? null : stand.files;
  const change = { start: first ?? iteration, base: stand.base, files };
  const warnsBelow = stand.warnsBelow.join();
  const own = { content: gate.content, prompt: gate.prompt, warnsBelow, scope: stand.scope.key, ...change };
  const open = found.flatMap(({ id, state }) => (id !== null && state !== null && isOpen(state) ? [id] : []));
  const look: ModelLook = { slot, status, violations, passIteration, fails, open, moment: ++model.moments, own };
  const record = { gate: gate.id, iteration, where: stand.where, look, isNumbered: true };
  model.records[tree === 0 ? 0 : 1] = [...(model.records[tree] ?? []), record];
}

function absorbFindings(
  ground: Ground,
  settled: Settled,
  own: readonly Write[],
  hasEnded: boolean,
  label: string,
): void {
  const { model } = ground;
  const added = own.flatMap((write) => (write.kind === 'add' ? [write.finding] : []));
  const updated = own.flatMap((write) => (write.kind === 'update' && !isTidied(write.finding) ? [write.finding] : []));
  const refuted = own.flatMap((write) =>
    write.kind === 'resolve' && write.resolution.how === 'refuted' ? [write.id] : [],
  );
  if (hasEnded) {
    expect(added.map(issueOf).sort(), `new findings of ${label}`).toEqual([...(settled?.added.keys() ?? [])].sort());
    const due = (settled?.updated ?? []).map(({ id, kept }) => `${id} ${kept}`).sort();
    expect(updated.map(({ id, kept }) => `${id} ${kept}`).sort(), `what ${label} says of findings`).toEqual(due);
    expect(refuted.sort(), `claims that ${label} refutes`).toEqual([...(settled?.refuted ?? [])].sort());
  }
  const news: ModelFinding[] = [];
  for (const one of added) {
    const finding = settled?.added.get(issueOf(one));
    expect(finding?.kept, `the new finding ${one.id} of ${label}`).toBe(one.kept);
    if (finding !== undefined) news.push({ ...finding, id: one.id });
  }
  const changed = new Map<string, ModelFinding>();
  for (const { id, kept } of updated) {
    const finding = settled?.updated.find((one) => one.id === id);
    expect(finding?.kept, `${id} after ${label}`).toBe(kept);
    const said = model.findings.find((one) => one.id === id)?.said ?? null;
    if (finding !== undefined) changed.set(id, { ...finding, said });
  }
  model.findings = [...model.findings.map((one) => changed.get(one.id) ?? one), ...news].map((one) =>
    refuted.includes(one.id) ? { ...one, said: null } : one,
  );
}

/** Checks that a prompt lists the slot's own open findings, and the waived ones of its gate. */
function verifyPrompt({ standing, slot, gate }: Facts, look: ObservedLook): void {
  const open = standing
    .filter(({ finding, state }) => finding.slot === slot && isOpen(state))
    .map(({ finding }) => finding.id);
  // A waiver counts in every scope while its entry is part of the change.
  const isShown = ({ entry }: ModelFinding) => entry === null || gate.entries.some(({ path }) => path === entry.path);
  const waived = standing
    .filter(({ finding, state }) => finding.said === 'skipped' && state !== 'closed' && isShown(finding))
    .map(({ finding }) => finding.id);
  const given = new Set(look.asks.flatMap((ask) => ask.given));
  const declined = new Set(look.asks.flatMap((ask) => ask.declined));
  expect([...given].sort(), `findings in the prompt of ${gate.id}@${slot}`).toEqual(open.sort());
  expect([...declined].sort(), `waivers in the prompt of ${gate.id}@${slot}`).toEqual(waived.sort());
}

/** Whether the entries changed, or were written to, during the review. */
function isStale(ground: Ground, asked: Asked, { gate, shown, stand }: Facts, { ended }: ObservedLook): boolean {
  if (asked.selection.kind === 'commit') return false;
  const now = standAt(ground, ended, { ...asked, gates: [], paths: [] });
  const same = now.gates.find(({ id }) => id === gate.id);
  const isTouched = gate.entries.some(({ path }) => shown.writes.get(path) !== ended.writes.get(path));
  return stand.scope !== undefined && (same?.content !== gate.content || isTouched);
}

/** Returns into how many parts a gate's change is split: one per file under a small limit. */
function partsOf({ setup }: Ground, gate: ModelGate): number {
  return setup.diffLimit === SMALL_LIMIT ? gate.entries.length : 1;
}

/** Returns the result of all parts of a review together; `null` if a part has no answer. */
function answerOf({ asks }: ObservedLook, parts: number): Answer | null {
  const answers = asks.flatMap(({ answer }) => answer ?? []);
  if (answers.length < parts) return null;
  const words = answers.flatMap((one) => one.words);
  return {
    status: answers.some(({ status }) => status === 'fail') ? 'fail' : 'pass',
    reports: answers.flatMap((answer) => (parts > 1 ? reportsOf(answer) : answer.reports)),
    words: [...words.filter(({ state }) => state === 'open'), ...words],
    message: answers.map(({ message }) => message).join(' '),
  };
}

/** Returns a part that fails without naming a problem as one problem: its message. */
function reportsOf({ status, reports, words, message }: Answer): Answer['reports'] {
  const isNamed = reports.length > 0 || words.some(({ state }) => state === 'open');
  if (status === 'pass' || isNamed) return reports;
  return [{ file: '', line: null, code: null, priority: 'critical', issue: message }];
}

function isAbout(write: Write, gate: string, slot: number, findings: readonly ModelFinding[]): boolean {
  switch (write.kind) {
    case 'slot':
      return write.record.gate === gate && write.record.slot === slot;
    case 'receipt':
      return write.receipt.gate === gate && write.receipt.slot === slot;
    case 'add':
    case 'update':
      return write.finding.gate === gate && write.finding.slot === slot;
    case 'resolve':
      return findings.some((one) => one.id === write.id && one.gate === gate && one.slot === slot);
    case 'check':
    case 'log':
    case 'archive':
    case 'check-receipt':
    case 'held':
    case 'cooling':
      return false;
  }
}

function idOf(writes: readonly Write[], idOrIssue: string): string {
  for (const write of writes) if (write.kind === 'add' && issueOf(write.finding) === idOrIssue) return write.finding.id;
  return idOrIssue;
}

/** Returns the issue as stored; a file that is not in the repository is put before it. */
function issueOf({ issue }: Finding): string {
  return issue.replace(/^.*: /, '');
}

/** Whether an update only stores that the finding's cycle has ended. */
export function isTidied({ cycleEnded, kept }: Finding): boolean {
  return cycleEnded && kept !== 'closed';
}
