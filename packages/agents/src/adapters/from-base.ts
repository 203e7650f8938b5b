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
export function foundForPullRequest(knownAgent: KnownAgent, root: string, ownPath: string): KnownAgent {
  // A model API has no program, and its address comes from the settings on the base branch.
  if (isApiAgent(knownAgent)) return knownAgent;
  const name = knownAgent.settings?.path ?? knownAgent.agent.program;
  const isOwn = isCustomCommand(knownAgent);
  const env = isOwn ? knownAgent.env : { ...knownAgent.env, PATH: pathOutside(knownAgent.env['PATH'], root) };
  if (!name.includes('/'))
    return { ...knownAgent, env, program: outside(findOnPath(name, pathOutside(ownPath, root)), root) };
  return isOwn && isInside(resolve(root, name), root)
    ? { ...knownAgent, program: resolve(root, name) }
    : { ...knownAgent, env };
}

/**
 * Returns the custom command in a form that starts in `checkout`, a checkout of the base branch, instead of the working
 * tree.
 */
export function startedFromBase(knownAgent: KnownAgent, root: string, checkout: string): KnownAgent {
  const [name = '', ...args] = (knownAgent.settings?.command ?? []).map((word) => movePaths(word, root, checkout));
  const values = Object.entries(knownAgent.env).map(([key, value]) => [key, movePaths(value, root, checkout)] as const);
  const env: KnownAgent['env'] = Object.fromEntries(values);
  return {
    ...knownAgent,
    agent: commandAgent({
      name: knownAgent.agent.name,
      command: [name, ...args],
      resume: knownAgent.settings?.resume === true,
    }),
    program: name.includes('/') ? outside(findProgram(name, '', checkout), root) : knownAgent.program,
    // The command starts in the checkout of the base branch, so a relative folder on PATH is safe.
    env: { ...env, PATH: pathOutside(env['PATH'], root, 'kept'), PWD: checkout },
  };
}

/** Returns the text with the path of the working tree replaced by the path of the checkout. */
function movePaths(text: string, root: string, checkout: string): string {
  // The path of the working tree, such as `/work/shop`, can also be the beginning of another path, such as
  // `/work/shop-tools`. Leave that one as it is.
  const movedText = text.split(root).reduce((prefix, part) => prefix + (/^[\w.-]/.test(part) ? root : checkout) + part);
  const real = isAbsolute(movedText) ? realPath(movedText) : '';
  return isInside(real, root) ? checkout + real.slice(root.length) : movedText;
}

function outside(program: string | null, root: string): string | null {
  return program !== null && isInside(realPath(program), root) ? null : program;
}

/**
 * Returns a path in the settings or environment of a built-in agent that points into the repository; `null` if there is
 * none. The author of a change could edit the file at this path, which the agent would load.
 */
export function nameInside(knownAgent: KnownAgent, root: string): string | null {
  if (isCustomCommand(knownAgent) || isApiAgent(knownAgent)) return null;
  const { path = null, env = {}, acp = null } = knownAgent.settings ?? {};
  if (path?.includes('/') === true && isInside(realPath(resolve(root, path)), root)) return path;
  const settingsWords = [...(acp ?? []), ...Object.values(env)].flatMap((value) => value.split(/[\s'"=;,:&|()]+/));
  const pathVariables = Object.entries(knownAgent.env).filter(
    ([name, value]) => isAbsolute(value) && !HARMLESS.has(name),
  );
  const isThere = (word: string) =>
    [word, join('node_modules', word)].some((name) => {
      const full = realPath(resolve(root, name));
      return isInside(full, root) && statIfPresent(full) !== null;
    });
  const inheritedPaths = pathVariables.map(([, value]) => value).filter((value) => !value.includes(delimiter));
  return [...settingsWords, ...inheritedPaths].find((word) => word !== '' && isThere(word)) ?? null;
}

/** Environment variables that name folders from which no agent loads code or settings. */
const HARMLESS = new Set(['TMPDIR', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'PWD']);
