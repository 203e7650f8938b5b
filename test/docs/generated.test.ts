import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { undescribedDocuments } from '../../tools/docs/documents.ts';
import { fill } from '../../tools/docs/fill.ts';
import { PAGES } from '../../tools/docs/pages.ts';
import { ROOT } from '../../tools/docs/published.ts';

// `npm test -- test/docs/generated.test.ts -u` updates the pages; this test checks that they are current.
test.each(Object.entries(PAGES))('%s is current', async (page, parts) => {
  const path = join(ROOT, page);
  await expect(fill(readFileSync(path, 'utf8'), await parts())).toMatchFileSnapshot(path);
});

test('every published document has its section', () => {
  expect(undescribedDocuments()).toEqual([]);
});

test('no other page has a generated part', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const made = pages.filter((name) => readFileSync(join(ROOT, 'docs', name), 'utf8').includes('<!-- generated:'));
  expect(made.map((name) => `docs/${name}`).sort()).toEqual(Object.keys(PAGES).sort());
});

test.each([
  ['a part without an end', '<!-- generated: other -->\n<!-- /generated -->', /No generator makes the part "other"/],
  ['generated text without a place', 'Nothing.', /no place for: one/],
])('%s is an error', (_title, page, said) => {
  expect(() => fill(page, { one: '1' })).toThrow(said);
});

test('only the text between the marks is replaced', () => {
  const page = 'Before.\n<!-- generated: one -->\nold\n<!-- /generated -->\nAfter.\n';
  expect(fill(page, { one: 'new' })).toBe('Before.\n<!-- generated: one -->\nnew\n<!-- /generated -->\nAfter.\n');
});
