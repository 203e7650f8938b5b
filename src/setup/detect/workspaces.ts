import { compileGlob, globMatches } from '../../kernel/glob.ts';
import { isRecord } from '../../kernel/json.ts';
import type { RootFiles } from '../types.ts';
import {
  asCandidate,
  type CheckCandidate,
  type Manager,
  PACKAGE_SCRIPTS,
  packageManager,
  readJson,
  scriptNature,
  textsOf,
} from './scripts.ts';

/** Returns the checks that the packages of a workspace share, run in every package that has the script. */
export function workspaceScripts(root: RootFiles): readonly CheckCandidate[] {
  const manifest = readJson(root.texts.get('package.json'));
  const runner = RUNNERS[runnerName(root, manifest['packageManager'])];
  const ofRoot = textsOf(manifest['scripts']);
  const isMember = memberGlobs(root, manifest['workspaces']);
  const members = [...root.packages]
    .filter(([path]) => isMember(path.slice(0, path.lastIndexOf('/'))))
    .map(([, text]) => textsOf(readJson(text)['scripts']));
  return (['lint', 'types', 'test'] as const).flatMap((name) => {
    const scripts = PACKAGE_SCRIPTS[name].map((script) => ({
      script,
      natures: members.map((texts) => scriptNature(script, texts)).filter((nature) => nature !== 'empty'),
    }));
    const most = Math.max(...scripts.map(({ natures }) => natures.length));
    const best = scripts.find(({ natures }) => natures.length === most);
    if (best === undefined || most === 0) return [];
    const run = runner(best.script, { ofRoot, members });
    return run === null
      ? [{ name, run: best.script, unfit: 'in-packages' as const }]
      : [asCandidate(name, run, best.natures)];
  });
}

type Scripts = ReadonlyMap<string, string>;

type Packages = { readonly ofRoot: Scripts; readonly members: readonly Scripts[] };

/** Returns the command that runs a script in each package that has it and fails if one fails; null if none is known. */
type Runner = (script: string, packages: Packages) => string | null;

const haveAll = (script: string, { members }: Packages) => members.every((texts) => texts.has(script));

const RUNNERS: Readonly<Record<Manager | 'yarn classic' | 'unknown', Runner>> = {
  npm: (script) => `npm run ${script} --workspaces --if-present`,
  pnpm: (script) => `pnpm -r --if-present run ${script}`,
  // Yarn 1 fails at the first package without the script.
  'yarn classic': (script, packages) => (haveAll(script, packages) ? `yarn workspaces run ${script}` : null),
  // Yarn 4 also runs the script of the root, and searches all packages for a script with a colon.
  yarn: (script, packages) =>
    packages.ofRoot.has(script) || (script.includes(':') && !haveAll(script, packages))
      ? null
      : `yarn workspaces foreach --all run ${script}`,
  // Some versions of Bun exit with 0 although a package failed, and the files do not show the version.
  bun: () => null,
  unknown: () => null,
};

function runnerName(root: RootFiles, declared: unknown): keyof typeof RUNNERS {
  const manager = packageManager(root, declared);
  if (manager !== 'yarn') return manager;
  const settings = '.yarnrc.yml';
  const found =
    /^yarn@(\d+)\./.exec(typeof declared === 'string' ? declared : '') ??
    /^yarnPath:.*\byarn-(\d+)\.[^/]*$/m.exec(root.texts.get(settings) ?? '');
  const version = found === null ? (root.names.has(settings) ? null : 1) : Number(found[1]);
  if (version === 1) return 'yarn classic';
  // Before Yarn 4 "foreach" was a plug-in, and some of its releases hide failures.
  return version !== null && version >= 4 ? 'yarn' : 'unknown';
}

/** Returns the test whether a folder is a package of the workspace. */
function memberGlobs(root: RootFiles, declared: unknown): (folder: string) => boolean {
  const listed = isRecord(declared) ? declared['packages'] : declared;
  const globs = [
    ...(Array.isArray(listed) ? listed : []),
    ...pnpmPackages(root.texts.get('pnpm-workspace.yaml') ?? ''),
  ];
  const compiled = globs
    .filter((glob) => typeof glob === 'string')
    .map((glob) => compileGlob(glob.replace(/^\.\/|\/$/g, ''), ''))
    .flatMap((one) => (one.ok ? [one.glob] : []));
  return (folder) => compiled.some((glob) => globMatches(glob, folder));
}

/** Returns the entries of "packages" in a pnpm-workspace.yaml that lists one per line. */
function pnpmPackages(text: string): readonly string[] {
  const [, ...lines] = text.slice(text.search(/^packages:/m)).split('\n');
  if (!/^packages:/m.test(text)) return [];
  const end = lines.findIndex((line) => /^[^ \t#-]/.test(line));
  return lines
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.trim())
    .flatMap((line) => (line.startsWith('- ') ? [line.slice(2).replace(/ #.*$/, '').trim().replace(/["']/g, '')] : []));
}
