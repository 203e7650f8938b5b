import type { RepoPath } from '../domain/brand.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import { done, type Result } from '../domain/result.ts';
import { listFolder, makeFolder, writeWhole } from '../io/files.ts';

/** Makes a folder of generated files below `.deepwork/tmp`, which git is told to leave alone. */
export function makeGeneratedFolder(root: string, name: string): Result<string> {
  const top = makeFolder(root, GENERATED_FOLDER);
  if (!top.ok) return top;
  const listed = listFolder(top.value);
  if (!listed.ok) return listed;
  if (!listed.value.some((one) => one.name === '.gitignore')) {
    const written = writeWhole(top.value, '.gitignore', '*\n');
    if (!written.ok) return written;
  }
  const folder = makeFolder(top.value, name);
  return folder.ok ? done(folder.value) : folder;
}

/** Where a generated file is, from the root. */
export function generatedPath(folder: string, name: string): RepoPath {
  return `${GENERATED_FOLDER}/${folder}/${name}` as RepoPath;
}
