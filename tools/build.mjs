// Builds dist/, unless the files that it is built from are the same as at the last build. Several scripts build first,
// and one build takes a quarter of a minute.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = 'node_modules/.cache/onceover-build';
const SOURCES = ['tools', 'tsconfig.json', 'package.json', 'package-lock.json', 'packages/web/page'];
const TEAM = 'packages/team/dist';
const RESULTS = ['dist/cli.cjs', 'dist/index.mjs', 'dist/index.d.mts', 'dist/page.html', `${TEAM}/cli.cjs`];

const ofPackages = readdirSync('packages').flatMap((name) => [`packages/${name}/package.json`, `packages/${name}/src`]);
const sources = digest([...SOURCES, ...ofPackages].flatMap(filesIn));
const isCurrent = readStamp() === `${sources} ${builtDigest()}`;
if (!isCurrent) {
  execFileSync('npx', ['tsdown', '--config', 'tools/tsdown.config.ts'], { stdio: 'inherit' });
  await import('./plain-types.mjs');
  await import('../packages/web/page/build.mjs');
  for (const file of ['index.d.mts', 'page.html']) copyFileSync(`dist/${file}`, `${TEAM}/${file}`);
  mkdirSync('node_modules/.cache', { recursive: true });
  writeFileSync(STAMP, `${sources} ${builtDigest()}`);
}

function readStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : null;
}

/** Returns a digest of dist/, which someone may have changed since the build; an empty string if a file is missing. */
function builtDigest() {
  return RESULTS.every((file) => existsSync(file)) ? digest([...filesIn('dist'), ...filesIn(TEAM)]) : '';
}

function filesIn(path) {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(file);
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
