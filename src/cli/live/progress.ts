import type { Event } from '../../domain/event.ts';
import type { Usage } from '../../domain/usage.ts';
import { totalTokens } from '../../domain/usage.ts';

/** What is going on, as far as it can be shown. */
export type Progress = {
  readonly iteration: number | null;
  /** Which loop the iteration belongs to; null: a run. */
  readonly loop: { readonly phase: string; readonly most: number; readonly isFinalValidation: boolean } | null;
  readonly startedAt: number;
  readonly slots: number;
  readonly ended: number;
  readonly failed: number;
  /** Tokens of dispatches that have ended. */
  readonly tokens: number;
  readonly running: ReadonlyMap<string, Running>;
};

export type Running = {
  /** A gate, or the role of a loop. */
  readonly gate: string;
  /** The slot of a gate, or which half of its work a role does. */
  readonly slot: number | 'A' | 'B' | null;
  readonly agent: string | null;
  readonly dispatch: 'fresh' | 'resumed' | null;
  readonly since: number;
  readonly doing: string | null;
  readonly tokens: number | null;
};

export function nothingYet(now: number): Progress {
  return {
    iteration: null,
    loop: null,
    startedAt: now,
    slots: 0,
    ended: 0,
    failed: 0,
    tokens: 0,
    running: new Map(),
  };
}

/** What is going on after an event. */
export function progressAfter(before: Progress, event: Event, now: number): Progress {
  switch (event.kind) {
    case 'iteration-started':
      return { ...nothingYet(before.startedAt), iteration: event.iteration, slots: event.slots };
    case 'check-started':
      return withRunning(before, event.gate, {
        gate: event.gate,
        slot: null,
        agent: null,
        dispatch: null,
        since: now,
        doing: event.command,
        tokens: null,
      });
    case 'check-ended':
      return { ...before, running: without(before, event.gate) };
    case 'fix-started':
      return withRunning(before, FIX, {
        gate: FIX,
        slot: null,
        agent: event.agent,
        dispatch: event.dispatch,
        since: now,
        doing: null,
        tokens: null,
      });
    case 'fix-active':
      return change(before, FIX, (one) => ({
        ...one,
        doing: event.doing ?? one.doing,
        tokens: tokensIn(event.usage) ?? one.tokens,
      }));
    case 'fix-ended':
      return {
        ...before,
        tokens: before.tokens + (tokensIn(event.fix.usage) ?? 0),
        running: without(before, FIX),
      };
    case 'slot-planned':
      return before;
    case 'slot-started':
      return withRunning(before, keyOf(event), {
        gate: event.gate,
        slot: event.slot,
        agent: event.agent,
        dispatch: event.dispatch.kind,
        since: now,
        doing: null,
        tokens: null,
      });
    case 'slot-active':
      return change(before, keyOf(event), (one) => ({
        ...one,
        doing: event.doing ?? one.doing,
        tokens: tokensIn(event.usage) ?? one.tokens,
      }));
    case 'slot-asked-again':
      return change(before, keyOf(event), (one) => ({
        ...one,
        agent: event.agent,
        dispatch: event.mode === 'repair' ? one.dispatch : 'fresh',
        doing: null,
      }));
    case 'slot-ended':
      return {
        ...before,
        ended: before.ended + 1,
        failed: before.failed + (event.status === 'pass' ? 0 : 1),
        tokens: before.tokens + (tokensIn(event.usage) ?? 0),
        running: without(before, keyOf(event)),
      };
    case 'round-started': {
      const { phase, most, isFinalValidation } = event;
      const loop = { phase, most, isFinalValidation };
      return { ...nothingYet(before.startedAt), iteration: event.iteration, loop, slots: event.roles.length };
    }
    case 'look-started':
      return withRunning(before, event.role, {
        gate: event.role,
        slot: event.part,
        agent: event.agent,
        dispatch: event.dispatch,
        since: now,
        doing: event.label,
        tokens: null,
      });
    case 'look-active':
      return change(before, event.role, (one) => ({
        ...one,
        doing: event.doing ?? one.doing,
        tokens: tokensIn(event.usage) ?? one.tokens,
      }));
    case 'look-asked-again':
      return change(before, event.role, (one) => ({
        ...one,
        agent: event.agent,
        dispatch: event.mode === 'repair' ? one.dispatch : 'fresh',
        doing: null,
      }));
    case 'look-ended':
      return {
        ...before,
        ended: before.ended + 1,
        failed: before.failed + (event.status === 'pass' || event.status === 'done' ? 0 : 1),
        tokens: before.tokens + (tokensIn(event.usage) ?? 0),
        running: without(before, event.role),
      };
    case 'committed':
      return before;
  }
}

const FIX = 'fixing';

function keyOf({ gate, slot }: { readonly gate: string; readonly slot: number }): string {
  return `${gate} @${slot}`;
}

function tokensIn(usage: Usage | null): number | null {
  return usage === null ? null : totalTokens(usage);
}

function withRunning(before: Progress, key: string, one: Running): Progress {
  return { ...before, running: new Map([...before.running, [key, one]]) };
}

function change(before: Progress, key: string, how: (one: Running) => Running): Progress {
  const one = before.running.get(key);
  return one === undefined ? before : { ...before, running: new Map([...before.running, [key, how(one)]]) };
}

function without(before: Progress, key: string): ReadonlyMap<string, Running> {
  return new Map([...before.running].filter(([own]) => own !== key));
}
