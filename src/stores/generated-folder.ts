import type { RepoPath } from '../domain/brand.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import type { Result } from '../domain/result.ts';
import { listFolder, makeFolder, writeWhole } from '../io/files.ts';

/** Makes a folder of generated files below `.deepwork/tmp`, which git is told to leave alone. */
export function makeGeneratedFolder(root: string, name: string): Result<string> {
  const top = makeIgnoredFolder(root, GENERATED_FOLDER);
  return top.ok ? makeFolder(top.value, name) : top;
}

/** Makes a folder that git is told to leave alone; its `.gitignore` comes back whenever it is missing. */
export function makeIgnoredFolder(root: string, folder: RepoPath): Result<string> {
  const top = makeFolder(root, folder);
  if (!top.ok) return top;
  const listed = listFolder(top.value);
  if (!listed.ok || listed.value.some((one) => one.name === '.gitignore')) return listed.ok ? top : listed;
  const written = writeWhole(top.value, '.gitignore', '*\n');
  return written.ok ? top : written;
}

/** Where a generated file is, from the root. */
export function generatedPath(folder: string, name: string): RepoPath {
  return `${GENERATED_FOLDER}/${folder}/${name}` as RepoPath;
}
