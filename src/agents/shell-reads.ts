/** The files that a shell command shows, as far as its words tell: what programs are given that print files. */
export function shownBy(command: string): readonly string[] {
  return simpleCommands(scriptOf(command)).flatMap(([program = '', ...args]) => {
    const name = program.slice(program.lastIndexOf('/') + 1);
    return READERS.includes(name) ? args.filter((word) => !word.startsWith('-')) : [];
  });
}

const READERS: readonly string[] = ['awk', 'bat', 'cat', 'head', 'less', 'more', 'nl', 'sed', 'tac', 'tail'];

/** What a shell is given to run: `bash -lc '…'` is how agents start one. */
function scriptOf(command: string): string {
  const [words = []] = simpleCommands(command);
  const [program = '', option = '', script] = words;
  return /(?:^|\/)\w*sh$/.test(program) && /^-\w*c$/.test(option) && script !== undefined ? script : command;
}

/** The words of each command in a script, without quotes. */
function simpleCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token] of script.matchAll(/[\n;&|]+|(?:[^\s;&|'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/g)) {
    if (/^[\n;&|]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(unquoted(token));
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_, single?: string, double?: string, one?: string) => single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? one ?? '',
  );
}
