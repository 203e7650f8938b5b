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
  const run = IN_EACH[packageManager(root, manifest['packageManager'])];
  if (run === undefined) return [];
  const isMember = memberGlobs(root, manifest['workspaces']);
  const members = [...root.packages]
    .filter(([path]) => isMember(path.slice(0, path.lastIndexOf('/'))))
    .map(([, text]) => textsOf(readJson(text)['scripts']));
  return NAMES.flatMap((name) => candidate(name, members, run));
}

const NAMES = ['lint', 'types', 'test'] as const;

// Of the others, one command for all versions is not known.
const IN_EACH: Readonly<Partial<Record<Manager, (script: string) => string>>> = {
  npm: (script) => `npm run ${script} --workspaces --if-present`,
  pnpm: (script) => `pnpm -r --if-present run ${script}`,
};

/** The script of that name that most packages have. */
function candidate(
  name: Exclude<CheckName, 'check'>,
  members: readonly ReadonlyMap<string, string>[],
  run: (script: string) => string,
): readonly CheckCandidate[] {
  const natures = PACKAGE_SCRIPTS[name].map((script) => ({
    script,
    natures: members.map((texts) => scriptNature(script, texts)).filter((nature) => nature !== 'says-nothing'),
  }));
  const most = Math.max(...natures.map((one) => one.natures.length));
  const best = natures.find((one) => one.natures.length === most);
  if (best === undefined || most === 0) return [];
  const has = (nature: ScriptNature) => best.natures.some((one) => one === nature);
  return [
    {
      name,
      run: `${has('ends-in-ci') ? 'CI=true ' : ''}${run(best.script)}`,
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
