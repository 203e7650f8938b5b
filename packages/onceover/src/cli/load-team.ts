import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The version of onceover. The build inserts it as a constant. */
declare const ONCEOVER_VERSION: string;

/** Loads the program in the package @onceover/team, which then runs. Returns `false` if the package is not installed. */
export function loadTeamProgram(): boolean {
  // Look next to the real file of this program and never in the repository under review, because the author of a change
  // could run code that way.
  const load = createRequire(realpathSync(process.argv[1] ?? ''));
  let manifest: string;
  try {
    manifest = load.resolve('@onceover/team/package.json');
  } catch {
    return false;
  }
  const { version } = load(manifest) as { readonly version: string };
  if (version !== ONCEOVER_VERSION) {
    const message = `onceover ${ONCEOVER_VERSION} and the installed @onceover/team ${version} are different versions.`;
    const next = `Install the same version of both: npm install --global onceover@${version} @onceover/team@${version}`;
    if (process.argv.includes('--json'))
      process.stdout.write(`${JSON.stringify({ error: { kind: 'not-loaded', message, next } }, null, 2)}\n`);
    process.stderr.write(`onceover: ${message}\n${next}\n`);
    process.exitCode = 3;
    return true;
  }
  load(join(dirname(manifest), 'dist/cli.cjs'));
  return true;
}
