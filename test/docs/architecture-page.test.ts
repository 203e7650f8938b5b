import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('the page lists every folder of src', () => {
  expect(folders.filter((folder) => !page.includes(`${folder}/`))).toEqual([]);
});

test('every file that the page names exists', () => {
  const named = [...page.matchAll(new RegExp(`(?<![\\w/.-])(${folders.join('|')})/([\\w-]+)(\\*|\\.ts)?`, 'g'))];
  const missing = named.filter(([, folder = '', name = '', rest]) =>
    rest === '*' || name.endsWith('-')
      ? !readdirSync(join(root, 'src', folder)).some((file) => file.startsWith(name))
      : !existsSync(join(root, 'src', folder, `${name}.ts`)) && !existsSync(join(root, 'src', folder, name)),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(missing.map(([whole]) => whole)).toEqual([]);
});
