import type { AgentSettings, ApiSettings } from '@onceover/base/kernel/agent';
import type { Agent } from './agent.ts';

/**
 * Change this version whenever the bytes of a conversation's requests change, so that no older session is resumed with
 * them.
 */
export const API_VERSION = 'api-1';

/**
 * Returns the description of a reviewer that is a model API. onceover calls the API itself, so no program is started.
 */
export function apiAgent(name: string, api: ApiSettings): Agent {
  return {
    name,
    program: api.baseUrl,
    testedVersion: null,
    abilities: {
      schema: true,
      readOnly: 'tools',
      usage: 'dispatch',
      // The requests of a batch can start at any time, so they cannot wait until one of them has filled the cache.
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
    // These words start no program. They are compared when a session is resumed, because it may be resumed only if they
    // are unchanged.
    invoke: () => ({
      args: [api.dialect, api.endpoint, api.model, api.baseUrl, API_VERSION, ...batchWord(api)],
      env: {},
      input: '',
    }),
    hear: (events) => events,
  };
}

// Returns a word that only batches have: a review without tools must not resume the session of a review with tools.
function batchWord({ tier }: ApiSettings): readonly string[] {
  return tier === 'batch' ? [tier] : [];
}

/**
 * Whether the agent has conversations that can be resumed and forked. A batch has none, because it is a single
 * question.
 */
export function keepsConversations({ settings }: { readonly settings: Pick<AgentSettings, 'api'> | null }): boolean {
  return settings?.api != null && settings.api.tier !== 'batch';
}

/** Whether the agent is a model API that onceover calls itself. */
export function isApiAgent({ settings }: { readonly settings: Pick<AgentSettings, 'api'> | null }): boolean {
  return settings?.api != null;
}
