import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentPages, undescribedDocuments } from '../../tools/docs/documents.ts';
import { fill } from '../../tools/docs/fill.ts';
import { PAGES } from '../../tools/docs/pages.ts';
import { ROOT } from '../../tools/docs/published.ts';

// `npm test -- test/docs/generated.test.ts -u` updates the pages; this test checks that they are current.
test.each(Object.entries(PAGES))('%s is current', async (page, parts) => {
  const path = join(ROOT, page);
  await expect(fill(readFileSync(path, 'utf8'), await parts())).toMatchFileSnapshot(path);
});

test.each(Object.entries(documentPages()))('%s is current', async (page, text) => {
  const path = join(ROOT, page);
  // Without -u, Vitest would write a missing page and pass.
  const isUpdate = expect.getState().snapshotState.snapshotUpdateState === 'all';
  expect(isUpdate || existsSync(path), 'Run this test with -u to write the page.').toBe(true);
  await expect(text).toMatchFileSnapshot(path);
});

test('every published document has its page, and every page in docs/json has its document', () => {
  expect(undescribedDocuments()).toEqual([]);
  const pages = readdirSync(join(ROOT, 'docs/json')).map((name) => `docs/json/${name}`);
  expect(pages.filter((page) => !(page in documentPages()) && !(page in PAGES))).toEqual([]);
});

test('no other page has a generated part', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
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
