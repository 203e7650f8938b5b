import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { headings } from '@onceover/testing/headings.ts';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../tools/docs/published.ts';

const INDEX = 'docs/README.md';
const DOCS = pagesIn('docs');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  ...DOCS,
  ...pagesIn('plugins/onceover'),
  ...pagesIn('.github'),
];

describe.each(PAGES)('%s', (page) => {
  test('every link leads to an existing file, and to an existing heading if it names one', () => {
    expect(linksOf(textOf(page)).filter((target) => !leadsSomewhere(page, target))).toEqual([]);
  });
});

test('README.md links to docs/README.md, and the README.md of each folder in docs/ links to every page in it', () => {
  expect(filesNamedIn('README.md')).toContain(INDEX);
  expect(DOCS.filter((page) => page !== INDEX && !filesNamedIn(indexOf(page)).includes(page))).toEqual([]);
});

/** Returns the page that has to list this one. */
function indexOf(page: string): string {
  const folder = dirname(page);
  return `${page.endsWith('/README.md') ? dirname(folder) : folder}/README.md`;
}

function filesNamedIn(page: string): readonly string[] {
  return linksOf(textOf(page)).map((target) => fileOf(page, target));
}

test.each([
  ['a missing file', 'README.md', 'docs/nothing.md', false],
  ['a missing heading', 'docs/README.md', 'gates.md#nothing', false],
  ['a heading of the same page', 'docs/gates.md', '#findings', true],
  ['a folder', 'README.md', 'schemas', true],
  ['another site', 'README.md', 'https://example.invalid/a', true],
])('whether this test accepts a link to %s', (_title, page, target, leads) => {
  expect(leadsSomewhere(page, target)).toBe(leads);
});

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns the link targets of a page, including pictures; code has no links. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1`*~*[ \t]*$/gm, '').replace(/`[^`\n]*`/g, '`code`');
  const written = [...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(([, target = '']) => target);
  const tags = [...prose.matchAll(/<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)="([^"]+)"/g)];
  return [...written, ...tags.map(([, target = '']) => target)];
}

function fileOf(page: string, target: string): string {
  const [path = ''] = target.split('#');
  return path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path))).replace(/\/$/, '');
}

function leadsSomewhere(page: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const [, anchor] = target.split('#');
  const file = fileOf(page, target);
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  if (anchor === undefined) return true;
  return statSync(path).isFile() && anchorsOf(textOf(file)).has(anchor);
}

/** Returns the anchors that GitHub makes from headings; a repeated heading gets a number. */
function anchorsOf(text: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = headings(text).map((line) => {
    const plain = line
      .replace(/^\s*#+\s+/, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = counts.get(plain) ?? 0;
    counts.set(plain, before + 1);
    return before === 0 ? plain : `${plain}-${before}`;
  });
  return new Set(anchors);
}
