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
export function barsFor(env: NodeJS.ProcessEnv): BarStyle {
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

/** Whether npx has started us: then "onceover" alone is no command here. */
export function isByNpx(env: NodeJS.ProcessEnv): boolean {
  return env['npm_lifecycle_event'] === 'npx';
}
