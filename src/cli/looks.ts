import type { BarStyle } from '../text/bar.ts';
import { COLOURED, type Paint, PLAIN } from '../text/paint.ts';
import type { Shown } from '../text/shown.ts';

type Stream = { readonly isTTY?: boolean };

/** Whether a stream is a terminal that can draw over what it shows. */
export function isLive(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** Colour where somebody sees it, unless they asked for none. */
export function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  if ((env['NO_COLOR'] ?? '') !== '') return PLAIN;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced === '0' ? PLAIN : COLOURED;
  return isLive(stream, env) ? COLOURED : PLAIN;
}

/** Block characters where the locale says that they can be shown. */
function barsFor(env: NodeJS.ProcessEnv): BarStyle {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) ? 'blocks' : 'ascii';
}

/** How texts are shown on a stream: as wide as the terminal, where it is one. */
export function shownOn(stream: Stream & { readonly columns?: number }, env: NodeJS.ProcessEnv): Shown {
  return {
    paint: paintFor(stream, env),
    width: stream.isTTY === true ? Math.max(MOST_NARROW, stream.columns || 80) : null,
    byNpx: isByNpx(env),
  };
}

const MOST_NARROW = 30;

/** How a page with figures is shown: laid out for 80 columns where it is no terminal. */
export function pageLooks({ stdout, env }: Pick<NodeJS.Process, 'stdout' | 'env'>) {
  const width = stdout.isTTY === true ? stdout.columns || 80 : 80;
  return { paint: paintFor(stdout, env), bars: barsFor(env), width };
}

/** Whether npx has started us: then "onceover" alone is no command here. */
function isByNpx(env: NodeJS.ProcessEnv): boolean {
  return env['npm_lifecycle_event'] === 'npx';
}
