import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isInside, repoPath } from '@onceover/base/kernel/paths';
import type { ReviewedTrees } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { pathKey } from '@onceover/base/kernel/same-name';
import { tryDisk } from '@onceover/base/platform/files';
import { makeNamedScratch, namedScratchPath, type Scratch } from '@onceover/base/platform/scratch';
import { copyWorkingTree } from '@onceover/repo/git/working-files';
import { acpCopyName } from './acp-client.ts';
import type { AgentQuestion } from './agent.ts';
import { openTreeReader } from './tree-reader.ts';

/**
 * Names, as `pathKey` returns them, of files and folders from which agents take instructions, settings or programs, in any folder.
 */
const INSTRUCTIONS: ReadonlySet<string> = new Set([
  ...[
    'agents.md',
    'agents.override.md',
    'agent.md',
    'claude.md',
    'claude.local.md',
    'gemini.md',
    'qwen.md',
    'skill.md',
  ],
  ...['context.md', 'crush.md', 'warp.md', 'opencode.md', 'copilot-instructions.md', 'hints.md'],
  ...[
    '.goosehints',
    '.cursorrules',
    '.windsurfrules',
    '.clinerules',
    '.roorules',
    '.rules',
    '.mcp.json',
    '.env',
    '.envrc',
  ],
  ...['opencode.json', 'opencode.jsonc', 'tui.json', 'tui.jsonc', 'kilo.json', 'kilo.jsonc'],
  ...[
    '.claude',
    '.codex',
    '.agents',
    '.gemini',
    '.qwen',
    '.goose',
    '.opencode',
    '.kilo',
    '.kilocode',
    '.cursor',
    '.cline',
  ],
  ...['.roo', '.continue', '.augment', '.factory', '.copilot', '.pi', '.crush', '.amp', '.vscode', '.zed', '.git'],
  ...['.npmrc', 'bunfig.toml', '.tool-versions', 'mise.toml', '.mise.toml'],
]);

const IN_GITHUB: ReadonlySet<string> = new Set(['instructions', 'skills', 'agents', 'hooks', 'prompts']);

/** Whether an agent could read instructions, settings or programs from the file. */
export function instructsAgents(path: string): boolean {
  const parts = pathKey(path).split('/');
  return (
    parts.some((part) => INSTRUCTIONS.has(part)) ||
    parts.some((part, i) => IN_GITHUB.has(part) && parts[i - 1] === '.github')
  );
}

/** A function that writes the reviewed files to a folder, except those that are left out. */
export type CopyFiles = (into: string, isLeftOut: (path: string) => boolean) => Promise<Result<void>>;

/**
 * Makes the copy of the files in which an agent works. It is outside the repository and lacks the files that could
 * instruct agents. Its path is the same in all calls of a session, because agents find their sessions by folder.
 */
export async function makeAgentCopy(call: {
  readonly cwd: string;
  readonly question: AgentQuestion;
  readonly copyFiles?: CopyFiles;
  readonly scratchBase?: string;
}): Promise<Result<Scratch>> {
  const name = `acp-${acpCopyName(call.question)}`;
  const path = call.scratchBase === undefined ? namedScratchPath(call.cwd, name) : ok(join(call.scratchBase, name));
  if (!path.ok) return path;
  const scratch = makeNamedScratch(path.value);
  if (!scratch.ok) return scratch;
  const copyResult = await (call.copyFiles ?? copyOf(call.cwd))(scratch.value.folder, instructsAgents);
  if (copyResult.ok) return scratch;
  scratch.value.remove();
  return copyResult;
}

/**
 * Returns a function that copies a folder: the files that git tracks or would track, or all files if it is not a
 * repository.
 */
function copyOf(root: string): CopyFiles {
  return async (into, isLeftOut) => {
    if (existsSync(join(root, '.git'))) return copyWorkingTree(root, into, [], isLeftOut);
    const filter = (from: string) => from === root || !isLeftOut(relative(root, from));
    return tryDisk('write', into, () => cpSync(root, into, { recursive: true, verbatimSymlinks: true, filter }));
  };
}

const BATCH = 200;

/**
 * Writes the files of the reviewed snapshot to a folder, as git stores them. Links that lead out of the folder are left
 * out.
 */
export async function copySnapshot(
  request: { readonly repository: RepositoryPaths; readonly trees: ReviewedTrees; readonly into: string },
  isLeftOut: (path: string) => boolean,
): Promise<Result<void>> {
  const files = openTreeReader(request.repository, request.trees);
  const listing = await files.list('head');
  if (!listing.ok) return listing;
  const filesToCopy = listing.value.filter(
    ({ path, mode }) => mode !== '160000' && repoPath(path) === path && !isLeftOut(path),
  );
  for (let at = 0; at < filesToCopy.length; at += BATCH) {
    const part = filesToCopy.slice(at, at + BATCH);
    const blobs = await files.blobs(part.map(({ id }) => id));
    if (!blobs.ok) return blobs;
    const writeResult = tryDisk('write', request.into, () => {
      for (const [i, { path, mode }] of part.entries())
        writeOne(request.into, path, mode, blobs.value[i] ?? Buffer.of());
    });
    if (!writeResult.ok) return writeResult;
  }
  return ok(undefined);
}

function writeOne(into: string, path: string, mode: string, content: Buffer): void {
  const file = join(into, path);
  mkdirSync(dirname(file), { recursive: true });
  if (mode !== '120000') {
    writeFileSync(file, content, { flag: 'wx', mode: mode === '100755' ? 0o700 : 0o600 });
    return;
  }
  const target = content.toString('utf8');
  if (!isAbsolute(target) && isInside(join(dirname(file), target), into)) symlinkSync(target, file);
}
