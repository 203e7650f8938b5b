import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { untoldDocuments } from '../../tools/docs/documents.ts';
import { fill } from '../../tools/docs/fill.ts';
import { PAGES } from '../../tools/docs/pages.ts';
import { ROOT } from '../../tools/docs/published.ts';

// The pages are brought up to date by `npx vitest run test/docs/generated.test.ts -u`; here they are checked to be so.
test.each(Object.entries(PAGES))('%s tells what the program has', async (page, parts) => {
  const path = join(ROOT, page);
  await expect(fill(readFileSync(path, 'utf8'), await parts())).toMatchFileSnapshot(path);
});

test('every published document has its section', () => {
  expect(untoldDocuments()).toEqual([]);
});

test('no other page has a part that nobody makes', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const made = pages.filter((name) => readFileSync(join(ROOT, 'docs', name), 'utf8').includes('<!-- generated:'));
  expect(made.map((name) => `docs/${name}`).sort()).toEqual(Object.keys(PAGES).sort());
});

test.each([
  ['a place without a part', '<!-- generated: other -->\n<!-- /generated -->', /Nobody makes the part "other"/],
  ['a part without a place', 'Nothing.', /no place for: one/],
])('%s is an error', (_title, page, said) => {
  expect(() => fill(page, { one: '1' })).toThrow(said);
});

test('what was between the marks before is replaced, and nothing else', () => {
  const page = 'Before.\n<!-- generated: one -->\nold\n<!-- /generated -->\nAfter.\n';
  expect(fill(page, { one: 'new' })).toBe('Before.\n<!-- generated: one -->\nnew\n<!-- /generated -->\nAfter.\n');
});
