import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { isKnownPath, namedPaths, pagesAboutCode } from '../../tools/review/named-files.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
}).split('\0');
const packages = foldersIn('packages');
const architecture = textOf('ARCHITECTURE.md');
/** The packages with the numbers of their layers, in the order of the page. */
const ORDER = [...architecture.matchAll(/^(\d) packages\/(\w+) /gm)].map(([, number, name = '']) => ({
  name,
  number: Number(number),
}));

test('ARCHITECTURE.md lists every package with every folder of its source, and is one screen', () => {
  const missing = packages.flatMap((name) => {
    const block = blockOf(name);
    return block === ''
      ? [name]
      : foldersIn(`packages/${name}/src`).filter((folder) => !block.includes(` ${folder}/ `));
  });
  expect(missing).toEqual([]);
  expect(architecture.split('\n').length).toBeLessThan(70);
});

test('packages import only packages with a smaller number', () => {
  const numbers = new Map(ORDER.map(({ name, number }) => [name, number]));
  const upwards = packages.flatMap((name) =>
    dependenciesOf(name)
      .filter((one) => (numbers.get(one) ?? 0) >= (numbers.get(name) ?? 0))
      .map((one) => `${name} imports ${one}`),
  );
  expect(upwards).toEqual([]);
});

test('AGENTS.md is short, and maps every package', () => {
  const page = textOf('AGENTS.md');
  expect(page.split('\n').length).toBeLessThanOrEqual(81);
  expect(packages.filter((name) => !page.includes(`\`packages/${name}/\``))).toEqual([]);
});

describe.each(packages)('the README of %s', (name) => {
  const page = textOf(`packages/${name}/README.md`);

  test('says what the package imports', () => {
    const allowed = /May import: (.+?)[.;]/.exec(page.replaceAll('\n', ' '))?.[1]?.split(', ');
    expect(allowed).toEqual(importsAllowed(name));
  });

  test('says how to run its tests, in about 20 lines', () => {
    expect(page).toContain(`npm test -w packages/${name}`);
    expect(page.split('\n').length).toBeLessThan(30);
  });
});

test.each(pagesAboutCode(files) as readonly string[])('every path in %s exists', (page) => {
  const named = namedPaths(page, textOf(page), files) as readonly { readonly name: string; readonly path: string }[];
  expect(named.filter(({ path }) => !isKnownPath(path, files)).map(({ name }) => name)).toEqual([]);
  if (!page.endsWith('DECISIONS.md')) expect(named.length).toBeGreaterThan(page === 'CONTRIBUTING.md' ? 2 : 5);
});

test.each([
  ['ARCHITECTURE.md', '`packages/base/src/kernel/none.ts` and `run/do`\n', ['packages/base/src/kernel/none.ts']],
  ['AGENTS.md', '```\npackages/none -> docs/*.md, a/b\n```\n', ['packages/none']],
  [
    'packages/web/README.md',
    '`src/none.ts`, `page/src/`, `../team/src/none.ts`, `packages/x`\n',
    ['src/none.ts', '../team/src/none.ts'],
  ],
])('a wrong path in %s is found', (page, text, wrong) => {
  const named = namedPaths(page, text, files) as readonly { readonly name: string; readonly path: string }[];
  expect(named.filter(({ path }) => !isKnownPath(path, files)).map(({ name }) => name)).toEqual(wrong);
});

/** Returns the lines of the tree in ARCHITECTURE.md about a package: its own line, and the lines that continue it. */
function blockOf(name: string): string {
  const lines = architecture.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^\\d packages/${name} `).test(line));
  if (start === -1) return '';
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('    '));
  return ` ${lines.slice(start, end).join(' ')} `;
}

/** Returns the packages that a README lists, from bottom to top. */
function importsAllowed(name: string): readonly string[] {
  if (name === 'base') return ['nothing of onceover'];
  if (name === 'onceover') return ['every package'];
  const own = dependenciesOf(name);
  return ORDER.map((one) => one.name).filter((one) => own.includes(one));
}

function dependenciesOf(name: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(textOf(`packages/${name}/package.json`)) as { dependencies?: object };
  return Object.keys(dependencies).flatMap((one) => /^@onceover\/(.+)$/.exec(one)?.[1] ?? []);
}

function foldersIn(path: string): readonly string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
