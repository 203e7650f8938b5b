import { createHash } from 'node:crypto';

/** The facts that are the same in all clones of a repository and identify it. */
export type RepositoryIdentity = {
  /** The SHA-256 digest of the fields `remote` and `root`. */
  readonly identity: string;
  /** The normalised address of the git remote; empty if the repository has no remote. */
  readonly remote: string;
  /** The first commit of the current branch; empty if the branch has no commit yet. */
  readonly root: string;
};

/** Returns the identity of the repository with this remote address and this first commit. */
export function repositoryIdentity(remote: string | null, root: string | null): RepositoryIdentity {
  const facts = { remote: remote === null ? '' : normaliseRemote(remote), root: root ?? '' };
  const identity = createHash('sha256')
    .update(JSON.stringify([facts.remote, facts.root]))
    .digest('hex');
  return { identity, ...facts };
}

/**
 * Returns the address of the remote that identifies the repository: `origin`, or the alphabetically first if there is
 * no `origin`.
 */
export function chooseRemote(remotes: ReadonlyMap<string, string>): string | null {
  const first = [...remotes.keys()].sort()[0];
  return remotes.get('origin') ?? (first === undefined ? null : (remotes.get(first) ?? null));
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  'ssh:': '22',
  'https:': '443',
  'http:': '80',
  'git:': '9418',
};

/**
 * Returns one text for all addresses that clone the same repository: host and path, without scheme, user, password,
 * default port, `.git` and final slashes. A local path stays as it is.
 */
export function normaliseRemote(address: string): string {
  const url = address.trim();
  const scp = /^(?:[^@/\s]+@)?(\[[^\]\s]+\]|[^:/\s[\]]+):(?!\/\/)(.*)$/s.exec(url);
  if (scp !== null && !/^[a-z]$/i.test(scp[1] ?? '')) return hostAndPath(scp[1] ?? '', '', scp[2] ?? '');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i
    .exec(url)?.[1]
    ?.toLowerCase()
    .replace(/^git\+/, '');
  if (scheme === undefined || scheme === 'file') return `file:${trimPath(url.replace(/^file:\/\//i, ''), '/')}`;
  const hostPart = url.slice(url.indexOf('://') + 3);
  const [, host = '', port = '', path = ''] = /^(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)(?::(\d*))?(.*)$/s.exec(hostPart) ?? [];
  const isDefault = port === '' || port === DEFAULT_PORTS[`${scheme}:`];
  return hostAndPath(host, isDefault ? '' : `:${port}`, path.replace(/[?#].*$/s, ''));
}

function hostAndPath(host: string, port: string, path: string): string {
  return `${host.toLowerCase()}${port}/${trimPath(path, '')}`;
}

function trimPath(path: string, start: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const last = parts.at(-1);
  if (last?.endsWith('.git') === true && last !== '.git') parts[parts.length - 1] = last.slice(0, -4);
  return (path.startsWith('/') ? start : '') + parts.join('/');
}
