/** Globs for what tools write and nobody reviews, as far as the listed files have it. */
export function toolWrittenGlobs(paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (LOCKFILES.has(name)) found.add(path === name ? name : `**/${name}`);
    for (const ending of ENDINGS) if (name.endsWith(ending)) found.add(`**/*${ending}`);
    const [top] = path.split('/', 1);
    if (top !== undefined && top !== path && FOLDERS.has(top)) found.add(`${top}/**`);
  }
  // A glob for every folder covers the root too.
  return [...found].filter((glob) => !found.has(`**/${glob}`)).sort();
}

const LOCKFILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Pipfile.lock',
  'go.sum',
  'go.work.sum',
  'Gemfile.lock',
  'composer.lock',
  'mix.lock',
  'gradle.lockfile',
  'pubspec.lock',
  'Package.resolved',
]);

const ENDINGS = ['.snap', '.min.js', '.min.css', '.pb.go', '_pb2.py'] as const;
const FOLDERS = new Set(['dist', 'vendor', 'node_modules', 'third_party']);
