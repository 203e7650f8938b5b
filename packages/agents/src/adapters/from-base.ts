import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '@onceover/base/kernel/paths';
import { realPath, statIfPresent } from '@onceover/base/platform/files';
import { findOnPath } from '@onceover/base/platform/program';
import { isApiAgent } from './api-agent.ts';
import { commandAgent } from './command.ts';
import { findProgram, isCustomCommand, type KnownAgent } from './installed.ts';

/** Returns PATH without the folders inside `root`, where the author of a change could put programs. */
function pathOutside(path = '', root: string, relative: 'dropped' | 'kept' = 'dropped'): string {
  const isKept = (folder: string) => (isAbsolute(folder) ? !isInside(realPath(folder), root) : relative === 'kept');
  return path.split(delimiter).filter(isKept).join(delimiter);
}

/**
 * Returns the agent with a program that the author of a pull request cannot replace. Only the program of a custom
 * command may be in the repository, because `startedFromBase` takes it from the base branch.
 */
export function foundForPullRequest(one: KnownAgent, root: string, ownPath: string): KnownAgent {
  // A model API has no program, and its address comes from the settings on the base branch.
  if (isApiAgent(one)) return one;
  const name = one.settings?.path ?? one.agent.program;
  const isOwn = isCustomCommand(one);
  const env = isOwn ? one.env : { ...one.env, PATH: pathOutside(one.env['PATH'], root) };
  if (!name.includes('/')) return { ...one, env, program: outside(findOnPath(name, pathOutside(ownPath, root)), root) };
  return isOwn && isInside(resolve(root, name), root) ? { ...one, program: resolve(root, name) } : { ...one, env };
}

/**
 * Returns the custom command in a form that starts in `checkout`, a checkout of the base branch, instead of the working
 * tree.
 */
export function startedFromBase(one: KnownAgent, root: string, checkout: string): KnownAgent {
  const [name = '', ...args] = (one.settings?.command ?? []).map((word) => moved(word, root, checkout));
  const values = Object.entries(one.env).map(([key, value]) => [key, moved(value, root, checkout)] as const);
  const env: KnownAgent['env'] = Object.fromEntries(values);
  return {
    ...one,
    agent: commandAgent({ name: one.agent.name, command: [name, ...args], resume: one.settings?.resume === true }),
    program: name.includes('/') ? outside(findProgram(name, '', checkout), root) : one.program,
    // The command starts in the checkout of the base branch, so a relative folder on PATH is safe.
    env: { ...env, PATH: pathOutside(env['PATH'], root, 'kept'), PWD: checkout },
  };
}

/** Returns the text with the path of the working tree replaced by the path of the checkout. */
function moved(text: string, root: string, checkout: string): string {
  // The path of the working tree, such as `/work/shop`, can also be the beginning of another path, such as
  // `/work/shop-tools`. Leave that one as it is.
  const changed = text.split(root).reduce((all, part) => all + (/^[\w.-]/.test(part) ? root : checkout) + part);
  const real = isAbsolute(changed) ? realPath(changed) : '';
  return isInside(real, root) ? checkout + real.slice(root.length) : changed;
}

function outside(program: string | null, root: string): string | null {
  return program !== null && isInside(realPath(program), root) ? null : program;
}

/**
 * Returns a path in the settings or environment of a built-in agent that points into the repository; `null` if there is
 * none. The author of a change could edit the file at this path, which the agent would load.
 */
export function nameInside(one: KnownAgent, root: string): string | null {
  if (isCustomCommand(one) || isApiAgent(one)) return null;
  const { path = null, env = {}, acp = null } = one.settings ?? {};
  if (path?.includes('/') === true && isInside(realPath(resolve(root, path)), root)) return path;
  const own = [...(acp ?? []), ...Object.values(env)].flatMap((value) => value.split(/[\s'"=;,:&|()]+/));
  const given = Object.entries(one.env).filter(([name, value]) => isAbsolute(value) && !HARMLESS.has(name));
  const isThere = (word: string) =>
    [word, join('node_modules', word)].some((name) => {
      const full = realPath(resolve(root, name));
      return isInside(full, root) && statIfPresent(full) !== null;
    });
  const inherited = given.map(([, value]) => value).filter((value) => !value.includes(delimiter));
  return [...own, ...inherited].find((word) => word !== '' && isThere(word)) ?? null;
}

/** Environment variables that name folders from which no agent loads code or settings. */
const HARMLESS = new Set(['TMPDIR', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'PWD']);
