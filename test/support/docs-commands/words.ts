/** Splits a command line into words like a shell and removes the quotes. */
export function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

/** Returns a shell line without its comment. */
export function withoutComment(line: string): string {
  let quote = '';
  for (const [index, character] of [...line].entries()) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '#' && (index === 0 || /\s/.test(line[index - 1] ?? ''))) return line.slice(0, index).trim();
  }
  return line.trim();
}

/** Returns the commands of a line that run one after another. */
export function oneByOne(line: string): readonly string[] {
  return line
    .split(/ && |; /)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/**
 * Returns the programs of a pipeline, each with its arguments. " | " before an option is an alternative, not a pipe.
 */
export function pipeline(command: string): readonly string[] {
  return command.split(/ \| (?!-)/).map((one) => one.trim());
}

/** Returns a command as if onceover were installed, without variables set before it. */
export function plainly(command: string): string {
  return pipeline(command)
    .map((one) =>
      one
        .replace(/^(?:[A-Z][A-Z_]*=\S* )+/, '')
        .replace(/^(?:npx(?: -y| --yes| --no-install)? onceover(?:@[\d.]+)?|node dist\/cli\.cjs)(?= |$)/, 'onceover'),
    )
    .join(' | ');
}

/** Whether a command has a placeholder or a choice for the reader. */
export function isSynopsis(command: string): boolean {
  if (/[<…]|\.\.\.|\[| \| -| \/ -/.test(command)) return true;
  return wordsOf(command).some((word) => TO_FILL_IN.test(word) || CHOICE.test(word));
}

/** `AGENT`, `NAME=PATH`, `OWNER/REPOSITORY`, `markdown=FILE`. */
const TO_FILL_IN = /^(?:[\w-]+=)?[A-Z][A-Z_]*(?:[=/][A-Z_]+)*$/;
/** `specify|design`. */
const CHOICE = /^[a-z-]+(?:\|[a-z-]+)+$/;
