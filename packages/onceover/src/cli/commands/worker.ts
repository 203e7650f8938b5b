import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { describeWorkerEvent, jsonWorkerEvent } from '@onceover/team/worker/describe';
import type { WorkerEvent } from '@onceover/team/worker/types';
import { worker } from '../../api.ts';
import { exitWith, type Flags, wrongUsage } from '../output.ts';

type WorkerFlags = Flags<'agents' | 'settings' | 'account' | 'name' | 'folder'> & {
  readonly [Name in 'concurrency' | 'mostAtOnce' | 'callsPerMinute' | 'tokensPerMinute' | 'heartbeat']?: number;
};

/**
 * Runs a worker until a signal arrives. After the first signal, it finishes its running calls; after a second one, it
 * returns them to the queue.
 */
export async function workerCommand(flags: WorkerFlags): Promise<void> {
  const { json = false } = flags;
  const agents = (flags.agents ?? '').split(',').filter((name) => name !== '');
  if (agents.length === 0) return wrongUsage('worker', 'Name at least one agent with --agents.', json);
  const stop = new AbortController();
  const stopNow = new AbortController();
  const onSignal = () => (stop.signal.aborted ? stopNow : stop).abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const tell = (event: WorkerEvent) =>
    process.stdout.write(`${json ? jsonWorkerEvent(event, new Date()) : describeWorkerEvent(event)}\n`);
  const result = await worker({
    name: flags.name ?? hostname(),
    agents: [...new Set(agents)],
    settingsFolder: flags.settings ?? null,
    atOnce: flags.concurrency ?? 4,
    account: flags.account ?? null,
    limits: {
      callsAtOnce: flags.mostAtOnce ?? null,
      callsPerMinute: flags.callsPerMinute ?? null,
      tokensPerMinute: flags.tokensPerMinute ?? null,
    },
    heartbeatSeconds: flags.heartbeat ?? 60,
    folder: flags.folder === undefined ? null : resolve(flags.folder),
    stop: stop.signal,
    stopNow: stopNow.signal,
    tell,
  });
  if (!result.ok) await exitWith(result.failure, json);
}
