// Finds the files that pages about the code name. Such a page writes paths in full: relative to the repository in ARCHITECTURE.md, AGENTS.md
// and CONTRIBUTING.md, and relative to the package in a page of a package.
import { join, normalize } from 'node:path';

const ABOUT_ALL = ['ARCHITECTURE.md', 'AGENTS.md', 'CONTRIBUTING.md'];
const ABOUT_PACKAGE = /^packages\/[a-z]+\/(?:README|DECISIONS)\.md$/;

/** Returns the pages about the code among these files. */
export function pagesAboutCode(files) {
  return files.filter((file) => ABOUT_ALL.includes(file) || ABOUT_PACKAGE.test(file));
}

/**
 * Returns every path that a page names, in backticks or in a code block, with its line. `files` has the files of the repository: a
 * path begins with one of its folders or, in a page of a package, with `src/`, `test/`, `page/` or `../`.
 */
export function namedPaths(page, text, files) {
  const folder = ABOUT_PACKAGE.test(page) ? page.replace(/[^/]+$/, '') : '';
  const first =
    folder === '' ? new Set(files.map((file) => file.split('/')[0])) : new Set(['src', 'test', 'page', '..']);
  return codeOf(text).flatMap(({ line, code }) =>
    [...code.matchAll(/(?<![\w@./-])(?:\.\.\/)*[\w.-]+\/[\w./*-]*(?<![.-])/g)]
      .map(([name]) => name)
      .filter((name) => first.has(name.split('/')[0]))
      .map((name) => ({ line, name, path: normalize(join(folder, name)) })),
  );
}

/** Whether a file or a folder of the repository has this path, in which `*` stands for a part of a name. */
export function isKnownPath(path, files) {
  const escaped = path.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  const pattern = new RegExp(`^${escaped}(?:/.*)?$`);
  return files.some((file) => pattern.test(file));
}

/** Returns the lines of code blocks, and the code between backticks in other lines. */
function codeOf(text) {
  let isFenced = false;
  return text.split('\n').flatMap((content, index) => {
    if (content.startsWith('```')) isFenced = !isFenced;
    else if (isFenced) return [{ line: index + 1, code: content }];
    else return [...content.matchAll(/`([^`]+)`/g)].map(([, code]) => ({ line: index + 1, code }));
    return [];
  });
}
