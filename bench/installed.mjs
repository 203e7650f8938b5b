// What whoever installs onceover gets: how much is downloaded, how much lies there, how many packages, and how fast the installed
// program starts; beside two tools that do other things at the same places, each at an exact version.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installFrom, installLocked } from './support/install.mjs';
import { BARE, sideBySide } from './support/measure.mjs';
import { notMeasured, report } from './support/rows.mjs';

const OTHERS = ['lint-staged', 'danger'];

const folder = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
try {
  const ours = installFrom(pack(), join(folder, 'onceover'));
  const others = OTHERS.flatMap((name) => {
    const locked = fileURLToPath(new URL(`compared/${name}`, import.meta.url));
    const end = installLocked(name, locked, join(folder, name));
    if (!end.ok) notMeasured({ id: name, what: `${name}, to compare with`, why: end.why });
    return end.ok ? [end.tool] : [];
  });
  const tools = [ours, ...others];
  tell('download', 'what an installation downloads', 'kB', tools, ({ download }) => download / 1000);
  tell('size', 'what an installation puts on disk', 'kB', tools, ({ size }) => size / 1000);
  tell('packages', 'packages that are installed', '', tools, ({ packages }) => packages);
  tellStart(tools, 'version');
  tellStart(tools, 'help');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The tarball of what was built here. */
function pack() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const target = join(folder, 'packed');
  mkdirSync(target);
  execFileSync('npm', ['pack', '--pack-destination', target], { cwd: root, stdio: 'pipe' });
  return join(target, readdirSync(target)[0]);
}

function tell(id, what, unit, [ours, ...others], of) {
  report({
    id,
    what,
    figure: of(ours),
    unit,
    beside: others.map((tool) => ({ what: `${tool.name} ${tool.version}`, figure: of(tool) })),
  });
}

function tellStart(tools, flag) {
  const [bare, ...times] = sideBySide([BARE, ...tools.map(({ program }) => [program, `--${flag}`])], { cwd: folder });
  const started = tools.map((tool, n) => ({ what: `${tool.name} ${tool.version}`, figure: times[n] }));
  report({
    id: flag,
    what: `\`onceover --${flag}\`, installed`,
    figure: times[0],
    unit: 'ms',
    beside: [{ what: '`node -e 0`', figure: bare }, ...started.slice(1)],
  });
}
