import { compileGlob } from '../domain/glob.ts';
import { repoPath } from '../domain/repo-path.ts';

/** A path or glob of another tool in ours, or why there is none. */
export type ForeignPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly said: string };

const GLOB = /[*?[\]{}\\]/;

/** What an entry point is called here: paths and `folder/*` mean the same. */
export function fromEntryPath(text: string): ForeignPath {
  return checked(text.trim() === '' ? '.' : text);
}

/** The entry point for a glob of files: `src/*` are the files in src there, and each folder in src here. */
export function fromFileGlob(text: string): ForeignPath {
  const glob = fromRoot(text);
  if (GROUP.test(glob)) return NO_GROUPS;
  const below = /^(.*?)\/?\*\*(?:\/\*)?$/.exec(glob)?.[1];
  if (below !== undefined && !GLOB.test(below)) return checked(below === '' ? '.' : below);
  return checked(glob.replace(/(?<=^|\/)\*$/, '?*'));
}

/** A glob of what is left out. */
export function fromExclude(text: string): ForeignPath {
  const glob = fromRoot(text);
  if (glob === '') return { ok: false, said: 'names nothing' };
  if (GROUP.test(glob)) return NO_GROUPS;
  const compiled = compileGlob(glob, '');
  return compiled.ok ? { ok: true, path: glob } : { ok: false, said: compiled.said };
}

const GROUP = /[?*+@!]\(/;
const NO_GROUPS = { ok: false, said: 'has a group such as "+(a|b)", which globs here do not know' } as const;

function fromRoot(glob: string): string {
  return glob.trim().replace(/^(?:\.?\/)+/, '');
}

function checked(path: string): ForeignPath {
  if (path === '.' || path === './') return { ok: true, path: '.' };
  if (repoPath(path.replace(/\\./g, 'x')) === null) return { ok: false, said: 'leads out of the repository' };
  if (repoPath(path) === '') return { ok: true, path: '.' };
  const compiled = compileGlob(path, '');
  return compiled.ok ? { ok: true, path } : { ok: false, said: compiled.said };
}
