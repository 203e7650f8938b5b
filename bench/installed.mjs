// Measures an installation of onceover: the size of the download, the size on disk, the number of packages, and the
// start time of the installed program. Two tools that are used in the same places are measured too, each at an exact
// version.
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
    if (!end.ok) notMeasured({ id: name, what: `${name}, for comparison`, why: end.why });
    return end.ok ? [end.tool] : [];
  });
  const tools = [ours, ...others];
  tell('download', 'download size of an installation', 'kB', tools, ({ download }) => download / 1000);
  tell('size', 'disk size of an installation', 'kB', tools, ({ size }) => size / 1000);
  tell('packages', 'installed packages', '', tools, ({ packages }) => packages);
  tellStart(tools, 'version');
  tellStart(tools, 'help');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Packs the current build as a tarball. */
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
