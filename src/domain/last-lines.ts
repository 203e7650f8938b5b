const MOST_LINES = 20;
const MOST_CHARACTERS = 4000;

/** The end of what a program printed, as much as fits a screen. */
export function lastLines(output: string): string {
  const text = output.trimEnd().slice(-MOST_CHARACTERS);
  return text.split('\n').slice(-MOST_LINES).join('\n');
}
