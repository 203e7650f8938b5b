/** The text without anything that GitHub's runner would take for a command: it looks for them in all that a step prints. */
export function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '## [');
}

/** The same for JSON, where lines begin with no colon: still the same document. */
export function jsonWithoutCommands(json: string): string {
  return json.replaceAll('##[', '##\\u005b');
}
