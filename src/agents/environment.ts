import { ACTIVE } from '../domain/active.ts';

/** What every program needs to be itself: home, language, proxies, certificates. */
const ALWAYS = [
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_*',
  'TZ',
  'TERM',
  'TMPDIR',
  'XDG_*',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'DBUS_SESSION_BUS_ADDRESS',
  'SSH_AUTH_SOCK',
];

/** The part of the user's environment that an agent gets; names may end in `*`. Nothing else of ours leaks into it. */
export function agentEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  needs: readonly string[],
): Record<string, string> {
  const allowed = [...ALWAYS, ...needs];
  const passes = (name: string) =>
    allowed.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
  const env: Record<string, string> = { [ACTIVE]: '1' };
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && passes(name)) env[name] = value;
  }
  return env;
}
