import type { AgentSettings } from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';
import type { CallRequest, Urgency } from './types.ts';

/**
 * Increase this number if the meaning of a request or an answer changes, so that different versions of onceover do not
 * share answers.
 */
const FORMAT = 1;

/**
 * Returns the key of an agent call. Calls with the same key share one answer, which is paid for only once. `asker`
 * identifies the reviewer, because two reviewers of the same review must never share an answer. `nonce` makes the key
 * unique.
 */
export function callKey(request: CallRequest, asker: string, nonce: string | null): string {
  const { agent, made, model, sandbox, mostRetries, tree, baseTree } = request;
  const { stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds } = request;
  const call = [agent, made, model, sandbox, mostRetries, tree, baseTree];
  const question = [stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds];
  return digestOf([FORMAT, call, question, asker, nonce]);
}

/**
 * Returns a digest of the settings that decide which program an agent runs, and how. A worker never takes these
 * settings from a client.
 */
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

/** Returns the name of an agent's job queue. Workers that offer the same agent take agent calls from the same queue. */
export function queueName({ agent, made }: Pick<CallRequest, 'agent' | 'made'>): string {
  return `calls-${digestOf([agent, made]).slice(0, 24)}`;
}

const PRIORITIES: Readonly<Record<Urgency, number>> = { person: 20, ci: 10, background: 0 };

export function priorityOf(urgency: Urgency): number {
  return PRIORITIES[urgency];
}

/**
 * Returns the value with all paths made relative to the worker's checkout, because that folder exists only on the
 * worker.
 */
export function withoutFolder<T>(value: T, folder: string): T {
  if (typeof value === 'string') return value.replaceAll(`${folder}/`, '').replaceAll(folder, '.') as T;
  if (Array.isArray(value)) return value.map((element) => withoutFolder(element, folder)) as T;
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutFolder(field, folder)])) as T;
}
