import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gitProgram } from '@onceover/base/platform/program';

/** Returns the default paths of the user's and the machine's git settings, even if no file exists there yet. */
export function defaultSettingsFiles(env: NodeJS.ProcessEnv): readonly string[] {
  const home = env['HOME'] ?? '';
  const settings = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git');
  return [
    env['GIT_CONFIG_SYSTEM'] || '/etc/gitconfig',
    env['GIT_CONFIG_GLOBAL'] || join(home, '.gitconfig'),
    ...['config', 'ignore', 'attributes'].map((name) => join(settings, name)),
    '/etc/gitattributes',
    ...['gitconfig', 'gitattributes'].map((name) => join(dirname(gitProgram()), '../etc', name)),
  ];
}

/**
 * Whether a file contains the pattern; `true` if that is unknown. If a sparse checkout leaves out a tracked file, git
 * reads the file from the index, so the content of a missing tracked file is unknown.
 */
export function mayMatch(path: string, pattern: RegExp, isTracked = false): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return isTracked;
    return pattern.test(readFileSync(path, 'latin1'));
  } catch {
    return true;
  }
}

/** Whether git's settings may contain text that matches the pattern. Only the answer `false` is certain. */
export function settingsMayMatch(
  { gitDir, commonDir }: { readonly gitDir: string; readonly commonDir: string },
  pattern: RegExp,
): boolean {
  const files = [...defaultSettingsFiles(process.env), join(commonDir, 'config'), join(gitDir, 'config.worktree')];
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('GIT_CONFIG_'));
  return files.some((path) => mayMatch(path, pattern)) || variables.some(([, text = '']) => pattern.test(text));
}
