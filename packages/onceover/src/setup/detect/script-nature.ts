/** How a script behaves, the least harmful behaviour first. A check has to end by itself and must not change files. */
const NATURES = ['empty', 'ends', 'ends-in-ci', 'changes-files', 'watches'] as const;

export type ScriptNature = (typeof NATURES)[number];

/** Returns the most harmful behaviour among the commands of a script and of all scripts that it runs. */
export function scriptNature(name: string, scripts: ReadonlyMap<string, string>): ScriptNature {
  const scriptNames = new Set([name]);
  let worst = 0;
  // Names that are added to the set during the loop are visited too.
  for (const script of scriptNames) {
    for (const words of commandsOf(scripts.get(script) ?? '')) {
      worst = Math.max(worst, NATURES.indexOf(commandNature(words)));
      for (const calledScript of scriptsRunBy(words, scripts)) scriptNames.add(calledScript);
    }
  }
  return NATURES[worst] ?? 'empty';
}

/** Returns those of the scripts `names` that a script with this text runs. */
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
  // The program `concurrently` refers to a script as "npm:lint", and `composer` as "@lint".
  return words.flatMap((word) => {
    const bare = word.replace(/^(?:npm:|@)/, '');
    return scripts.has(bare) && (hasRunner || bare !== word) ? [bare] : [];
  });
}

/**
 * Assigns a behaviour to commands: it applies if one of `programs` is followed by one of `words` and by none of
 * `unless`. Without `programs` it applies to any program, without `words` to any arguments.
 */
type NatureSign = readonly [nature: ScriptNature, programs: string, words?: string, unless?: string];

const NO_WATCH = '--run --no-watch --watch=false --watchAll=false';

const NATURE_SIGNS: readonly NatureSign[] = [
  ['watches', 'nodemon chokidar'],
  ['watches', 'tsc mocha ava vitest', '-w'],
  ['watches', 'vitest playwright', '--ui'],
  ['watches', 'vitest', 'watch dev', 'run'],
  ['watches', 'cypress', 'open'],
  ['watches', 'karma', 'start', '--single-run'],
  ['watches', 'ng', 'test', NO_WATCH],
  ['changes-files', '', '--fix --write --autocorrect --autocorrect-all --emitDeclarationOnly lint-staged'],
  ['changes-files', 'rubocop', '-a -A'],
  ['changes-files', 'prettier gofmt goimports', '-w'],
  ['changes-files', 'black isort', '', '--check --check-only --diff'],
  // In a terminal these programs watch files and never end, unless the variable CI is set.
  ['ends-in-ci', 'vitest', '', `run ${NO_WATCH}`],
  ['ends-in-ci', 'react-scripts craco react-app-rewired', 'test', NO_WATCH],
];

function commandNature(words: readonly string[]): ScriptNature {
  if (['echo', 'true', ':', 'exit'].includes(words[0] ?? '')) return 'empty';
  if (words.some((word) => /^--watch(?!man)/.test(word) && !word.endsWith('=false'))) return 'watches';
  return NATURE_SIGNS.find((sign) => shows(sign, words))?.[0] ?? 'ends';
}

function shows([, programs, requiredWords = '', unless = '']: NatureSign, words: readonly string[]): boolean {
  const isOneOf = (list: string) => (word: string) => list.split(' ').includes(word);
  const at = words.findIndex(isOneOf(programs));
  if (programs !== '' && at === -1) return false;
  const args = words.slice(at + 1);
  return (requiredWords === '' || args.some(isOneOf(requiredWords))) && !args.some(isOneOf(unless));
}
