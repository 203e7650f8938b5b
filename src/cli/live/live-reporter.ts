import type { WriteStream } from 'node:tty';
import type { Event } from '../../domain/event.ts';
import { tellEvent } from '../../text/event.ts';
import type { Paint } from '../../text/paint.ts';
import { wrap } from '../../text/wrap.ts';
import type { ConsoleReporter } from '../console-reporter.ts';
import { frame } from './frame.ts';
import { nothingYet, progressAfter } from './progress.ts';
import { openScreen } from './screen.ts';

/** Shows on a terminal what is going on: what has ended scrolls up, what is at work is shown below it. */
export function liveReporter(terminal: WriteStream, paint: Paint): ConsoleReporter {
  const screen = openScreen(terminal);
  let progress = nothingYet(performance.now());
  let above: string[] = [];
  let due: NodeJS.Timeout | null = null;
  let lastDrawn = 0;
  let ended = false;
  let hasTold = false;
  const draw = () => {
    if (due !== null) clearTimeout(due);
    due = null;
    const now = performance.now();
    lastDrawn = now;
    const size = { columns: terminal.columns || 80, rows: terminal.rows || 24 };
    screen.draw(ended ? [] : frame(progress, size, now, paint), above);
    above = [];
    if (!ended && progress.running.size > 0) later(Math.ceil(SECOND - ((now - progress.startedAt) % SECOND)));
  };
  const later = (ms: number) => {
    due = setTimeout(draw, ms);
    // Showing it is no reason to go on.
    due.unref();
  };
  const soon = () => {
    if (due !== null) clearTimeout(due);
    later(Math.max(0, lastDrawn + SHORTEST - performance.now()));
  };
  terminal.on('resize', soon);
  return {
    tell(event) {
      progress = progressAfter(progress, event, performance.now());
      if (!isMomentary(event)) {
        const line = tellEvent(event, paint);
        if (line !== null) above.push(wrap(line, terminal.columns || 80, 2));
        hasTold ||= line !== null;
      }
      soon();
    },
    end() {
      if (ended) return;
      ended = true;
      // The answer comes right below, where it goes to the same terminal.
      if (hasTold && process.stdout.isTTY) above.push('');
      terminal.off('resize', soon);
      draw();
    },
  };
}

const SECOND = 1000;
const SHORTEST = 150;

// What is at work is shown while it is; it need not be said as well.
function isMomentary(event: Event): boolean {
  if (event.kind === 'slot-planned') return event.plan.kind === 'run' && SHOWN_AT_WORK.includes(event.plan.why);
  if (event.kind === 'look-started') return SHOWN_AT_WORK.includes(event.why);
  return (
    event.kind === 'fix-started' ||
    event.kind === 'slot-started' ||
    event.kind === 'check-started' ||
    event.kind === 'slot-active'
  );
}

const SHOWN_AT_WORK: readonly string[] = [
  ...['first-run', 'only-reviewer', 'not-passed'],
  ...['first-look', 'delta', 'final-validation'],
];
