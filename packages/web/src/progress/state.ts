import { totalTokens, type Usage } from '@onceover/base/kernel/agent';
import { quoteName } from '@onceover/base/kernel/escape';
import type { ReporterOf } from '@onceover/base/kernel/ports';
import type { RunProgress } from '@onceover/gates/result/types';
import type { PhaseProgress } from '@onceover/loops/phases/progress';

/** An event that a run or a phase reports during its work. */
export type Event = RunProgress | PhaseProgress;

export type Reporter = ReporterOf<Event>;

/** Reports events to the user as they happen. `end` removes the live view. */
export type ConsoleReporter = Reporter & { end(): void };

/** The progress that the live view shows. */
export type Progress = Readonly<ReturnType<typeof NO_PROGRESS>>;

/** A check, reviewer or fixer that is running. */
export type Running = {
  readonly name: string;
  readonly agent: string | null;
  readonly dispatch: 'fresh' | 'resumed' | null;
  readonly since: number;
  readonly doing: string | null;
  readonly tokens: number | null;
};

export function NO_PROGRESS(now: number) {
  return {
    /** The name of the run, or of the round of a phase; `null` before it has started. */
    title: null as string | null,
    startedAt: now,
    checks: 0,
    checksEnded: 0,
    slots: 0,
    ended: 0,
    failed: 0,
    /** The tokens of all calls that have ended. */
    tokens: 0,
    running: new Map() as ReadonlyMap<string, Running>,
  };
}

export function progressAfter(before: Progress, event: Event, now: number): Progress {
  switch (event.kind) {
    case 'iteration-started':
      return {
        ...NO_PROGRESS(before.startedAt),
        title: `Run ${event.iteration}`,
        checks: event.checks,
        slots: event.slots,
      };
    case 'round-started': {
      const round = event.isFinalValidation ? 'final validation' : `iteration ${event.iteration} of ${event.most}`;
      return { ...NO_PROGRESS(before.startedAt), title: `${event.phase}, ${round}`, slots: event.roles.length };
    }
    case 'check-started':
      return addTask(before, event, now, { name: quoteName(event.gate), doing: event.command });
    case 'fix-started':
      return addTask(before, event, now, { name: FIX, agent: event.agent, dispatch: event.dispatch });
    case 'reading-started':
      return addTask(before, event, now, { name: `reading for ${event.readers.length} reviewers`, agent: event.agent });
    case 'slot-started': {
      const { gate, slot, agent, dispatch } = event;
      const name = `${quoteName(gate)}, reviewer ${slot}`;
      return addTask(before, event, now, { name, agent, dispatch: dispatch.kind });
    }
    case 'look-started': {
      const { role, part, agent, dispatch, label } = event;
      const name = part === null ? role : `${role} ${part}`;
      return addTask(before, event, now, { name, agent, dispatch, doing: label });
    }
    case 'fix-active':
    case 'slot-active':
    case 'look-active':
      return changeTask(before, event, (task) => ({
        doing: event.doing ?? task.doing,
        tokens: event.usage === null ? task.tokens : totalTokens(event.usage),
      }));
    case 'slot-asked-again':
    case 'look-asked-again':
      return changeTask(before, event, (task) => ({
        agent: event.agent,
        dispatch: event.mode === 'repair' ? task.dispatch : 'fresh',
        doing: null,
      }));
    case 'check-ended': {
      const counts = {
        checksEnded: before.checksEnded + 1,
        failed: before.failed + (event.status === 'pass' ? 0 : 1),
      };
      return endTask({ ...before, ...counts }, event, null);
    }
    case 'fix-ended':
      return endTask(before, event, event.fix.usage);
    case 'slot-ended':
    case 'look-ended': {
      const isFailure = event.status !== 'pass' && event.status !== 'done';
      const progress = { ...before, ended: before.ended + 1, failed: before.failed + (isFailure ? 1 : 0) };
      return endTask(progress, event, event.usage);
    }
    // A call that reads files for several reviewers is already counted for the first of these reviewers.
    case 'reading-ended':
      return endTask(before, event, null);
    case 'slot-planned':
    case 'committed':
      return before;
  }
}

const FIX = 'fixing';

/** Returns the key in `running` of the check, reviewer, role or fixer that the event is about. */
function keyOf(event: Event): string {
  if ('role' in event) return event.role;
  if ('readers' in event) return `reading ${event.readers.map(({ gate, slot }) => `${gate} @${slot}`).join(' ')}`;
  if (!('gate' in event)) return FIX;
  return 'slot' in event ? `${event.gate} @${event.slot}` : event.gate;
}

const IDLE = { agent: null, dispatch: null, doing: null, tokens: null } as const;

function addTask(
  before: Progress,
  event: Event,
  since: number,
  task: Pick<Running, 'name'> & Partial<Omit<Running, 'since'>>,
): Progress {
  return { ...before, running: new Map([...before.running, [keyOf(event), { ...IDLE, since, ...task }]]) };
}

function changeTask(before: Progress, event: Event, change: (task: Running) => Partial<Running>): Progress {
  const task = before.running.get(keyOf(event));
  if (task === undefined) return before;
  return { ...before, running: new Map([...before.running, [keyOf(event), { ...task, ...change(task) }]]) };
}

function endTask(before: Progress, event: Event, usage: Usage | null): Progress {
  const running = new Map([...before.running].filter(([key]) => key !== keyOf(event)));
  return { ...before, tokens: before.tokens + (usage === null ? 0 : totalTokens(usage)), running };
}
