import { isRecord } from '../domain/is-record.ts';
import type { CheckName, PassedOver, RootFiles } from '../domain/set-up.ts';
import { type ScriptNature, scriptNature, scriptsIn } from './script-nature.ts';

/** A command of the project that may be the check of this name; `unfit` says why it cannot. */
export type CheckCandidate = {
  readonly name: CheckName;
  readonly run: string;
  readonly unfit: PassedOver['why'] | null;
};

type Scripts = {
  readonly texts: ReadonlyMap<string, string>;
  /** The command that runs a script. */
  run(script: string): string;
  /** The scripts that can be a check of this name, the best first. */
  readonly usual: Readonly<Record<CheckName, readonly string[]>>;
};

/** The scripts of package.json, run by the package manager that the project uses. */
export function packageScripts(root: RootFiles): readonly CheckCandidate[] {
  const manifest = readJson(root.texts.get('package.json'));
  const manager = packageManager(root, manifest['packageManager']);
  return candidates({
    texts: textsOf(manifest['scripts']),
    run: (script) => runScript(manager, script),
    usual: PACKAGE_SCRIPTS,
  });
}

/** The scripts of a package.json that can be a check, the best first. */
export const PACKAGE_SCRIPTS: Scripts['usual'] = {
  lint: ['lint', 'lint:check', 'lint:ci', 'check:lint', 'eslint'],
  types: ['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'types:check', 'tsc'],
  test: ['test', 'test:ci', 'test:run', 'test:once', 'test:unit', 'unit'],
  check: ['check'],
};

/** The scripts of composer.json. */
export function composerScripts(root: RootFiles): readonly CheckCandidate[] {
  return candidates({
    texts: textsOf(readJson(root.texts.get('composer.json'))['scripts']),
    run: (script) => `composer run-script ${script}`,
    usual: {
      lint: ['lint', 'lint:check', 'cs', 'phpcs'],
      types: ['types', 'test:types', 'phpstan', 'stan', 'analyse', 'analyze', 'psalm'],
      test: ['test', 'test:unit', 'tests', 'phpunit'],
      check: ['check'],
    },
  });
}

/** The targets of the Makefile. */
export function makeTargets(root: RootFiles): readonly CheckCandidate[] {
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => root.texts.has(name));
  return candidates({
    texts: targetsOf(root.texts.get(file ?? '') ?? ''),
    run: (target) => `make ${target}`,
    usual: {
      lint: ['lint', 'lint-check'],
      types: ['typecheck', 'type-check', 'types', 'mypy'],
      test: ['test', 'tests', 'test-unit'],
      check: ['check'],
    },
  });
}

function candidates(scripts: Scripts): readonly CheckCandidate[] {
  const { usual } = scripts;
  const parts = new Set([...usual.lint, ...usual.types, ...usual.test]);
  // A "check" that runs the others would run them twice.
  const isSum = scriptsIn(scripts.texts.get('check') ?? '', parts).length > 0;
  const names = (['lint', 'types', 'test', 'check'] as const).filter((name) => name !== 'check' || !isSum);
  return names.map((name) => candidate(name, scripts)).filter((one) => one !== null);
}

function candidate(name: CheckName, { texts, run, usual }: Scripts): CheckCandidate | null {
  const there = usual[name]
    .map((script) => ({ script, nature: scriptNature(script, texts) }))
    .filter(({ nature }) => nature !== 'says-nothing');
  const first = (nature: ScriptNature) => there.find((one) => one.nature === nature);
  const best = first('ends') ?? first('ends-in-ci') ?? there[0];
  if (best === undefined) return null;
  const command = `${best.nature === 'ends-in-ci' ? 'CI=true ' : ''}${run(best.script)}`;
  return {
    name,
    run: command,
    unfit: best.nature === 'watches' || best.nature === 'changes-files' ? best.nature : null,
  };
}

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const LOCKFILES: readonly (readonly [file: string, manager: Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

export function packageManager(root: RootFiles, declared: unknown): Manager {
  const named = typeof declared === 'string' ? declared.split('@')[0] : null;
  if (named === 'npm' || named === 'pnpm' || named === 'yarn' || named === 'bun') return named;
  return LOCKFILES.find(([file]) => root.names.has(file))?.[1] ?? 'npm';
}

// "yarn check" and "bun test" are commands of their own.
function runScript(manager: Manager, script: string): string {
  if (manager === 'npm' && script === 'test') return 'npm test';
  const short = (manager === 'pnpm' || manager === 'yarn') && script !== 'check';
  return `${manager}${short ? '' : ' run'} ${script}`;
}

export function readJson(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    // A manifest that its own tools could not read has no scripts either.
    return {};
  }
}

export function textsOf(scripts: unknown): ReadonlyMap<string, string> {
  if (!isRecord(scripts)) return new Map();
  return new Map(
    Object.entries(scripts).flatMap(([name, script]) => {
      const lines = Array.isArray(script) ? script : [script];
      return lines.every((line) => typeof line === 'string') ? [[name, lines.join('\n')] as const] : [];
    }),
  );
}

/** What each target runs; what it needs first counts as run by it. */
function targetsOf(makefile: string): ReadonlyMap<string, string> {
  const rules: { readonly names: ReadonlySet<string>; readonly lines: string[] }[] = [];
  for (const line of makefile.split(/\r?\n/)) {
    if (line.startsWith('\t')) rules.at(-1)?.lines.push(line.replace(/^\t[@+ -]*/, ''));
    const [, before, after] = line.startsWith('\t') ? [] : (/^([^:=#]*)::?(?![:=])(.*)$/.exec(line) ?? []);
    if (before === undefined || after === undefined) continue;
    const first = words(after.replace(/[;#].*$/, ''));
    rules.push({ names: new Set(words(before)), lines: first.length > 0 ? [`make ${first.join(' ')}`] : [] });
  }
  const targets = new Map<string, string>();
  for (const { names, lines } of rules) {
    const text = lines.join('\n');
    for (const name of names) targets.set(name, `${targets.get(name) ?? ''}\n${text}`);
  }
  return targets;
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
