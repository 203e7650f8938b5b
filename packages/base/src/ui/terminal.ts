import { COLOURED, type Paint, PLAIN, type Styled } from './style.ts';

/** Returns the text with a space inserted in `::…` and `##[…`. GitHub would execute these as workflow commands. */
export function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '## [');
}

/**
 * Returns the same JSON value as text that contains no GitHub workflow commands. Only `##[` can occur, because no line
 * of JSON starts with a colon.
 */
export function jsonWithoutCommands(json: string): string {
  return json.replaceAll('##[', '##\\u005b');
}

type Stream = { readonly isTTY?: boolean };

/** Whether a stream is a terminal that can overwrite lines. */
export function isLive(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/**
 * Returns the function that paints texts in colour if the stream is a terminal, otherwise the one that does not.
 * NO_COLOR and FORCE_COLOR override this.
 */
export function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  if ((env['NO_COLOR'] ?? '') !== '') return PLAIN;
  const forceColor = env['FORCE_COLOR'];
  if (forceColor !== undefined && forceColor !== '') return forceColor === '0' ? PLAIN : COLOURED;
  return isLive(stream, env) ? COLOURED : PLAIN;
}

/** Returns how to print on a stream: wrapped to the width of a terminal, not wrapped in a pipe or a file. */
export function shownOn(stream: Stream & { readonly columns?: number }, env: NodeJS.ProcessEnv): Styled {
  return {
    paint: paintFor(stream, env),
    width: stream.isTTY === true ? Math.max(NARROWEST_WIDTH, stream.columns || PAGE_WIDTH) : null,
    // If the user started onceover with npx, the command "onceover" may not exist.
    byNpx: env['npm_lifecycle_event'] === 'npx',
  };
}

const NARROWEST_WIDTH = 30;

/** The line width of `onceover cost` and `onceover demo` in a pipe or a file, and of terminals that report no width. */
export const PAGE_WIDTH = 80;

/**
 * Returns a text for a log. On GitHub, it makes workflow commands harmless, because a reviewer's answer may contain
 * some.
 */
export function forLog(text: string): string {
  return isOnGitHub() ? withoutCommands(text) : text;
}

export function isOnGitHub(): boolean {
  return process.env['GITHUB_ACTIONS'] === 'true';
}
