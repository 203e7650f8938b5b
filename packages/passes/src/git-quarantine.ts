import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, type Result } from '@onceover/base/kernel/result';
import {
  errorCode,
  LEFTOVER_AFTER_MS,
  type Leftovers,
  removeLeftovers,
  statIfPresent,
  tryDisk,
  tryToRemoveFolder,
} from '@onceover/base/platform/files';
import { readPlainFile } from '@onceover/base/platform/private-files';
import { gitProgram } from '@onceover/base/platform/program';
import { type ProcessRunEnd, runProcessGroup } from '@onceover/base/platform/run-process';
import { withoutHooks } from '@onceover/repo/git/configured-hooks';
import { gitEnvironment, NO_USER_PROGRAMS, withConfig } from '@onceover/repo/git/environment';
import { configuredHooks, git } from '@onceover/repo/git/git';
import type { ObjectFormat } from '@onceover/repo/git/tree-files';
import type { NewObject } from './git-object-format.ts';

/** The clone whose git objects and remotes are used. */
export type Clone = Pick<RepositoryPaths, 'root' | 'commonDir'>;

/**
 * A temporary folder in which git stores fetched or new objects, so that an aborted transfer leaves nothing in the
 * user's repository. git reads all other objects, the refs and the settings from the repository itself.
 */
export type Quarantine = {
  /** Runs git with network access. git never prompts, and is killed with its child processes if `stop` is aborted. */
  run(args: readonly string[], limits: TransferLimits): Promise<ProcessRunEnd>;
  /** Stores new git objects in the temporary folder. Throws a `GitError` if git fails. */
  store(format: ObjectFormat, objects: readonly NewObject[]): Promise<void>;
  /** Returns the object id and the address that `git fetch` wrote to FETCH_HEAD; `null` if it wrote none. */
  fetched(): { readonly id: string; readonly address: string } | null;
  /** Moves all objects from the temporary folder into the repository. */
  release(): Result<void>;
  /** Deletes the temporary folder with everything that was not moved into the repository. */
  remove(): void;
};

type TransferLimits = {
  readonly stop: AbortSignal | null;
  readonly timeoutMs: number;
  /** How long git may print nothing before it is killed; `null` if only `timeoutMs` applies. */
  readonly idleMs: number | null;
};

// `git gc` deletes old folders whose names start with `tmp_objdir-`, so it also deletes ours.
const PREFIX = 'tmp_objdir-onceover-';

const LEFTOVERS: Leftovers = { kind: 'folder', name: new RegExp(`^${PREFIX}`), afterMs: LEFTOVER_AFTER_MS };

const CONFIG = [
  ...NO_USER_PROGRAMS,
  // The temporary folder borrows the objects of the repository, so git would list the repository's refs a second time.
  // With this setting, git runs the program `true` instead, which lists nothing.
  'core.alternateRefsCommand=true',
  'credential.interactive=never',
  'maintenance.auto=false',
  'gc.auto=0',
];

/** Creates the temporary folder, and deletes old ones that killed processes have left. */
export function openQuarantine({ root, commonDir }: Clone): Result<Quarantine> {
  const { GIT_OBJECT_DIRECTORY: objectDirectory, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates } = process.env;
  const objects =
    objectDirectory === undefined || objectDirectory === ''
      ? join(commonDir, 'objects')
      : resolve(root, objectDirectory);
  removeLeftovers(objects, Date.now(), LEFTOVERS);
  const folder = join(objects, `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  const ownObjects = join(folder, 'objects');
  const creation = tryDisk('write', folder, () => {
    mkdirSync(folder, { mode: 0o700 });
    mkdirSync(ownObjects);
    // git accepts a folder as a git folder only if it contains a HEAD file. The branch that HEAD names does not need to
    // exist.
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/onceover-none\n');
    // git finds the settings through GIT_COMMON_DIR, but it finds the refs only through this file.
    writeFileSync(join(folder, 'commondir'), `${commonDir}\n`);
  });
  if (!creation.ok) {
    tryToRemoveFolder(folder);
    return creation;
  }
  const env = {
    GIT_DIR: folder,
    GIT_COMMON_DIR: commonDir,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: ownObjects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: [quoted(objects), ...(alternates ? [alternates] : [])].join(delimiter),
    // git runs without a terminal, so ssh cannot prompt there. These variables keep ssh and credential helpers from
    // opening a window instead. `ssh -o BatchMode` is not used, because it would replace the user's own ssh command.
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
  };
  return {
    ok: true,
    value: {
      run: async (args, { stop, timeoutMs, idleMs }) => {
        const off = withoutHooks(await configuredHooks(root, env));
        return runProcessGroup({
          program: gitProgram(),
          args: [...off.args, ...withConfig(args, { config: CONFIG })],
          cwd: root,
          env: definedOnly({ ...gitEnvironment({ env }), ...off.env }),
          input: '',
          timeoutMs,
          idleMs,
          signal: stop,
        });
      },
      async store(format, newObjects) {
        // Most runs only fetch, and loading zlib takes time, so load it only when writing.
        const { packOf } = await import('./git-new-tip.ts');
        const input = packOf(format, newObjects);
        await git(root, ['unpack-objects', '-q'], { env, config: CONFIG, input });
      },
      fetched() {
        const file = readPlainFile(join(folder, 'FETCH_HEAD'), 8192);
        const line = file.ok ? file.bytes.toString('utf8') : '';
        const [, id, address] = /^([0-9a-f]{64}|[0-9a-f]{40})\t[^\t]*\t'[^']*' of (.*)$/m.exec(line) ?? [];
        return id === undefined || address === undefined ? null : { id, address };
      },
      release: () => moveObjects(ownObjects, objects),
      remove: () => tryToRemoveFolder(folder),
    },
  };
}

// In a list of paths, git reads a path that starts with a double quote as a C string. So a quoted path may contain the
// character that separates the paths.
function quoted(path: string): string {
  if (isAbsolute(path) && !path.includes(delimiter) && !path.includes('\n')) return path;
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

// git uses a pack as soon as its index file (.idx) exists, so move that file last.
const PACK_FILES = ['.pack', '.rev', '.promisor', '.idx'] as const;

/** Moves git objects and packs from one folder to another. Existing files with the same name are kept. */
function moveObjects(from: string, to: string): Result<void> {
  try {
    const mode = statSync(to).mode & 0o7777;
    for (const folder of readdirSync(from)) {
      const names = /^(?:[0-9a-f]{2}|pack)$/.test(folder) ? readdirSync(join(from, folder)) : [];
      const fileNames =
        folder === 'pack'
          ? PACK_FILES.flatMap((end) =>
              names.filter((name) => /^pack-[0-9a-f]+\.\w+$/.test(name) && name.endsWith(end)),
            )
          : names.filter((name) => /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/.test(name));
      if (fileNames.length === 0) continue;
      makeLike(join(to, folder), mode);
      for (const name of fileNames) {
        const target = join(to, folder, name);
        if (statIfPresent(target) === null) renameSync(join(from, folder, name), target);
      }
    }
    return { ok: true, value: undefined };
  } catch (error) {
    return err({ kind: 'disk', action: 'write', path: to, code: errorCode(error) });
  }
}

// Several users may share a repository, so a new folder gets the same permissions as its parent.
function makeLike(path: string, mode: number): void {
  if (statIfPresent(path) !== null) return;
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
}
