import type { RepoPath } from './brand.ts';

/** The path from the root, or null where it leaves the root; `from` is a folder relative to the root. */
export function repoPath(path: string, from = ''): RepoPath | null {
  if (path.startsWith('/') || path.includes('\0')) return null;
  const parts: string[] = from === '' ? [] : from.split('/').filter((part) => part !== '');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/') as RepoPath;
}

/** The folder of a path: '' for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}
