/** What running a script means: a check has to end by itself and to leave the files as they are. */
export type ScriptNature = 'says-nothing' | 'ends' | 'ends-in-ci' | 'changes-files' | 'watches';

const RANK: readonly ScriptNature[] = ['says-nothing', 'ends', 'ends-in-ci', 'changes-files', 'watches'];

/** The nature of a script by its words, those of the scripts that it runs included; the worst counts. */
export function scriptNature(name: string, scripts: ReadonlyMap<string, string>): ScriptNature {
  const seen = new Set([name]);
  let worst: ScriptNature = 'says-nothing';
  // A set may grow while it is walked, and has each script once.
  for (const one of seen) {
    for (const words of commandsOf(scripts.get(one) ?? '')) {
      const nature = commandNature(words);
      if (RANK.indexOf(nature) > RANK.indexOf(worst)) worst = nature;
      for (const other of scriptsRunBy(words, scripts)) seen.add(other);
    }
  }
  return worst;
}

/** Those of the named scripts that a script's text runs. */
export function scriptsIn(text: string, names: ReadonlySet<string>): readonly string[] {
  return commandsOf(text).flatMap((words) => scriptsRunBy(words, names));
}

function commandsOf(text: string): readonly (readonly string[])[] {
  return text
    .split(/[;&|\n]/)
    .map((command) => command.split(/[\s"'()]+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
}

const RUNNERS = new Set([
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'npm-run-all',
  'npm-run-all2',
  'run-s',
  'run-p',
  'make',
  'MAKE',
]);

function scriptsRunBy(words: readonly string[], scripts: { has(name: string): boolean }): readonly string[] {
  const runs = words.some((word) => RUNNERS.has(word));
  // concurrently writes "npm:lint", composer "@lint".
  return words.flatMap((word) => {
    const bare = word.replace(/^(?:npm:|@)/, '');
    return scripts.has(bare) && (runs || bare !== word) ? [bare] : [];
  });
}

function commandNature(words: readonly string[]): ScriptNature {
  const [first = ''] = words;
  if (['echo', 'true', ':', 'exit'].includes(first)) return 'says-nothing';
  if (watches(words)) return 'watches';
  if (changesFiles(words)) return 'changes-files';
  return waitsAtTerminal(words) ? 'ends-in-ci' : 'ends';
}

function watches(words: readonly string[]): boolean {
  const has = (...some: readonly string[]) => some.some((word) => words.includes(word));
  const calls = (program: string, ...commands: readonly string[]) =>
    words.some((word, i) => word === program && commands.includes(words[i + 1] ?? ''));
  return (
    words.some((word) => /^--watch(?!man)/.test(word) && !word.endsWith('=false')) ||
    has('nodemon', 'chokidar') ||
    (has('tsc', 'mocha', 'ava', 'vitest') && has('-w')) ||
    (has('vitest', 'playwright') && has('--ui')) ||
    calls('vitest', 'watch', 'dev') ||
    calls('cypress', 'open') ||
    (calls('karma', 'start') && !has('--single-run')) ||
    (calls('ng', 'test') && !has('--watch=false', '--no-watch'))
  );
}

function changesFiles(words: readonly string[]): boolean {
  const has = (...some: readonly string[]) => some.some((word) => words.includes(word));
  return (
    has('--fix', '--write', '--autocorrect', '--autocorrect-all', '--emitDeclarationOnly', 'lint-staged') ||
    (has('rubocop') && has('-a', '-A')) ||
    (has('prettier', 'gofmt', 'goimports') && has('-w')) ||
    (has('black', 'isort') && !has('--check', '--check-only', '--diff'))
  );
}

// These watch unless CI is set.
function waitsAtTerminal(words: readonly string[]): boolean {
  if (words.some((word) => ['--run', '--no-watch', '--watch=false', '--watchAll=false'].includes(word))) return false;
  if (words.includes('vitest')) return !words.slice(words.indexOf('vitest')).includes('run');
  return words.includes('test') && ['react-scripts', 'craco', 'react-app-rewired'].some((one) => words.includes(one));
}
