import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Run no install scripts of the packages.
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund'];

/** Installs a tarball into its own folder and returns the result. */
export function installFrom(tarball, folder) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  execFileSync('npm', ['install', ...QUIET, '--offline', tarball], { cwd: folder, stdio: 'pipe' });
  return { ...lookAt('onceover', folder), download: statSync(tarball).size };
}

/** Installs a tool at the version in a lockfile, with its own cache, and measures the download by that cache. */
export function installLocked(name, locked, folder) {
  mkdirSync(folder);
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(locked, file), join(folder, file));
  const cache = join(folder, 'cache');
  const end = spawnSync('npm', ['ci', ...QUIET, '--cache', cache], { cwd: folder, encoding: 'utf8' });
  if (end.status !== 0) return { ok: false, why: `the installation failed (${npmsCode(end.stderr)})` };
  return { ok: true, tool: { ...lookAt(name, folder), download: downloaded(folder, cache) } };
}

/** Returns the error of npm. */
export function npmsCode(said) {
  return /^npm error code (\w+)/m.exec(said ?? '')?.[1] ?? 'npm printed no reason';
}

function lookAt(name, folder) {
  const modules = join(folder, 'node_modules');
  const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
  return {
    name,
    version,
    program: join(modules, '.bin', name),
    packages: Object.keys(packagesOf(modules)).length,
    size: sizeOf(modules),
  };
}

/** Returns the packages that npm lists as installed: by folder, with the digest of the tarball. */
function packagesOf(modules) {
  return JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
}

/** npm stores tarballs in its cache by digest. */
function downloaded(folder, cache) {
  const sizes = Object.values(packagesOf(join(folder, 'node_modules'))).map(({ integrity }) => {
    const [kind, digest] = integrity.split(/-(.*)/s);
    const hex = Buffer.from(digest, 'base64').toString('hex');
    return statSync(join(cache, '_cacache/content-v2', kind, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4))).size;
  });
  return sizes.reduce((sum, one) => sum + one, 0);
}

/** Returns the bytes of all files in a folder. */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
