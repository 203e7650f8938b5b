import { COLOURED, type Paint, PLAIN, type Styled } from './style.ts';

/** Defuses workflow commands (`::…`, `##[…`), which the GitHub runner executes from any output of a step. */
export function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '## [');
}

/** Defuses workflow commands in JSON without changing its meaning. No line of JSON starts with a colon. */
export function jsonWithoutCommands(json: string): string {
  return json.replaceAll('##[', '##\\u005b');
}

type Stream = { readonly isTTY?: boolean };

/** Whether a stream is a terminal that can overwrite lines. */
export function isLive(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** Returns colours for a terminal, unless NO_COLOR or FORCE_COLOR says otherwise. */
export function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  if ((env['NO_COLOR'] ?? '') !== '') return PLAIN;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced === '0' ? PLAIN : COLOURED;
  return isLive(stream, env) ? COLOURED : PLAIN;
}

/** Returns how to print on a stream: as wide as the terminal, without wrapping elsewhere. */
export function shownOn(stream: Stream & { readonly columns?: number }, env: NodeJS.ProcessEnv): Styled {
  return {
    paint: paintFor(stream, env),
    width: stream.isTTY === true ? Math.max(NARROWEST_WIDTH, stream.columns || 80) : null,
    byNpx: isByNpx(env),
  };
}

const NARROWEST_WIDTH = 30;

/** Returns how to print a page of figures: as wide as the terminal, 80 columns elsewhere. */
export function pageLooks({ stdout, env }: Pick<NodeJS.Process, 'stdout' | 'env'>) {
  const width = stdout.isTTY === true ? stdout.columns || 80 : 80;
  return { paint: paintFor(stdout, env), width };
}

/** Whether npx started onceover. Then the command "onceover" alone may not exist. */
function isByNpx(env: NodeJS.ProcessEnv): boolean {
  return env['npm_lifecycle_event'] === 'npx';
}

/** Returns a text for a log. On GitHub, words of a reviewer must not run as workflow commands. */
export function forLog(text: string): string {
  return isOnGitHub() ? withoutCommands(text) : text;
}

export function isOnGitHub(): boolean {
  return process.env['GITHUB_ACTIONS'] === 'true';
}
