import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { forEachOk, type Result } from '@onceover/base/kernel/result';
import { makeParents, tryDisk } from '@onceover/base/platform/files';
import { SETTINGS_FILE } from '@onceover/repo/config/settings';
import { asResult, git } from '@onceover/repo/git/git';
import { findRepository } from '@onceover/repo/git/locate';
import type { ProofCase, ProofFile, ProofRound } from '../types.ts';

/** A temporary repository in which one test case is reviewed, separate from the user's repository. */
export type CaseRepository = {
  readonly root: string;
  paths(): Promise<Result<RepositoryPaths>>;
  /** Writes files to the working tree without committing them. */
  write(files: readonly ProofFile[]): Result<void>;
  /** Changes the branch to its next state and commits it. */
  play(round: ProofRound): Promise<Result<void>>;
  /** Goes back to the base commit, so that the branch contains no change. */
  reset(): Promise<Result<void>>;
};

const QUIET = {
  env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  config: ['core.hooksPath=/dev/null'],
};

/**
 * Creates the repository of a test case in a new folder. The new repository has its own git folder and only reads git
 * objects of the user's repository from `commonDir`, so git cannot change anything in the user's repository.
 */
export async function makeCaseRepository(
  folder: string,
  commonDir: string,
  proofCase: ProofCase,
  config: { readonly files: readonly ProofFile[]; readonly settings: string },
): Promise<Result<CaseRepository>> {
  const run = (args: readonly string[], input?: string) =>
    asResult(git(folder, args, { ...QUIET, ...(input === undefined ? {} : { input: Buffer.from(input) }) }));
  const folderResult = tryDisk('write', folder, () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    mkdirSync(folder, { recursive: true });
  });
  if (!folderResult.ok) return folderResult;
  const overlay: readonly ProofFile[] = [
    ...proofCase.baseFiles,
    ...config.files,
    { path: SETTINGS_FILE, text: config.settings },
  ];
  const write = (files: readonly ProofFile[]) => writeAll(folder, files);
  const commit = async (message: string, files: readonly ProofFile[]): Promise<Result<unknown>> => {
    const there = files.filter(({ text }) => text !== null).map(({ path }) => path);
    const addition = await run(['add', '--all']);
    if (!addition.ok) return addition;
    // Commit all files of the test case, even those that the repository's current ignore rules exclude.
    const forcedAddition = there.length === 0 ? addition : await run(['add', '--force', '--', ...there]);
    return forcedAddition.ok
      ? run(['commit', '--quiet', '--allow-empty', '--no-verify', '--message', message])
      : forcedAddition;
  };
  const creation = await forEachOk(
    [
      () => run(['init', '--quiet', '--template=', '--initial-branch=main', `--object-format=${formatOf(proofCase)}`]),
      async () => borrowObjects(folder, commonDir),
      ...SETTINGS.map(
        ([name, value]) =>
          () =>
            run(['config', name, value]),
      ),
      ...(proofCase.base === null
        ? []
        : [
            () => run(['read-tree', proofCase.base ?? '']),
            () => run(['checkout-index', '--all', '--force', '--quiet']),
          ]),
      async () => write(overlay),
      () => commit('Base', overlay),
      () => run(['checkout', '--quiet', '-b', 'work']),
    ],
    (step) => step(),
  );
  if (!creation.ok) return creation;
  return {
    ok: true,
    value: {
      root: folder,
      paths: () => findRepository(folder),
      write,
      async play({ message, files, patch, onBase }) {
        return forEachOk(
          [
            ...(onBase.length === 0
              ? []
              : [
                  () => run(['checkout', '--quiet', 'main']),
                  async () => write(onBase),
                  () => commit('Another change', onBase),
                  () => run(['checkout', '--quiet', 'work']),
                  () => run(['rebase', '--quiet', 'main']),
                ]),
            async () => write(files),
            ...(patch === '' ? [] : [() => run(['apply', '--whitespace=nowarn', '-'], patch)]),
            () => commit(message, files),
          ],
          (step) => step(),
        );
      },
      reset: () =>
        forEachOk(
          [
            ['reset', '--quiet', '--hard', 'main'],
            ['clean', '--quiet', '-d', '--force'],
          ],
          (args) => run(args),
        ),
    },
  };
}

/** Returns git's name for the hash of the user's repository, because a repository can only borrow objects of its kind. */
function formatOf({ base }: ProofCase): 'sha1' | 'sha256' {
  return base?.length === 64 ? 'sha256' : 'sha1';
}

const SETTINGS = [
  ['user.name', 'A developer'],
  ['user.email', 'developer@example.invalid'],
  ['commit.gpgsign', 'false'],
  ['gc.auto', '0'],
] as const;

function borrowObjects(folder: string, commonDir: string): Result<void> {
  const info = join(folder, '.git', 'objects', 'info');
  return tryDisk('write', info, () => {
    makeParents(info);
    writeFileSync(join(info, 'alternates'), `${join(commonDir, 'objects')}\n`);
  });
}

function writeAll(folder: string, files: readonly ProofFile[]): Result<void> {
  return tryDisk('write', folder, () => {
    for (const { path, text } of files) {
      const file = join(folder, path);
      // A symlink in the base commit may point outside the folder, so never write through a symlink.
      rmSync(file, { recursive: true, force: true });
      if (text === null) continue;
      makeParents(dirname(file));
      writeFileSync(file, text);
    }
  });
}

const DEPENDENCIES = /(?:^|\/)(?:node_modules|\.?venv|vendor)$/;

/**
 * Copies the installed packages of the user's project, because checks need them but must not change the originals.
 * Packages are in folders that git ignores. A monorepo has such folders also below its packages. Returns the paths of the
 * copied folders.
 */
export async function copyDependencies(root: string, to: string): Promise<Result<readonly string[]>> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const listing = await asResult(git(root, args));
  if (!listing.ok) return listing;
  const paths = listing.value.stdout.toString('utf8').split('\0');
  const names = paths.map((path) => path.replace(/\/$/, '')).filter((name) => DEPENDENCIES.test(name));
  return tryDisk('write', to, () =>
    names.filter((name) => {
      const target = join(to, name);
      const source = join(root, name);
      if (statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
      makeParents(dirname(target));
      const options = { recursive: true, mode: constants.COPYFILE_FICLONE, verbatimSymlinks: true };
      // Copy the folder behind a symlink, so that checks cannot write to the original through the link.
      if (!existsSync(target)) cpSync(realpathSync(source), target, options);
      return true;
    }),
  );
}

/** Moves the copied packages into the repository of a test case, or back. */
export function moveDependencies(names: readonly string[], from: string, to: string): Result<void> {
  return tryDisk('write', to, () => {
    for (const name of names) {
      const [old, now] = [join(from, name), join(to, name)];
      // The commit of a test case may not contain the package of a monorepo to which this folder belongs.
      if (existsSync(old) && existsSync(dirname(now)) && !existsSync(now)) renameSync(old, now);
    }
  });
}
