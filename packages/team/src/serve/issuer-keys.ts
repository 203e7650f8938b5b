import { addressOf } from '@onceover/forges/decide-target';
import * as z from 'zod';
import { type IssuerKeys, keySetShape } from './decide-jwt.ts';

const KEEP_MS = 10 * 60_000;

/** The minimum time between two fetches of the issuer's keys when tokens name unknown keys. */
const AGAIN_MS = 60_000;

const MOST_BYTES = 512 * 1024;

const MOST_MS = 10_000;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });

/**
 * Fetches the keys of a token issuer and caches them. Both methods return `null` if the issuer does not answer as
 * expected.
 */
export function openIssuerKeys(issuer: string) {
  let cache: { readonly keys: IssuerKeys; readonly at: number } | null = null;
  let fetching: Promise<IssuerKeys | null> | null = null;
  let triedAt = 0;

  async function refresh(): Promise<IssuerKeys | null> {
    fetching ??= fetchKeys(issuer).finally(() => {
      fetching = null;
    });
    triedAt = Date.now();
    const keys = await fetching;
    if (keys !== null) cache = { keys, at: Date.now() };
    return keys;
  }

  return {
    async keys(): Promise<IssuerKeys | null> {
      return cache !== null && Date.now() - cache.at < KEEP_MS ? cache.keys : refresh();
    },
    /**
     * Fetches the keys again because a token named an unknown one. Fetches at most once per minute, so strangers cannot
     * flood the issuer with requests.
     */
    async newer(): Promise<IssuerKeys | null> {
      return Date.now() - triedAt < AGAIN_MS ? (cache?.keys ?? null) : refresh();
    },
  };
}

async function fetchKeys(issuer: string): Promise<IssuerKeys | null> {
  const about = discovery.safeParse(await fetchJson(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`));
  if (!about.success || about.data.issuer !== issuer || addressOf(about.data.jwks_uri) === null) return null;
  const keys = keySetShape.safeParse(await fetchJson(about.data.jwks_uri));
  return keys.success ? keys.data.keys : null;
}

async function fetchJson(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(MOST_MS) });
    const text = answer.ok ? await answer.text() : '';
    return text === '' || text.length > MOST_BYTES ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
