import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisedWays } from '@onceover/testing/ways.ts';
import { expect, test } from 'vitest';

test('every heading of the page has a test file, and every test file a heading', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const texts = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  const tried = texts.flatMap((text) => /waysUnder\('(.+)'\)/.exec(text)?.[1] ?? []);
  expect(tried.sort()).toEqual([...promisedWays().keys()].sort());
});

test('no list item appears twice', () => {
  const all = [...promisedWays()].flatMap(([heading, ways]) => ways.map((way) => `${heading}: ${way}`));
  expect(new Set(all).size).toBe(all.length);
});
