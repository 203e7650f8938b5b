import { compileGlob, globMatches } from '../domain/glob.ts';
import { isRecord } from '../domain/is-record.ts';
import type { CheckName, RootFiles } from '../domain/set-up.ts';
import {
  type CheckCandidate,
  type Manager,
  PACKAGE_SCRIPTS,
  packageManager,
  readJson,
  textsOf,
} from './project-scripts.ts';
import { type ScriptNature, scriptNature } from './script-nature.ts';

/** The scripts that the packages of a workspace have in common, run in each that has them. */
export function workspaceScripts(root: RootFiles): readonly CheckCandidate[] {
  const manifest = readJson(root.texts.get('package.json'));
  const runner = runnerOf(root, manifest['packageManager']);
  const ofRoot = textsOf(manifest['scripts']);
  const isMember = memberGlobs(root, manifest['workspaces']);
  const members = [...root.packages]
    .filter(([path]) => isMember(path.slice(0, path.lastIndexOf('/'))))
    .map(([, text]) => textsOf(readJson(text)['scripts']));
  return NAMES.flatMap((name) => candidate(name, members, (script) => runner(script, { ofRoot, members })));
}

const NAMES = ['lint', 'types', 'test'] as const;

type Scripts = ReadonlyMap<string, string>;
type Having = { readonly ofRoot: Scripts; readonly members: readonly Scripts[] };

/** The command that runs a script in each package that has it, and fails where one does; null: none is known. */
type Runner = (script: string, having: Having) => string | null;

const haveAll = (script: string, { members }: Having) => members.every((texts) => texts.has(script));

const RUNNERS: Readonly<Record<Manager | 'yarn classic', Runner>> = {
  npm: (script) => `npm run ${script} --workspaces --if-present`,
  pnpm: (script) => `pnpm -r --if-present run ${script}`,
  // It fails at the first package without the script.
  'yarn classic': (script, having) => (haveAll(script, having) ? `yarn workspaces run ${script}` : null),
  // Of the root it runs the script, too; one with a colon is looked for everywhere.
  yarn: (script, having) =>
    having.ofRoot.has(script) || (script.includes(':') && !haveAll(script, having))
      ? null
      : `yarn workspaces foreach --all run ${script}`,
  // Which of its versions runs all, and which ends with exit code 0 in spite of a failure, cannot be told from the files.
  bun: () => null,
};

function runnerOf(root: RootFiles, declared: unknown): Runner {
  const manager = packageManager(root, declared);
  if (manager !== 'yarn') return RUNNERS[manager];
  const version = yarnVersion(root, declared);
  if (version === 1) return RUNNERS['yarn classic'];
  // Before 4 the command was a plug-in, and some releases of it have hidden failures.
  return version !== null && version >= 4 ? RUNNERS.yarn : () => null;
}

/** Its first number; null where the files do not tell. Without any word it is the one that all later ones call classic. */
function yarnVersion({ names, texts }: RootFiles, declared: unknown): number | null {
  const settings = '.yarnrc.yml';
  const told =
    /^yarn@(\d+)\./.exec(typeof declared === 'string' ? declared : '') ??
    /^yarnPath:.*\byarn-(\d+)\.[^/]*$/m.exec(texts.get(settings) ?? '');
  return told !== null ? Number(told[1]) : names.has(settings) ? null : 1;
}

/** The script of that name that most packages have. */
function candidate(
  name: Exclude<CheckName, 'check'>,
  members: readonly Scripts[],
  run: (script: string) => string | null,
): readonly CheckCandidate[] {
  const natures = PACKAGE_SCRIPTS[name].map((script) => ({
    script,
    natures: members.map((texts) => scriptNature(script, texts)).filter((nature) => nature !== 'says-nothing'),
  }));
  const most = Math.max(...natures.map((one) => one.natures.length));
  const best = natures.find((one) => one.natures.length === most);
  if (best === undefined || most === 0) return [];
  const has = (nature: ScriptNature) => best.natures.some((one) => one === nature);
  const command = run(best.script);
  if (command === null) return [{ name, run: best.script, unfit: 'in-packages' }];
  return [
    {
      name,
      run: `${has('ends-in-ci') ? 'CI=true ' : ''}${command}`,
      unfit: has('watches') ? 'watches' : has('changes-files') ? 'changes-files' : null,
    },
  ];
}

/** Whether a folder is one of the workspace's packages. */
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

/** What the list "packages" of a pnpm-workspace.yaml names, where it is written a line each. */
function pnpmPackages(text: string): readonly string[] {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('packages:')) + 1;
  if (begin === 0) return [];
  const isOther = (line: string) => line !== '' && !' \t-#'.includes(line.charAt(0));
  const length = lines.slice(begin).findIndex(isOther);
  return lines
    .slice(begin, length === -1 ? undefined : begin + length)
    .map((line) => line.trim())
    .flatMap((line) => (line.startsWith('- ') ? [line.slice(2).replace(/ #.*$/, '').trim().replace(/["']/g, '')] : []));
}
