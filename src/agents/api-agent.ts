import type { AgentSettings, ApiSettings } from '../kernel/agent.ts';
import type { Agent } from './agent.ts';

/** Changes when requests of the same conversation get other bytes, so that no older session is resumed with them. */
export const API_VERSION = 'api-1';

/** Returns the facts about a reviewer that is an API. onceover calls it itself, so there is no program to start. */
export function apiAgent(name: string, api: ApiSettings): Agent {
  return {
    name,
    program: api.baseUrl,
    testedVersion: null,
    abilities: {
      schema: true,
      readOnly: 'tools',
      usage: 'dispatch',
      // The requests of a batch start at any time, so they do not wait for each other's cache.
      stablePart: api.tier === 'batch' ? 'not-cached' : 'cached',
      stopHook: 'none',
      fork: api.tier === 'batch' ? 'none' : 'cached',
    },
    canFix: false,
    diffLimit: 400_000,
    priceProvider: api.dialect,
    install: null,
    variables: api.key === null ? [] : [api.key],
    access: {
      logIn: api.key === null ? 'name the variable with the key as "key" in onceover.yml' : `set ${api.key}`,
      judgeLogin({ env }) {
        if (api.key === null) return { state: 'unknown', why: null };
        return (env[api.key] ?? '') === '' ? { state: 'no', why: null } : { state: 'yes', why: api.key };
      },
      service: () => api.baseUrl,
    },
    sessionLost: null,
    // Nothing is started with these words. They are the facts that sessions of this reviewer depend on.
    invoke: () => ({
      args: [api.dialect, api.endpoint, api.model, api.baseUrl, API_VERSION, ...batchWord(api)],
      env: {},
      input: '',
    }),
    hear: (events) => events,
  };
}

// A review without tools must not use the sessions of a review with tools.
function batchWord({ tier }: ApiSettings): readonly string[] {
  return tier === 'batch' ? [tier] : [];
}

/** Whether the agent keeps conversations that can be resumed and forked. A batch is always one question. */
export function keepsConversations({ settings }: { readonly settings: Pick<AgentSettings, 'api'> | null }): boolean {
  return settings?.api != null && settings.api.tier !== 'batch';
}

/** Whether the agent is an API that onceover calls itself. */
export function isApiAgent({ settings }: { readonly settings: Pick<AgentSettings, 'api'> | null }): boolean {
  return settings?.api != null;
}
