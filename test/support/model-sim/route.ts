import type { Provider } from './script.ts';

/** The kind of request to the simulator. */
export type Target =
  | { readonly kind: 'generate'; readonly provider: Provider; readonly model: string | null; readonly stream: boolean }
  | { readonly kind: 'count'; readonly provider: Provider; readonly model: string | null }
  | { readonly kind: 'models' }
  /** A look whether anybody is there. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'unknown' };

/** A request's label and target; `path` has no label and no query, so it contains no key. */
export type Route = { readonly label: string; readonly path: string; readonly target: Target };

/** Returns the target of a request; `stream` is set only if the path itself shows it. */
export function routeOf(method: string, url: string): Route {
  const whole = url.split('?')[0] ?? '';
  const labelled = /^\/l\/([^/]+)(\/.*)?$/.exec(whole);
  const path = labelled === null ? whole : (labelled[2] ?? '/');
  return { label: decodeURIComponent(labelled?.[1] ?? ''), path, target: targetOf(method, path) };
}

function targetOf(method: string, path: string): Target {
  if (method === 'HEAD' || (method === 'GET' && path === '/')) return { kind: 'probe' };
  if (method === 'GET' && path.endsWith('/models')) return { kind: 'models' };
  if (method !== 'POST') return { kind: 'unknown' };
  if (path.endsWith('/messages')) return { kind: 'generate', provider: 'anthropic', model: null, stream: false };
  if (path.endsWith('/messages/count_tokens')) return { kind: 'count', provider: 'anthropic', model: null };
  if (path.endsWith('/responses')) return { kind: 'generate', provider: 'openai', model: null, stream: false };
  if (path.endsWith('/responses/input_tokens')) return { kind: 'count', provider: 'openai', model: null };
  const gemini = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(path);
  if (gemini === null) return { kind: 'unknown' };
  const model = gemini[1] ?? null;
  if (gemini[2] === 'countTokens') return { kind: 'count', provider: 'gemini', model };
  return { kind: 'generate', provider: 'gemini', model, stream: gemini[2] === 'streamGenerateContent' };
}
