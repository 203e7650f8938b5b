import type { RepoPath } from './brand.ts';

/** A file, or a folder that is a repository without a commit: git can show nothing of it. */
export type WithheldFile = { readonly path: RepoPath; readonly why: 'secret' | 'too-large' | 'repository' };

/** Untracked files over this size are not sent to anybody. */
export const LARGEST_UNTRACKED_BYTES = 5 * 1024 * 1024;

const SECRET_NAMES = [
  /^\.env.*$/i,
  /^.*\.env$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc)$/i,
  /^\.(?:npmrc|pypirc|netrc|pgpass|htpasswd|git-credentials|dockercfg)$/i,
  /^_netrc$/i,
  /^(?:credentials|secrets?|tokens?|service[-_]?account.*)(?:\.(?:json|ya?ml|toml|ini|txt|env|cfg|conf))?$/i,
  /(?:^|[._-])(?:secret|token|credential)s?\.(?:json|ya?ml|toml|ini|txt|env|cfg|conf)$/i,
];

const EXAMPLES = /\.(?:example|sample|template|dist|defaults?)$/i;

/** Whether an untracked file looks by its name as if it held secrets. */
export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
}
