import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** The packages in dist/page.html. */
const PAGE = ['@preact/signals', '@preact/signals-core', 'preact', 'uplot'];

/** Returns the packages in the build. The readable build names the source of each part. */
function bundledPackages(): string[] {
  const dist = temporaryFolder();
  const options = { cwd: ROOT, env: { ...process.env, READABLE: '1' }, stdio: 'ignore' } as const;
  const args = ['--config', 'tools/tsdown.config.ts', '--outDir', dist];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/tsdown/dist/run.mjs'), ...args], options);
  const packages = new Set<string>();
  for (const name of readdirSync(dist).filter((one) => one.endsWith('.cjs'))) {
    const text = readFileSync(join(dist, name), 'utf8');
    for (const match of text.matchAll(/^\/\/#region node_modules\/((?:@[^/]+\/)?[^/]+)/gm))
      packages.add(match[1] ?? '');
  }
  return [...packages, ...PAGE].sort();
}

function licenceOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license'].find((one) => existsSync(join(folder, one)));
  const text =
    file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim().replace(/^/gm, '    ')}`;
  return `## ${name} ${manifest.version} (${manifest.license})${text}`;
}

// `npx vitest run --project more test/third-party -u` writes the file; this test checks that it is current.
test('THIRD-PARTY-LICENSES.md names every package that is part of the build', async () => {
  const packages = bundledPackages();
  expect(packages).toContain('yaml');
  const text = ['# Packages that are part of onceover', ...packages.map(licenceOf)].join('\n\n');
  await expect(`${text.replace(/[ \t]+$/gm, '')}\n`).toMatchFileSnapshot('../THIRD-PARTY-LICENSES.md');
}, 180_000);
