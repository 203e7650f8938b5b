// Packs the packages that users install, onceover and @onceover/team, into the folder given as argument. The workspace of @onceover/team lists
// its bundled packages as dependencies too; the published manifest has only the ones that users need.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const NEEDED = ['pg', 'pg-boss'];

const target = resolve(process.argv[2] ?? '.');
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
mkdirSync(target, { recursive: true });
execFileSync('node', ['tools/build.mjs'], { stdio: 'inherit' });

const { version, license, repository, homepage, bugs } = json('package.json');
const { dependencies, peerDependencies, peerDependenciesMeta, engines, description } =
  json('packages/team/package.json');
const folder = mkdtempSync(join(tmpdir(), 'onceover-pack-'));
try {
  const manifest = {
    ...{ name: '@onceover/team', version, description, license, repository, homepage, bugs, type: 'module', engines },
    exports: { '.': { types: './dist/index.d.mts', default: './dist/index.mjs' }, './package.json': './package.json' },
    files: ['dist'],
    dependencies: Object.fromEntries(NEEDED.map((name) => [name, dependencies[name]])),
    ...{ peerDependencies, peerDependenciesMeta },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ['LICENSE', 'THIRD-PARTY-LICENSES.md']) cpSync(file, join(folder, file));
  cpSync('docs/team.md', join(folder, 'README.md'));
  cpSync('packages/team/dist', join(folder, 'dist'), { recursive: true });
  for (const place of [folder, resolve('.')]) {
    // Scripts are off, because everything is built.
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
    process.stdout.write(execFileSync('npm', args, { cwd: place, encoding: 'utf8' }));
  }
} finally {
  rmSync(folder, { recursive: true });
}
