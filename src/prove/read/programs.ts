import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import type { AgentSettings } from '../../kernel/agent.ts';
import { sha256 } from '../../kernel/ids.ts';
import { tryDisk } from '../../platform/files.ts';
import { readPlainFile } from '../../platform/private-files.ts';
import { answererDigest } from '../decide/answerer.ts';

/** Longer files are programs such as an interpreter, which do not say what a reviewer does. */
const LONGEST_SCRIPT = 1024 * 1024;

/** Returns a function that gives the digest of what decides who answers as an agent: its settings and its scripts. */
export function answerersIn(root: string, agent: Settings['agent']): (name: string) => string {
  return (name) => answererDigest(agent[name], programDigests(root, agent[name]));
}

/**
 * Returns digests of the files that the command line of a custom agent names, because an edited script is another
 * reviewer. A program that is found on PATH counts by its name alone.
 */
function programDigests(root: string, settings: AgentSettings | undefined): readonly string[] {
  return (settings?.command ?? settings?.acp ?? []).flatMap((word, i) => {
    if (word.startsWith('-') || (i === 0 && !word.includes('/'))) return [];
    const path = tryDisk('read', word, () => realpathSync(resolve(root, word)));
    const read = path.ok ? readPlainFile(path.value, LONGEST_SCRIPT) : null;
    return read?.ok === true && !read.cut ? [`${i}:${sha256(read.bytes.toString('latin1'))}`] : [];
  });
}
