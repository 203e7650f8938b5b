import {
  ledgerFix,
  ledgerLoop,
  ledgerProbe,
  ledgerRun,
  ledgerSlot,
  ledgerStep,
  spared,
} from '@onceover/testing/ledger-samples.ts';
import { memoryLedger } from '@onceover/testing/memory/ledger.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry, LedgerLoop } from '../../src/ledger/entries.ts';
import { type Ledger, openLedger } from '../../src/ledger/store.ts';

ledgerContract('in memory', memoryLedger);
ledgerContract('on disk', () => openLedger(temporaryFolder()));
onPostgres(() => ledgerContract('on PostgreSQL', () => openLedger(newGitFolder())));

/** The contract of every implementation of Ledger. */
function ledgerContract(name: string, open: () => Ledger): void {
  const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;

  describe(`ledger ${name}`, () => {
    test('is empty at first', async () => {
      expect(await open().all()).toEqual({ ok: true, value: { entries: [], unreadable: 0 } });
    });

    test.each<[string, LedgerEntry]>([
      ['a run with nothing to do', ledgerRun({ iteration: null, status: 'no_changes', spared: [spared()] })],
      [
        'a run with slots and checks',
        ledgerRun({
          slots: [
            ledgerSlot({ usage: usage({ costUsd: 0.25 }), model: 'm-1' }),
            ledgerSlot({ slot: 2, status: 'error', dispatch: 'resumed', asks: 2, usage: null }),
          ],
          checks: [{ gate: 'check:.:lint', status: 'fail', durationMs: 12 }],
          status: 'failed',
          exitCode: 1,
        }),
      ],
      ['on no branch, by an agent', ledgerRun({ branch: null, startedBy: 'agent', scope: 'commit abc' })],
      ['a turn of a fixer', ledgerFix({ dispatch: 'resumed', usage: null })],
      ['a look of a loop', ledgerLoop({ usage: usage({ costUsd: 0.5 }), warned: true })],
      [
        'a resumed one, in final validation',
        ledgerLoop({
          ...{ phase: 'implement', stage: 'implement', role: 'security-reviewer', iteration: 3, status: 'pass' },
          ...{ isFinalValidation: true, template: 'I2-FV', why: 'final-validation', dispatch: 'resumed' },
        }),
      ],
      [
        'what goes before the reviews of code',
        ledgerLoop({ role: 'test-deepener', template: null, iteration: 0, status: 'done' }),
      ],
      ['a resume test', ledgerProbe()],
      ['a review of a step of a workflow', ledgerStep({ status: 'error', asks: 2, usage: null, branch: null })],
      ['a review without an answer', ledgerLoop({ status: 'error', usage: null, asks: 3, fellBack: true })],
    ])('%s comes back as it was', async (_, entry) => {
      const ledger = open();
      expect(await ledger.add(entry)).toEqual({ ok: true, value: undefined });
      expect(await ledger.all()).toEqual({ ok: true, value: { entries: [entry], unreadable: 0 } });
    });

    test('reads any call of a loop as it was written', async () => {
      await fc.assert(
        fc.asyncProperty(anyLoop, async (entry) => {
          const ledger = open();
          await ledger.add(entry);
          expect(await ledger.all()).toEqual({ ok: true, value: { entries: [entry], unreadable: 0 } });
        }),
        { numRuns: 40 },
      );
    });

    test('returns entries by time, even two of the same time', async () => {
      const ledger = open();
      for (const minute of [3, 1, 2, 1]) await ledger.add(ledgerRun({ at: at(minute) }));
      const content = await ledger.all();
      expect(content.ok && content.value.entries.map((entry) => entry.at)).toEqual([at(1), at(1), at(2), at(3)]);
    });
  });
}

const anyLoop: fc.Arbitrary<LedgerLoop> = fc
  .record({
    feature: fc.string({ unit: 'grapheme' }),
    run: fc.string(),
    phase: fc.constantFrom('specify', 'design', 'create-plan', 'create-tasks', 'implement'),
    stage: fc.constantFrom('domain', 'phase', 'implement'),
    role: fc.constantFrom('task-reviewer', 'plan-reviewer', 'phase-reviewer', 'implementer', 'code-simplifier'),
    template: fc.constantFrom('I1-R4', 'I2', 'I2-FV', 'I3', 'I7-fresh', 'I7-resumed', null),
    why: fc.constantFrom('delta', 'asked-for', 'no-changes', 'cannot-resume', 'other-agent', 'resume-dearer'),
    status: fc.constantFrom('pass', 'fail', 'done', 'error'),
    iteration: fc.nat(9),
    isFinalValidation: fc.boolean(),
    fellBack: fc.boolean(),
    guarded: fc.boolean(),
    warned: fc.boolean(),
    promptChars: fc.nat(),
    freshChars: fc.nat(),
  } as const)
  .map(ledgerLoop);
