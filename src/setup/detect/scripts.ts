import { isRecord } from '../../kernel/json.ts';
import type { CheckName, RootFiles, SkippedCommand } from '../types.ts';

/** How a script behaves. A check has to end by itself and must not change files. Sorted from best to worst. */
const NATURES = ['empty', 'ends', 'ends-in-ci', 'changes-files', 'watches'] as const;

export type ScriptNature = (typeof NATURES)[number];

/** Returns the worst nature among the commands of a script and of all scripts that it runs. */
export function scriptNature(name: string, scripts: ReadonlyMap<string, string>): ScriptNature {
  const visited = new Set([name]);
  let worst = 0;
  // The loop also visits names that are added to the set while it runs.
  for (const script of visited) {
    for (const words of commandsOf(scripts.get(script) ?? '')) {
      worst = Math.max(worst, NATURES.indexOf(commandNature(words)));
      for (const other of scriptsRunBy(words, scripts)) visited.add(other);
    }
  }
  return NATURES[worst] ?? 'empty';
}

/** Returns those of the named scripts that the text of a script runs. */
export function scriptsIn(text: string, names: ReadonlySet<string>): readonly string[] {
  return commandsOf(text).flatMap((words) => scriptsRunBy(words, names));
}

function commandsOf(text: string): readonly (readonly string[])[] {
  return text
    .split(/[;&|\n]/)
    .map((command) => command.split(/[\s"'()]+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
}

const RUNNERS = /^(?:npm|pnpm|yarn|bun|npm-run-all2?|run-[sp]|make|MAKE)$/;

function scriptsRunBy(words: readonly string[], scripts: { has(name: string): boolean }): readonly string[] {
  const hasRunner = words.some((word) => RUNNERS.test(word));
  // concurrently writes "npm:lint", composer "@lint".
  return words.flatMap((word) => {
    const bare = word.replace(/^(?:npm:|@)/, '');
    return scripts.has(bare) && (hasRunner || bare !== word) ? [bare] : [];
  });
}

/** A command has this nature if a program is followed by one of `words`, and by none of `unless`. */
type NatureSign = {
  readonly nature: ScriptNature;
  readonly programs?: readonly string[];
  readonly words?: readonly string[];
  readonly unless?: readonly string[];
};

const NO_WATCH = ['--run', '--no-watch', '--watch=false', '--watchAll=false'];

const NATURE_SIGNS: readonly NatureSign[] = [
  { nature: 'watches', programs: ['nodemon', 'chokidar'] },
  { nature: 'watches', programs: ['tsc', 'mocha', 'ava', 'vitest'], words: ['-w'] },
  { nature: 'watches', programs: ['vitest', 'playwright'], words: ['--ui'] },
  { nature: 'watches', programs: ['vitest'], words: ['watch', 'dev'], unless: ['run'] },
  { nature: 'watches', programs: ['cypress'], words: ['open'] },
  { nature: 'watches', programs: ['karma'], words: ['start'], unless: ['--single-run'] },
  { nature: 'watches', programs: ['ng'], words: ['test'], unless: NO_WATCH },
  {
    nature: 'changes-files',
    words: ['--fix', '--write', '--autocorrect', '--autocorrect-all', '--emitDeclarationOnly', 'lint-staged'],
  },
  { nature: 'changes-files', programs: ['rubocop'], words: ['-a', '-A'] },
  { nature: 'changes-files', programs: ['prettier', 'gofmt', 'goimports'], words: ['-w'] },
  { nature: 'changes-files', programs: ['black', 'isort'], unless: ['--check', '--check-only', '--diff'] },
  // These programs watch at a terminal, and end if CI is set.
  { nature: 'ends-in-ci', programs: ['vitest'], unless: ['run', ...NO_WATCH] },
  {
    nature: 'ends-in-ci',
    programs: ['react-scripts', 'craco', 'react-app-rewired'],
    words: ['test'],
    unless: NO_WATCH,
  },
];

function commandNature(words: readonly string[]): ScriptNature {
  if (['echo', 'true', ':', 'exit'].includes(words[0] ?? '')) return 'empty';
  if (words.some((word) => /^--watch(?!man)/.test(word) && !word.endsWith('=false'))) return 'watches';
  return NATURE_SIGNS.find((sign) => shows(sign, words))?.nature ?? 'ends';
}

function shows({ programs, words: wanted, unless = [] }: NatureSign, words: readonly string[]): boolean {
  const at = programs === undefined ? 0 : words.findIndex((word) => programs.includes(word)) + 1;
  if (programs !== undefined && at === 0) return false;
  const rest = words.slice(at);
  const hasAny = (some: readonly string[]) => rest.some((word) => some.includes(word));
  return (wanted === undefined || hasAny(wanted)) && !hasAny(unless);
}

/** A command that may become the check of this name. `unfit` is null, or the reason why the command cannot be a check. */
export type CheckCandidate = {
  readonly name: CheckName;
  readonly run: string;
  readonly unfit: SkippedCommand['why'] | null;
};

/** Names of scripts that are usually a check, the best first. */
type UsualNames = Readonly<Record<CheckName, readonly string[]>>;

export const PACKAGE_SCRIPTS: UsualNames = {
  lint: ['lint', 'lint:check', 'lint:ci', 'check:lint', 'eslint'],
  types: ['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'types:check', 'tsc'],
  test: ['test', 'test:ci', 'test:run', 'test:once', 'test:unit', 'unit'],
  check: ['check'],
};

const COMPOSER_SCRIPTS: UsualNames = {
  lint: ['lint', 'lint:check', 'cs', 'phpcs'],
  types: ['types', 'test:types', 'phpstan', 'stan', 'analyse', 'analyze', 'psalm'],
  test: ['test', 'test:unit', 'tests', 'phpunit'],
  check: ['check'],
};

const MAKE_TARGETS: UsualNames = {
  lint: ['lint', 'lint-check'],
  types: ['typecheck', 'type-check', 'types', 'mypy'],
  test: ['test', 'tests', 'test-unit'],
  check: ['check'],
};

/** Returns the checks among the scripts of package.json, run by the project's package manager. */
export function packageScripts(root: RootFiles): readonly CheckCandidate[] {
  const manifest = readJson(root.texts.get('package.json'));
  const manager = packageManager(root, manifest['packageManager']);
  return candidates(PACKAGE_SCRIPTS, textsOf(manifest['scripts']), (script) => runScript(manager, script));
}

/** Returns the checks among the scripts of composer.json. */
export function composerScripts(root: RootFiles): readonly CheckCandidate[] {
  const scripts = textsOf(readJson(root.texts.get('composer.json'))['scripts']);
  return candidates(COMPOSER_SCRIPTS, scripts, (script) => `composer run-script ${script}`);
}

/** Returns the checks among the targets of the Makefile. */
export function makeTargets(root: RootFiles): readonly CheckCandidate[] {
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => root.texts.has(name));
  return candidates(MAKE_TARGETS, targetsOf(root.texts.get(file ?? '') ?? ''), (target) => `make ${target}`);
}

function candidates(
  usual: UsualNames,
  texts: ReadonlyMap<string, string>,
  run: (script: string) => string,
): readonly CheckCandidate[] {
  const parts = new Set([...usual.lint, ...usual.types, ...usual.test]);
  // A "check" that runs the other scripts would run them twice.
  const runsParts = scriptsIn(texts.get('check') ?? '', parts).length > 0;
  return (['lint', 'types', 'test', 'check'] as const).flatMap((name) => {
    const found = usual[name]
      .map((script) => ({ script, nature: scriptNature(script, texts) }))
      .filter(({ nature }) => nature !== 'empty');
    const first = (nature: ScriptNature) => found.find((one) => one.nature === nature);
    const best = first('ends') ?? first('ends-in-ci') ?? found[0];
    if (best === undefined || (name === 'check' && runsParts)) return [];
    return [asCandidate(name, run(best.script), [best.nature])];
  });
}

/** Returns the candidate for a command that runs scripts of these natures. */
export function asCandidate(name: CheckName, run: string, natures: readonly ScriptNature[]): CheckCandidate {
  const unfit = (['watches', 'changes-files'] as const).find((nature) => natures.includes(nature)) ?? null;
  return { name, run: `${natures.includes('ends-in-ci') ? 'CI=true ' : ''}${run}`, unfit };
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

// "yarn check" and "bun test" are built-in commands, not scripts.
function runScript(manager: Manager, script: string): string {
  if (manager === 'npm' && script === 'test') return 'npm test';
  const short = (manager === 'pnpm' || manager === 'yarn') && script !== 'check';
  return `${manager}${short ? '' : ' run'} ${script}`;
}

/** Parses a JSON object; returns {} for a text that is not one, because it names no scripts. */
export function readJson(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the text per script; a list of commands becomes lines. */
export function textsOf(scripts: unknown): ReadonlyMap<string, string> {
  if (!isRecord(scripts)) return new Map();
  return new Map(
    Object.entries(scripts).flatMap(([name, script]) => {
      const lines = Array.isArray(script) ? script : [script];
      return lines.every((line) => typeof line === 'string') ? [[name, lines.join('\n')] as const] : [];
    }),
  );
}

/** Returns the recipe per target of a Makefile; prerequisites count as part of the recipe. */
function targetsOf(makefile: string): ReadonlyMap<string, string> {
  const rules: { readonly names: ReadonlySet<string>; readonly lines: string[] }[] = [];
  for (const line of makefile.split(/\r?\n/)) {
    if (line.startsWith('\t')) rules.at(-1)?.lines.push(line.replace(/^\t[@+ -]*/, ''));
    const [, before, after] = line.startsWith('\t') ? [] : (/^([^:=#]*)::?(?![:=])(.*)$/.exec(line) ?? []);
    if (before === undefined || after === undefined) continue;
    const needs = wordsOf(after.replace(/[;#].*$/, ''));
    rules.push({ names: new Set(wordsOf(before)), lines: needs.length > 0 ? [`make ${needs.join(' ')}`] : [] });
  }
  const targets = new Map<string, string>();
  for (const { names, lines } of rules) {
    const text = lines.join('\n');
    for (const name of names) targets.set(name, `${targets.get(name) ?? ''}\n${text}`);
  }
  return targets;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
