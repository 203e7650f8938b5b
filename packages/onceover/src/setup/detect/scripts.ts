import { compileGlob, globMatches } from '@onceover/base/kernel/glob';
import { isRecord } from '@onceover/base/kernel/json';
import { parseJson } from '@onceover/base/platform/private-files';
import { readYaml } from '@onceover/repo/config/yaml';
import { CHECK_NAMES, type CheckName, type SkippedCommand } from '../types.ts';
import { type ScriptNature, scriptNature, scriptsIn } from './script-nature.ts';

/** The files in which `init` looks for the commands of a project. */
export type RootFiles = {
  /** The names of the files at the root. */
  readonly names: ReadonlySet<string>;
  /** The texts, by path, of the root files that can contain commands and of the package.json files in folders. */
  readonly texts: ReadonlyMap<string, string>;
};

/** A command that may become the check `name`. `unfit` is the reason why it cannot be a check; null if it can. */
export type CheckCandidate = {
  readonly name: CheckName;
  readonly run: string;
  readonly unfit: SkippedCommand['why'] | null;
};

type Scripts = ReadonlyMap<string, string>;

/** For each check, the usual names of its script or make target, the most common first. */
const USUAL_NAMES: Readonly<Record<CheckName, readonly string[]>> = {
  lint: ['lint', 'lint:check', 'lint-check', 'lint:ci', 'check:lint', 'eslint', 'cs', 'phpcs'],
  types: [
    ...['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'types:check', 'test:types', 'tsc'],
    ...['mypy', 'phpstan', 'stan', 'psalm'],
  ],
  test: ['test', 'test:ci', 'test:run', 'test:once', 'test:unit', 'test-unit', 'tests', 'unit', 'phpunit'],
  check: ['check'],
};

/** The files in which scripts are defined. If several makefiles exist, GNU make reads the first one in this list. */
export const SCRIPT_FILES: readonly string[] = [
  ...['package.json', 'composer.json', 'pnpm-workspace.yaml'],
  ...['GNUmakefile', 'makefile', 'Makefile'],
];

/** Returns the commands that could be checks, among npm and composer scripts, make targets and workspace packages. */
export function scriptChecks(root: RootFiles): readonly CheckCandidate[] {
  const { texts } = root;
  const manifest = readJson(texts.get('package.json'));
  const makefile = SCRIPT_FILES.slice(3).find((name) => texts.has(name)) ?? '';
  const manager = packageManager(root, manifest['packageManager']);
  // Yarn before version 4 does not handle workspaces well: it stops at a package without the script, or hides failures.
  const isOldYarn = manager === 'yarn' && !/^yarn@(?:[4-9]|\d\d)/.test(String(manifest['packageManager']));
  const runInPackages = isOldYarn ? undefined : RUN_IN_PACKAGES[manager];
  return [
    ...candidates(scriptsOf(manifest), (script) => `${manager} run ${script}`),
    ...candidates(scriptsOf(readJson(texts.get('composer.json'))), (script) => `composer run-script ${script}`),
    ...candidates(targetsOf(texts.get(makefile) ?? ''), (target) => `make ${target}`),
    ...(runInPackages === undefined
      ? []
      : candidates(packageScripts(texts, manifest['workspaces']), (script) => runInPackages.replace('*', script))),
  ];
}

function candidates(texts: Scripts, run: (script: string) => string): readonly CheckCandidate[] {
  const parts = new Set([...USUAL_NAMES.lint, ...USUAL_NAMES.types, ...USUAL_NAMES.test]);
  // Leave out a script "check" that runs the scripts for lint, types or test, because they would run twice.
  const runsParts = scriptsIn(texts.get('check') ?? '', parts).length > 0;
  return CHECK_NAMES.flatMap((name) => {
    const usualScripts = USUAL_NAMES[name]
      .map((script) => ({ script, nature: scriptNature(script, texts) }))
      .filter(({ nature }) => nature !== 'empty');
    const first = (nature: ScriptNature) => usualScripts.find((candidate) => candidate.nature === nature);
    const best = first('ends') ?? first('ends-in-ci') ?? usualScripts[0];
    if (best === undefined || (name === 'check' && runsParts)) return [];
    const { script, nature } = best;
    const unfit = nature === 'watches' || nature === 'changes-files' ? nature : null;
    return [{ name, run: `${nature === 'ends-in-ci' ? 'CI=true ' : ''}${run(script)}`, unfit }];
  });
}

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/**
 * For each package manager, a command that runs a script in every package that has it. It fails if the script fails in
 * any package. Bun is missing, because some of its versions hide failures.
 */
const RUN_IN_PACKAGES: Partial<Readonly<Record<Manager, string>>> = {
  npm: 'npm run * --workspaces --if-present',
  pnpm: 'pnpm -r --if-present run *',
  yarn: 'yarn workspaces foreach --all run *',
};

/** Returns the scripts of all packages in the workspace. The texts of scripts with the same name are joined. */
function packageScripts(texts: RootFiles['texts'], workspaces: unknown): Scripts {
  const globs = workspaceGlobs(texts, workspaces).flatMap((glob) => {
    const result = compileGlob(glob, '');
    return result.ok ? [result.glob] : [];
  });
  const scripts = new Map<string, string>();
  for (const [path, text] of texts) {
    const folder = path.endsWith('/package.json') ? path.slice(0, -'/package.json'.length) : null;
    if (folder === null || !globs.some((glob) => globMatches(glob, folder))) continue;
    for (const [name, script] of scriptsOf(readJson(text))) scripts.set(name, `${scripts.get(name) ?? ''}\n${script}`);
  }
  return scripts;
}

/** Returns the globs of package folders that package.json (`workspaces`) and pnpm-workspace.yaml list. */
function workspaceGlobs(texts: RootFiles['texts'], workspaces: unknown): readonly string[] {
  const pnpm = readYaml(texts.get('pnpm-workspace.yaml') ?? '');
  return [workspaces, pnpm.ok ? pnpm.value : null]
    .flatMap((source) => (isRecord(source) ? source['packages'] : source))
    .filter((glob) => typeof glob === 'string')
    .map((glob) => glob.replace(/^\.\/|\/$/g, ''));
}

/**
 * Returns the paths, `packages/*` or single folders, with which `init` gives each package of a workspace its own
 * review. A project with fewer than two packages has none.
 */
export function packagePaths({ texts }: RootFiles): readonly string[] {
  const folders = [...texts.keys()].flatMap((path) => /^(.+)\/package\.json$/.exec(path)?.[1] ?? []);
  const globs = workspaceGlobs(texts, readJson(texts.get('package.json'))['workspaces']);
  const isIn = (glob: string) => (folder: string) =>
    glob.endsWith('/*') ? folder.slice(0, folder.lastIndexOf('/')) === glob.slice(0, -2) : folder === glob;
  // Other globs, such as `packages/**`, cannot be the path of one gate per package.
  const usable = [...new Set(globs)].filter(
    (glob) => /^[\w@.-]+(?:\/[\w@.-]+)*(?:\/\*)?$/.test(glob) && folders.some(isIn(glob)),
  );
  const packageFolders = folders.filter((folder) => usable.some((glob) => isIn(glob)(folder)));
  return packageFolders.length < 2 ? [] : usable;
}

const LOCKFILES: readonly (readonly [file: string, manager: Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

function packageManager(root: RootFiles, declaration: unknown): Manager {
  const manager = typeof declaration === 'string' ? declaration.split('@')[0] : null;
  if (manager === 'npm' || manager === 'pnpm' || manager === 'yarn' || manager === 'bun') return manager;
  return LOCKFILES.find(([file]) => root.names.has(file))?.[1] ?? 'npm';
}

/** Returns the object in a JSON text; {} if the text is not valid JSON or not an object. */
function readJson(text = ''): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isRecord(value) ? value : {};
}

/**
 * Returns the text of each script, by name. If a script is a list of commands, each of them is one line of the text.
 */
function scriptsOf({ scripts }: Readonly<Record<string, unknown>>): Scripts {
  if (!isRecord(scripts)) return new Map();
  return new Map(
    Object.entries(scripts).flatMap(([name, script]) => {
      const lines = Array.isArray(script) ? script : [script];
      return lines.every((line) => typeof line === 'string') ? [[name, lines.join('\n')] as const] : [];
    }),
  );
}

/** Matches a rule in a Makefile: its targets, its prerequisites, and the lines up to the next rule. */
const MAKE_RULE = /^([^\t\n:=#][^\n:=#]*)::?(?![:=])(.*)((?:\n(?:\t.*|[^\n:]*$))*)/gm;

/** Returns the commands of each Makefile target, by name. Prerequisites are added as a `make` command. */
function targetsOf(makefile: string): Scripts {
  const targets = new Map<string, string>();
  for (const [, names = '', after = '', lines = ''] of makefile.replaceAll('\r', '').matchAll(MAKE_RULE)) {
    const needs = after.replace(/[;#].*$/, '').trim();
    const recipe = lines.split('\n').filter((line) => line.startsWith('\t'));
    const commands = recipe.map((line) => line.replace(/^\t[@+ -]*/, ''));
    const text = [...(needs === '' ? [] : [`make ${needs}`]), ...commands].join('\n');
    for (const name of new Set(names.trim().split(/\s+/))) targets.set(name, `${targets.get(name) ?? ''}\n${text}`);
  }
  return targets;
}
