import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = 'docs/decisions';
const DEPENDENCIES = '0015-dependencies.md';

const packages = foldersIn('packages');
const pages = readdirSync(join(ROOT, FOLDER)).sort();
const records = pages.filter((name) => name !== 'README.md');

test('decisions and architecture stay short enough to be read', () => {
  const all = [
    'ARCHITECTURE.md',
    ...pages.map((name) => `${FOLDER}/${name}`),
    ...packages.map((name) => `packages/${name}/DECISIONS.md`),
  ];
  expect(all.reduce((sum, page) => sum + words(textOf(page)), 0)).toBeLessThanOrEqual(8000);
});

describe.each(packages)('the decisions of %s', (name) => {
  const [title = '', ...blocks] = textOf(`packages/${name}/DECISIONS.md`).trimEnd().split('\n\n');

  test('are claims with reasons of at most 60 words', () => {
    expect(title).toBe(`# Decisions of ${name}`);
    const entries = blocks.filter((block) => !block.startsWith('## '));
    expect(entries.filter((entry) => !/^\*\*[^*]+[.,:;*]+/.test(entry) || words(entry) > 60)).toEqual([]);
    expect(new Set(entries.map((entry) => entry.split('**')[1])).size).toBe(entries.length);
  });

  test('are grouped by folders of the package', () => {
    const headings = blocks.flatMap((block) => /^## (.+)$/.exec(block)?.[1] ?? []);
    const folders = [...foldersIn(`packages/${name}/src`), ...foldersIn(`packages/${name}`)];
    expect(headings.filter((heading) => !folders.includes(heading))).toEqual([]);
  });
});

test('the records are numbered without gaps, few, and listed', () => {
  expect(records.map((name) => Number(name.slice(0, 4)))).toEqual(records.map((_, at) => at + 1));
  expect(records.length).toBeLessThanOrEqual(15);
  const list = textOf(`${FOLDER}/README.md`);
  const titles = records.map((name) => /^# \d+\. (.+)$/m.exec(textOf(`${FOLDER}/${name}`))?.[1]);
  expect(records.filter((name, at) => !list.includes(`${at + 1}. [${titles[at]}](${name})`))).toEqual([]);
  expect(packages.filter((name) => !list.includes(`(../../packages/${name}/DECISIONS.md)`))).toEqual([]);
});

test.each(records)('%s has a status, a date, a context, a decision and consequences', (name) => {
  const text = textOf(`${FOLDER}/${name}`);
  expect(text).toMatch(/^# \d+\. .+\n\nStatus: (?:accepted|replaced by record \d+)\. Date: \d{4}-\d\d-\d\d\.\n/);
  expect(text.match(/^## .+(?=\n\n\S)/gm)).toEqual(['## Context', '## Decision', '## Consequences']);
  if (name !== DEPENDENCIES) expect(words(text)).toBeLessThanOrEqual(160);
});

/** Counts words as `wc -w` does. */
function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function foldersIn(path: string): readonly string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
