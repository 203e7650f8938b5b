/** The words of a command line as a shell takes them apart; quotes are removed. */
export function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

/** A line of a shell without its comment. */
export function withoutComment(line: string): string {
  let quote = '';
  for (const [index, character] of [...line].entries()) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '#' && (index === 0 || /\s/.test(line[index - 1] ?? ''))) return line.slice(0, index).trim();
  }
  return line.trim();
}

/** The commands of a line that are done one after another. */
export function oneByOne(line: string): readonly string[] {
  return line
    .split(/ && |; /)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** The programs of a pipeline, each with its arguments; " | " before an option is an alternative, and no pipe. */
export function pipeline(command: string): readonly string[] {
  return command.split(/ \| (?!-)/).map((one) => one.trim());
}

/** A command as if onceover were installed, and nothing set before it. */
export function plainly(command: string): string {
  return pipeline(command)
    .map((one) =>
      one
        .replace(/^(?:[A-Z][A-Z_]*=\S* )+/, '')
        .replace(/^(?:npx(?: -y| --yes)? onceover(?:@[\d.]+)?|node dist\/cli\.mjs)(?= |$)/, 'onceover'),
    )
    .join(' | ');
}

/** Whether a command stands for many: it has a part that the reader is to fill in or to choose. */
export function isSynopsis(command: string): boolean {
  if (/[<…]|\.\.\.|\[| \| -| \/ -/.test(command)) return true;
  return wordsOf(command).some((word) => TO_FILL_IN.test(word) || CHOICE.test(word));
}

/** `AGENT`, `NAME=PATH`, `OWNER/REPOSITORY`, `markdown=FILE`. */
const TO_FILL_IN = /^(?:[\w-]+=)?[A-Z][A-Z_]*(?:[=/][A-Z_]+)*$/;
/** `specify|design`. */
const CHOICE = /^[a-z-]+(?:\|[a-z-]+)+$/;
