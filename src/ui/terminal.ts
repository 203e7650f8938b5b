import { COLOURED, type Paint, PLAIN, type Styled } from './style.ts';

/** Returns the text with a space in `::…` and `##[…`, which GitHub would execute as workflow commands. */
export function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '## [');
}

/** Returns the same JSON without workflow commands. Only `##[` can occur: no line of JSON starts with a colon. */
export function jsonWithoutCommands(json: string): string {
  return json.replaceAll('##[', '##\\u005b');
}

type Stream = { readonly isTTY?: boolean };

/** Whether a stream is a terminal that can overwrite lines. */
export function isLive(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** Returns `COLOURED` for a terminal and `PLAIN` otherwise, unless NO_COLOR or FORCE_COLOR is set. */
export function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  if ((env['NO_COLOR'] ?? '') !== '') return PLAIN;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced === '0' ? PLAIN : COLOURED;
  return isLive(stream, env) ? COLOURED : PLAIN;
}

/** Returns how to print on a stream: wrapped to the width of a terminal, not wrapped in a pipe or a file. */
export function shownOn(stream: Stream & { readonly columns?: number }, env: NodeJS.ProcessEnv): Styled {
  return {
    paint: paintFor(stream, env),
    width: stream.isTTY === true ? Math.max(NARROWEST_WIDTH, stream.columns || PAGE_WIDTH) : null,
    // With npx, the command "onceover" may not exist.
    byNpx: env['npm_lifecycle_event'] === 'npx',
  };
}

const NARROWEST_WIDTH = 30;

/** The line width of `onceover cost` and `onceover demo` in a pipe or a file, and of terminals that report no width. */
export const PAGE_WIDTH = 80;

/** Returns a text for a log. On GitHub, removes workflow commands, because a reviewer's answer may contain some. */
export function forLog(text: string): string {
  return isOnGitHub() ? withoutCommands(text) : text;
}

export function isOnGitHub(): boolean {
  return process.env['GITHUB_ACTIONS'] === 'true';
}
