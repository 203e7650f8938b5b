import type { AgentSettings } from '../kernel/agent.ts';
import { digestOf } from '../kernel/ids.ts';
import type { CallRequest, Urgency } from './types.ts';

/** Increase this number if the meaning of a request or an answer changes, so that versions do not share answers. */
const FORMAT = 1;

/**
 * Returns the key of a call: the same key means the same call, which is paid only once. `asker` is the reviewer that
 * asks; two reviewers of a review never share an answer. `nonce` makes a key that no one else has.
 */
export function callKey(request: CallRequest, asker: string, nonce: string | null): string {
  const { agent, made, model, sandbox, mostRetries, tree, baseTree } = request;
  const { stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds } = request;
  const call = [agent, made, model, sandbox, mostRetries, tree, baseTree];
  const question = [stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds];
  return digestOf([FORMAT, call, question, asker, nonce]);
}

/** Returns a digest of the settings that decide which program runs, and how. A worker never takes these from a client. */
export function madeBy(settings: Pick<AgentSettings, 'command' | 'path' | 'env' | 'api' | 'acp'> | null): string {
  const env = Object.entries(settings?.env ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf([
    settings?.command ?? null,
    settings?.path ?? null,
    env,
    settings?.api ?? null,
    ...(settings?.acp == null ? [] : [settings.acp]),
  ]);
}

/** Returns the name of the queue for an agent. Workers with the same agent take calls from the same queue. */
export function queueName({ agent, made }: Pick<CallRequest, 'agent' | 'made'>): string {
  return `calls-${digestOf([agent, made]).slice(0, 24)}`;
}

const PRIORITIES: Readonly<Record<Urgency, number>> = { person: 20, ci: 10, background: 0 };

export function priorityOf(urgency: Urgency): number {
  return PRIORITIES[urgency];
}

/** Returns the answer's text with paths relative to the checkout of the worker, whose folder means nothing elsewhere. */
export function withoutFolder<T>(value: T, folder: string): T {
  if (typeof value === 'string') return value.replaceAll(`${folder}/`, '').replaceAll(folder, '.') as T;
  if (Array.isArray(value)) return value.map((one) => withoutFolder(one, folder)) as T;
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutFolder(one, folder)])) as T;
}
