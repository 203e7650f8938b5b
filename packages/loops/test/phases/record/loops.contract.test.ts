import type { RepoPath } from '@onceover/base/kernel/ids';
import { memoryPhaseLoops } from '@onceover/testing/memory/phase-loops.ts';
import { keptLoop } from '@onceover/testing/phase/kept-loop.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { PhaseLoops } from '../../../src/phases/record/store.ts';
import { openPhaseLoops } from '../../../src/phases/record/store.ts';
import type { KeptLoop } from '../../../src/phases/state.ts';

phaseLoopsContract('in memory', () => memoryPhaseLoops());
phaseLoopsContract('on disk', () => openPhaseLoops({ root: '/here', commonDir: temporaryFolder() }, '1.0.0'));

/** The contract of every implementation of PhaseLoops. */
function phaseLoopsContract(name: string, open: () => PhaseLoops): void {
  const path = (text: string) => text as RepoPath;
  const roundTrip = async (loops: PhaseLoops, loop: KeptLoop) => {
    expect(await loops.write(loop)).toEqual({ ok: true, value: undefined });
    return loops.read(loop.run.phase, loop.run.feature);
  };

  describe(`phase loops ${name}`, () => {
    test('there is no loop before the first write', async () => {
      expect(await open().read('specify', path('docs/f'))).toEqual({ ok: true, value: null });
    });

    test('a loop is read as it was written, including times', async () => {
      const loop = keptLoop();
      expect(await roundTrip(open(), loop)).toEqual({ ok: true, value: loop });
    });

    test('any text is read back exactly', async () => {
      const text = 'ä 日本 😀\r\n\u2028\u0000\ud800 "resetAt":"2026-01-01T00:00:00.000Z" __proto__';
      const loop = keptLoop({ lastEntry: text, pending: { round: 2, texts: [text] } });
      expect(await roundTrip(open(), loop)).toEqual({ ok: true, value: loop });
    });

    test('the last written loop counts', async () => {
      const loops = open();
      await loops.write(keptLoop());
      expect(await roundTrip(loops, keptLoop({ lastEntry: 'newer' }))).toMatchObject({ value: { lastEntry: 'newer' } });
    });

    test('a removed loop is gone, the others stay; removing a missing loop succeeds', async () => {
      const loops = open();
      const { run, ...rest } = keptLoop();
      const designLoop: KeptLoop = { ...rest, run: { ...run, phase: 'design' } };
      await loops.write(keptLoop());
      await loops.write(designLoop);
      for (let n = 0; n < 2; n++) expect(await loops.remove(run.phase, run.feature)).toMatchObject({ ok: true });
      expect(await loops.read(run.phase, run.feature)).toEqual({ ok: true, value: null });
      expect(await loops.read('design', run.feature)).toEqual({ ok: true, value: designLoop });
    });

    test('each phase of each feature has its own', async () => {
      const loops = open();
      const of = (feature: string, phase: 'specify' | 'design') => {
        const { run, ...rest } = keptLoop({ lastEntry: `${feature} ${phase}` });
        return { ...rest, run: { ...run, feature: path(feature), phase } };
      };
      const keptLoops = [of('docs/f', 'specify'), of('docs/f', 'design'), of('docs/g', 'specify'), of('', 'specify')];
      for (const loop of keptLoops) await loops.write(loop);
      for (const loop of keptLoops) {
        expect(await loops.read(loop.run.phase, loop.run.feature)).toEqual({ ok: true, value: loop });
      }
      expect(await loops.read('implement', path('docs/f'))).toEqual({ ok: true, value: null });
    });

    test('later changes to the object are not in the stored loop', async () => {
      const loops = open();
      const loop = keptLoop();
      await loops.write(loop);
      (loop.run.rounds as unknown[]).length = 0;
      expect(await loops.read('specify', path('docs/f'))).toEqual({ ok: true, value: keptLoop() });
    });
  });
}
