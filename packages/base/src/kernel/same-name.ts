/**
 * Returns a text that is equal for all names that some file system opens as the same file: it ignores case,
 * normalisation, characters that file systems ignore, and dots and spaces at the end. Use it to decide what to hide: a
 * name that no disk confuses is then hidden too, which is harmless.
 */
export function nameKey(name: string): string {
  const folded = PLAIN.test(name) ? name.toLowerCase().replace(AT_END, '') : foldOnce(foldOnce(name));
  return folded === '' ? name : folded;
}

// A second pass folds what the first one composed.
function foldOnce(name: string): string {
  return name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase().normalize('NFKC').replace(AT_END, '');
}

const PLAIN = /^[ -~]*$/;

const AT_END = /[. ]+$/;

const IGNORED = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Whether some file system opens both names as the same file. */
export function sameName(a: string, b: string): boolean {
  return a === b || nameKey(a) === nameKey(b);
}

/** Returns a path in which each name is replaced by its `nameKey`. */
export function pathKey(path: string): string {
  return path.split('/').map(nameKey).join('/');
}

/** Whether some file system opens the path as the folder or as something inside it. */
export function isInsideAnySpelling(path: string, folder: string): boolean {
  const [pathNames, folderNames] = [path.split('/'), folder.split('/')];
  return folderNames.every((name, i) => i < pathNames.length && sameName(name, pathNames[i] ?? ''));
}
