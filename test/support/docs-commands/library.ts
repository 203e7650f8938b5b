import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI } from '../cli.ts';
import { temporaryFolder } from '../repo.ts';
import { type Fence, PROJECT } from './pages.ts';

/** Returns the compiler errors of the programs in the docs, by the published types of the library. */
export function typeProblems(fences: readonly Fence[]): Promise<string> {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/onceover');
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  symlinkSync(dirname(CLI), join(installed, 'dist'));
  const types = { types: './dist/index.d.mts', default: './dist/index.mjs' };
  writeFileSync(
    join(installed, 'package.json'),
    JSON.stringify({ name: 'onceover', type: 'module', exports: { '.': types } }),
  );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const names = fences.map(({ page, line, info, text }) => {
    const name = `${page.replaceAll('/', '-').replace(/\.md$/, '')}-${line}.${info === 'js' ? 'mjs' : 'mts'}`;
    writeFileSync(join(folder, name), text);
    return name;
  });
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc');
  const args = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--allowJs',
    '--checkJs',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
  ];
  return new Promise((done) => {
    execFile(process.execPath, [tsc, ...args, ...names], { cwd: folder }, (_error, stdout) => done(stdout));
  });
}
