import type { PhaseStage, ReviewerRole } from '@onceover/base/kernel/review-loops';
import type { Ask, Measured, PhaseAction } from '@onceover/loops/src/phases/state.ts';
import type { LoopAnswer, PhaseEnd, PhaseSetup } from '@onceover/loops/src/phases/types.ts';
import { expect } from 'vitest';

/** A verdict and the content it is about. */
type Word = { readonly passes: boolean; readonly content: string; readonly round: number; readonly open: number };

const CODE: readonly ReviewerRole[] = ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer'];
const DOMAIN: Readonly<Record<string, ReviewerRole>> = {
  specify: 'spec-reviewer',
  design: 'design-reviewer',
  'create-plan': 'plan-reviewer',
  'create-tasks': 'task-reviewer',
};

/** Watches a phase from outside, with its own implementation of the rules. */
export class Watch {
  /** Verdicts of recorded rounds. */
  readonly words = new Map<string, Word>();
  readonly counts: Record<PhaseStage, number> = { domain: 0, phase: 0, implement: 0 };
  rounds = 0;
  /** Content of the last snapshot, and of the last round on record. */
  content = '';
  reviewed = '';
  /** The newest session of each role, and what was measured for it. */
  readonly sessions = new Map<string, string>();
  readonly measured = new Map<string, Measured>();
  readonly firstLength = new Map<string, number>();
  /** Answers of the current round. */
  said = new Map<ReviewerRole, LoopAnswer>();
  fixedSince = false;
  unchanged = 0;
  stopped = false;
  failed = false;

  readonly setup: PhaseSetup;
  readonly most: number;

  constructor(setup: PhaseSetup) {
    this.setup = setup;
    this.most = setup.mostIterations;
  }

  snapshot(content: string, purpose: 'round' | 'confirm'): void {
    this.content = content;
    if (purpose === 'confirm') {
      this.unchanged = 0;
      return;
    }
    if (content !== this.reviewed) this.unchanged = 0;
    else if (this.fixedSince) this.unchanged += 1;
    this.fixedSince = false;
  }

  /** The process has ended: unrecorded answers do not count. */
  crashed(): void {
    this.said = new Map();
    this.measured.clear();
    if (!this.setup.keepSessions) this.sessions.clear();
  }

  sees(action: PhaseAction): void {
    switch (action.kind) {
      case 'dispatch':
        this.seesReview(action.ask);
        break;
      case 'fix':
        this.seesResume(action.ask);
        this.mayFix();
        break;
      case 'wait-for-fix':
        this.mayFix();
        break;
      case 'prepare':
        expect(action.ask.session).toBeNull();
        expect(this.rounds).toBe(0);
        break;
      case 'record':
        this.seesRecord(action.entry);
        break;
      case 'end':
        this.seesEnd(action.end);
        break;
      default:
        break;
    }
  }

  private seesReview(ask: Ask): void {
    const role = ask.role as ReviewerRole;
    const last = this.words.get(role);
    expect(ask.iteration).toBeGreaterThanOrEqual(1);
    expect(ask.iteration).toBeLessThanOrEqual(this.most);
    if (ask.isFinalValidation) expect(last?.passes).toBe(true);
    else if (last?.passes === true) {
      // Code that passed is reviewed again only in final validation; a document only after it changed.
      expect(this.setup.phase).not.toBe('implement');
      expect(last.content).not.toBe(this.content);
    }
    this.seesResume(ask);
    const isFirst = last === undefined;
    if (isFirst && ask.session === null) expect(['I1-R4', 'I3']).toContain(ask.template);
    if (ask.session !== null) expect(ask.template).toBe(ask.isFinalValidation ? 'I2-FV' : 'I2');
    if (ask.template === 'I3') expect(ask.session).toBeNull();
  }

  /** A session is resumed only if it is the newest of its role and all measurements allow it. */
  private seesResume({ role, session, isFinalValidation }: Ask): void {
    if (session === null) return;
    const known = this.measured.get(role);
    expect(session.id).toBe(this.sessions.get(role));
    expect(known).toMatchObject({ canResume: true, lost: null });
    expect(known?.now.agent).toBe(session.agent);
    const isReview = role !== 'implementer';
    if (isReview && isFinalValidation) return;
    expect(known?.deltaLength).toBeLessThanOrEqual((this.firstLength.get(role) ?? 0) / 2);
    if (isReview) expect(this.words.get(role)?.content).not.toBe(this.content);
  }

  private mayFix(): void {
    const stage = this.setup.phase === 'implement' ? 'implement' : this.stageNow;
    expect(this.counts[stage]).toBeLessThan(this.most);
    expect(this.openCount()).toBeGreaterThan(0);
  }

  stageNow: PhaseStage = 'domain';

  private seesRecord(entry: Extract<PhaseAction, { kind: 'record' }>['entry']): void {
    this.rounds += 1;
    // Another loop starts its own count.
    if (entry.stage !== this.stageNow) this.unchanged = 0;
    this.stageNow = entry.stage;
    expect(entry.round).toBe(this.rounds);
    if (!entry.isFinalValidation) this.counts[entry.stage] += 1;
    expect(entry.iteration).toBe(this.counts[entry.stage]);
    expect(entry.iteration).toBeLessThanOrEqual(this.most);
    expect(new Set(entry.looks.map(({ role }) => role))).toEqual(new Set(this.said.keys()));
    for (const [role, answer] of this.said) {
      const blocking = answer.issues.filter(({ severity }) => severity === 'blocker' || severity === 'warning').length;
      const passes = answer.approved && blocking === 0;
      const open = passes ? 0 : Math.max(1, blocking);
      this.words.set(role, { passes, content: entry.seen.content, round: this.rounds, open });
    }
    for (const { role } of entry.skipped) expect(this.said.has(role)).toBe(false);
    if (entry.errors.length > 0) this.failed = true;
    this.said = new Map();
    this.reviewed = entry.seen.content;
  }

  private openCount(): number {
    return [...this.words.values()].reduce((sum, { open }) => sum + open, 0);
  }

  private seesEnd({ status, why, open }: PhaseEnd): void {
    expect(open).toHaveLength(this.openCount());
    if (why === 'approved') this.isApproved();
    const isCapped = Object.values(this.counts).some((count) => count === this.most);
    if (why === 'accepted-with-notes') expect([this.setup.acceptWithNotes, isCapped]).toEqual([true, true]);
    if (status === 'cap') expect([this.setup.acceptWithNotes, isCapped]).toEqual([false, true]);
    expect(why === 'stalled').toBe(this.unchanged >= 2);
    if (status === 'needs_work' || status === 'stalled') expect(open.length).toBeGreaterThan(0);
    if (status === 'approved') expect(['approved', 'accepted-with-notes']).toContain(why);
    expect(why === 'interrupted').toBe(this.stopped);
    expect(why === 'reviewer-failed').toBe(this.failed && !this.stopped);
  }

  /** Every required reviewer approved the current content. */
  private isApproved(): void {
    const { phase, recheckDomain, finalValidation } = this.setup;
    const now = { passes: true, content: this.content };
    if (phase === 'implement') {
      for (const role of CODE) expect(this.words.get(role)).toMatchObject(now);
      const together = new Set(CODE.map((role) => this.words.get(role)?.round));
      if (finalValidation === 'all') expect(together.size).toBe(1);
      return;
    }
    const domain = this.words.get(DOMAIN[phase] ?? '');
    expect(domain?.passes).toBe(true);
    if (recheckDomain) expect(domain?.content).toBe(this.content);
    expect(this.words.get('phase-reviewer')).toMatchObject(now);
  }
}
