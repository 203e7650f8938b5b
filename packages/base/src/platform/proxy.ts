import { BlockList, isIP } from 'node:net';

/** Environment variables, such as those of the process. */
type Variables = Readonly<Record<string, string | undefined>>;

/** Sends an HTTP request and returns the answer, as the built-in `fetch` does. It never follows redirects. */
export type Fetch = (url: string, init: RequestInit & { readonly redirect: 'error' | 'manual' }) => Promise<Response>;

/**
 * Returns a `fetch` that uses the proxy that the environment names. Only newer versions of Node.js have such a `fetch`,
 * and only if a variable turns it on.
 */
export function openFetch(env: Variables): Fetch {
  return async (url, init) => {
    const target = new URL(url);
    const proxy = proxyOf(target, env);
    if (proxy === null) return fetch(url, init);
    const { fetchThrough } = await import('./proxy-request.ts');
    return fetchThrough(proxy, target, init);
  };
}

/** Returns the proxy for an address; `null` if the connection is direct. Connections to this machine are always direct. */
export function proxyOf(target: URL, env: Variables): URL | null {
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const setting = env[name] || env[name.toUpperCase()] || '';
  if (setting === '' || isLocal(target.hostname)) return null;
  if (isExempt(target, env['no_proxy'] || env['NO_PROXY'] || '')) return null;
  const address = setting.includes('://') ? setting : `http://${setting}`;
  const isUsable = /^https?:/i.test(address) && URL.canParse(address);
  if (isUsable) return new URL(address);
  // The text does not contain the address, which may have a password.
  const message = `the proxy in ${name.toUpperCase()} is not an http:// or https:// address`;
  throw new TypeError('fetch failed', { cause: new Error(message) });
}

function isLocal(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether the list in NO_PROXY contains the address: a host, a domain, an IP address or a range, or `*`. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    const [, exemptHost = '', onlyPort = ownPort] =
      isIP(entry) === 6 ? ['', entry] : (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []);
    if (exemptHost === '' || onlyPort !== ownPort) return false;
    const [, network, bits] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(exemptHost) ?? [];
    if (network !== undefined) return isInRange(host, network, Number(bits));
    const domain = exemptHost.toLowerCase().replace(/^\*?\./, '');
    return exemptHost === '*' || host === domain || host.endsWith(`.${domain}`);
  });
}

function isInRange(host: string, network: string, bits: number): boolean {
  const version = isIP(host);
  if (version === 0 || version !== isIP(network) || bits > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, bits, family);
  return range.check(host, family);
}
