import type { AskEnd, AskOptions } from '@onceover/base/kernel/ports';
import { notCalled } from '../adapters/call-agent.ts';
import type { CallProgress, ClientCalls } from './calls.ts';
import type { CallRequest } from './types.ts';

/**
 * How often a client asks the team store for the progress of its agent calls: often just after a call was added, then
 * more rarely.
 */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/** How long to wait while no worker offers the agent that a call needs. A worker that restarts needs less time. */
const NO_WORKER_MS = 60_000;

const NO_WORKER_LOOKS_MS = 10_000;

type Follower = {
  readonly hear: (progress: CallProgress) => void;
  readonly fail: (error: unknown) => void;
};

/** Watches agent calls until they end. A single query reads the progress of all calls of the client. */
export function openFollower(calls: ClientCalls) {
  const followers = new Map<string, Set<Follower>>();
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    try {
      for (const progress of await calls.progress([...followers.keys()])) {
        for (const follower of followers.get(progress.id) ?? []) follower.hear(progress);
      }
    } catch (error) {
      for (const follower of [...followers.values()].flatMap((set) => [...set])) follower.fail(error);
    }
    timer = null;
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.3);
    schedule();
  }

  function schedule(): void {
    if (timer === null && followers.size > 0) timer = setTimeout(look, pauseMs);
  }

  /** Waits until an agent call has ended. If `stop` aborts, the client stops waiting for the call. */
  async function follow(
    id: string,
    { agent, made }: Pick<CallRequest, 'agent' | 'made'>,
    { stop, watch }: Pick<AskOptions, 'stop' | 'watch'>,
  ): Promise<AskEnd | 'cancelled'> {
    let offeredAt = Date.now();
    let lookedAt = offeredAt;
    const outcome = await new Promise<AskEnd | 'cancelled' | 'left' | 'no-worker'>((resolve, reject) => {
      const follower: Follower = {
        hear({ state, doing, usage, end }) {
          if (end !== null) return settle(() => resolve(end));
          if (state === 'cancelled') return settle(() => resolve('cancelled'));
          if (state === 'answered' || state === 'failed') return settle(() => resolve(UNREADABLE));
          watch(state === 'waiting' ? 'waiting for a worker' : doing, usage);
          // If the last worker stopped, the agent call would never end, and only the client can notice that.
          void findWorker().catch(follower.fail);
        },
        fail: (error) => settle(() => reject(error)),
      };
      const findWorker = async () => {
        if (Date.now() - lookedAt < NO_WORKER_LOOKS_MS) return;
        lookedAt = Date.now();
        const offers = await calls.offers();
        if (offers.some((offer) => offer.agent === agent && offer.made === made)) offeredAt = Date.now();
        else if (Date.now() - offeredAt > NO_WORKER_MS) settle(() => resolve('no-worker'));
      };
      const onStop = () => settle(() => resolve('left'));
      const settle = (end: () => void) => {
        stop?.removeEventListener('abort', onStop);
        followers.get(id)?.delete(follower);
        if (followers.get(id)?.size === 0) followers.delete(id);
        end();
      };
      if (stop?.aborted === true) return resolve('left');
      stop?.addEventListener('abort', onStop, { once: true });
      followers.set(id, (followers.get(id) ?? new Set()).add(follower));
      pauseMs = FIRST_PAUSE_MS;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      schedule();
    });
    if (outcome === 'left' || outcome === 'no-worker') await calls.leave(id);
    if (outcome === 'left') return notCalled({ kind: 'cancelled' });
    if (outcome === 'no-worker')
      return notCalled({ kind: 'agent-error', said: `no worker offers ${JSON.stringify(agent)} any more` });
    return outcome;
  }

  return { follow };
}

const UNREADABLE = notCalled({
  kind: 'agent-error',
  said: 'the worker answered in a form that this version cannot read',
});
