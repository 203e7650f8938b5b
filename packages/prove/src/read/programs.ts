import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentSettings } from '@onceover/base/kernel/agent';
import { sha256 } from '@onceover/base/kernel/ids';
import { tryDisk } from '@onceover/base/platform/files';
import { readPlainFile } from '@onceover/base/platform/private-files';
import type { Settings } from '@onceover/repo/config/settings';
import { answererDigest } from '../decide/answerer.ts';

/**
 * The largest script, in bytes. A larger file is a program such as an interpreter, which does not determine how a
 * reviewer behaves.
 */
const LONGEST_SCRIPT = 1024 * 1024;

/** Returns a function that gives a digest of an agent's settings and scripts. */
export function answerersIn(root: string, agent: Settings['agent']): (name: string) => string {
  return (name) => answererDigest(agent[name], programDigests(root, agent[name]));
}

/**
 * Returns digests of the files in the command line of a custom agent, because an agent whose script was edited counts
 * as another reviewer. A program found through PATH counts only by its name.
 */
function programDigests(root: string, settings: AgentSettings | undefined): readonly string[] {
  return (settings?.command ?? settings?.acp ?? []).flatMap((word, i) => {
    if (word.startsWith('-') || (i === 0 && !word.includes('/'))) return [];
    const path = tryDisk('read', word, () => realpathSync(resolve(root, word)));
    const script = path.ok ? readPlainFile(path.value, LONGEST_SCRIPT) : null;
    return script?.ok === true && !script.cut ? [`${i}:${sha256(script.bytes.toString('latin1'))}`] : [];
  });
}
