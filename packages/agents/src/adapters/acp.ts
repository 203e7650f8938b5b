import { isAbsolute } from 'node:path';
import { digestOf } from '@onceover/base/kernel/ids';
import { statIfPresent } from '@onceover/base/platform/files';
import { openAcpCall } from './acp-client.ts';
import type { Agent } from './agent.ts';

/**
 * Change this version whenever onceover sends other requests or prompts, so that no older session is resumed with them.
 */
const CLIENT_VERSION = 'acp-1';

/** Returns an agent that speaks the Agent Client Protocol (ACP) on its standard input and output. */
export function acpAgent(name: string, command: readonly [string, ...string[]]): Agent {
  const [program, ...args] = command;
  return {
    name,
    program,
    testedVersion: null,
    abilities: {
      schema: false,
      readOnly: 'copy',
      usage: 'if-told',
      stablePart: 'not-cached',
      stopHook: 'none',
      fork: 'none',
    },
    // The agent works in a copy, so its edits would be lost.
    canFix: false,
    diffLimit: 300_000,
    priceProvider: null,
    install: null,
    variables: ['*'],
    sessionLost: null,
    worksInCopy: true,
    // Set these variables, because their usual values would show the agent the path of the working tree.
    invoke: (_question, _put, cwd) => ({
      args: [...args],
      env: { PWD: cwd, OLDPWD: cwd, INIT_CWD: cwd },
      input: '',
    }),
    hear: (events) => events,
    converse: openAcpCall,
  };
}

/**
 * Returns the version of an ACP agent: that of its program, with a digest of its command and of the files that the
 * command names. The version of the program alone is not enough, because the program of `node agent.js` is Node.js.
 */
export function acpVersion(program: string, command: readonly string[]): string {
  const files = command.filter(isAbsolute).map((path) => {
    const stats = statIfPresent(path);
    return stats === null ? null : [path, stats.size, Math.round(stats.mtimeMs)];
  });
  return `${program}+${digestOf([CLIENT_VERSION, command, files]).slice(0, 12)}`;
}
