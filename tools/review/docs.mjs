// Checks the links of the Markdown pages, and that the source files named on pages about the code exist.
import { dirname, join, normalize } from 'node:path';
import { answer } from './answer.mjs';
import { filesIn, problemAt, textOf } from './files.mjs';
import { isKnownPath, namedPaths, pagesAboutCode } from './named-files.mjs';

const files = filesIn('.');
const known = new Set(files);
const folders = new Set(files.flatMap((file) => parentsOf(file)));
const pages = files.filter((file) => file.endsWith('.md') && !file.includes('/golden/'));

await answer('links and names of files', () => [
  ...pages.flatMap(brokenLinks),
  ...pagesAboutCode(files).flatMap(missingFiles),
]);

function parentsOf(file) {
  const parent = dirname(file);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

function brokenLinks(page) {
  return proseLines(page).flatMap(({ line, text }) =>
    [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].flatMap(([code, target]) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path, anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path))).replace(/\/$/, '');
      const fix = 'Correct the link or remove it.';
      if (!known.has(file) && !folders.has(file)) {
        return [
          problemAt(page, line, {
            code,
            issue: `The link to ${target} points to a missing file.`,
            fix,
            priority: 'high',
          }),
        ];
      }
      if (anchor === undefined || !file.endsWith('.md') || headingsOf(file).has(anchor)) return [];
      return [problemAt(page, line, { code, issue: `The link to ${target} points to a missing heading.`, fix })];
    }),
  );
}

/** Returns the lines of a page outside of code blocks. */
function proseLines(page) {
  let fence = '';
  return textOf(page)
    .split('\n')
    .flatMap((text, index) => {
      const [, marks = ''] = /^\s*(`{3,}|~{3,})/.exec(text) ?? [];
      if (fence === '' && marks !== '') fence = marks;
      else if (fence !== '' && text.trim() === fence) fence = '';
      else if (fence === '') return [{ line: index + 1, text }];
      return [];
    });
}

/** Returns the anchors that GitHub generates for the headings of a page. */
function headingsOf(page) {
  const titles = proseLines(page).flatMap(({ text }) => /^#+ (.*)$/.exec(text)?.[1] ?? []);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function missingFiles(page) {
  return namedPaths(page, textOf(page), files)
    .filter(({ path }) => !isKnownPath(path, files))
    .map(({ line, name }) =>
      problemAt(page, line, { code: name, issue: `There is no ${name}.`, fix: 'Name an existing file.' }),
    );
}
