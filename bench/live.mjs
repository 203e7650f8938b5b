// Measures the live display of a run: 40 reviewers, 8 at once, each with ten events a second, for a minute, with a
// resize.
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './support/build.mjs';
import { report } from './support/rows.mjs';

const SECONDS = Number(process.env.LIVE_SECONDS ?? 60);
const SLOTS = 40;
const AT_ONCE = 8;

const { liveReporter } = await load('packages/web/src/progress/live.ts');

const bare = await play({ tell() {}, end() {} });
const terminal = Object.assign(new EventEmitter(), {
  isTTY: true,
  columns: 120,
  rows: 40,
  writes: 0,
  bytes: 0,
  write(text) {
    this.writes++;
    this.bytes += text.length;
    return true;
  },
});
const shown = await play(
  liveReporter(terminal, (_look, text) => text),
  () => {
    terminal.columns = 40;
    terminal.emit('resize');
  },
);
report({
  id: 'display',
  what: `the live display, ${SLOTS} reviewers, ${AT_ONCE} at once, ${SECONDS} s`,
  figure: shown - bare,
  unit: '% of a core',
  limit: { most: 1 },
  details: `${terminal.writes} writes, ${(terminal.bytes / 1024).toFixed(0)} KiB`,
});

/** Plays the events of a run and returns the percentage of a core that the process used. */
async function play(reporter, resize = () => {}) {
  const gates = Array.from({ length: SLOTS / 2 }, (_, n) => `review:packages/part${n}:quality`);
  const slots = gates.flatMap((gate) => [1, 2].map((slot) => ({ gate, slot })));
  const rounds = SLOTS / AT_ONCE;
  const before = process.cpuUsage();
  const start = performance.now();
  reporter.tell({ kind: 'iteration-started', iteration: 1, gates: gates.length, slots: SLOTS });
  for (let round = 0; round < rounds; round++) {
    const own = slots.slice(round * AT_ONCE, (round + 1) * AT_ONCE);
    for (const one of own)
      reporter.tell({ kind: 'slot-started', ...one, agent: 'claude', dispatch: { kind: 'fresh', why: 'first-look' } });
    if (round === rounds >> 1) resize();
    const until = start + ((round + 1) * SECONDS * 1000) / rounds;
    for (let tick = 0; performance.now() < until; tick++) {
      for (const one of own) {
        const usage = {
          inputTokens: 1000 + tick * 50,
          cachedInputTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: tick,
          costUsd: null,
        };
        reporter.tell({ kind: 'slot-active', ...one, doing: `Read packages/part${tick}/file.ts`, usage });
      }
      await sleep(100);
    }
    for (const one of own) {
      const ended = {
        agent: 'claude',
        status: 'pass',
        open: 0,
        warnings: 0,
        trouble: null,
        usage: null,
        durationMs: 12_000,
      };
      reporter.tell({ kind: 'slot-ended', ...one, ...ended });
    }
  }
  reporter.end();
  const used = process.cpuUsage(before);
  return ((used.user + used.system) / 1000 / (performance.now() - start)) * 100;
}
