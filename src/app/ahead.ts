import type { Place } from '../domain/change.ts';
import { leftOut } from '../domain/left-out.ts';
import type { Snapshot, Snapshots } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { Selection } from '../domain/scope.ts';
import { isName } from '../io/diff.ts';
import type { Footing } from '../io/footing.ts';
import { lastBase, openKeptAnswers } from '../io/kept-answers.ts';
import { findPlace, findPlaceWith } from '../io/place.ts';
import { openSnapshots } from '../io/snapshots.ts';
import { findSpot } from '../io/spot.ts';
import { lookingAhead } from './looking-ahead.ts';
import { type RunSettings, readSettings } from './run-settings.ts';

/** What every run begins with: its settings, and the first look at the working tree, which is under way. */
export type Beginning = {
  readonly read: RunSettings;
  readonly snapshots: Snapshots;
  /** What the first look sees; null where it fails. */
  readonly first: Promise<Snapshot | null>;
};

export async function beginRun(place: Place, selection: Selection): Promise<Result<Beginning>> {
  const begun = beginning;
  beginning = null;
  if (begun !== null && begun.place === place && isUsual(selection)) return begun.run;
  return begin(place, selection);
}

async function begin(place: Place, selection: Selection, footing: Footing | null = null): Promise<Result<Beginning>> {
  const read = await readSettings(place, selection);
  if (!read.ok) return read;
  const { settings } = read.value;
  const ahead = lookingAhead(openSnapshots(place, footing), selection, settings.base, leftOut(settings));
  return done({ read: read.value, ...ahead });
}

let ahead: { readonly cwd: string; readonly place: Promise<Result<Place>> } | null = null;
let beginning: { readonly place: Place; readonly run: Promise<Result<Beginning>> } | null = null;

/**
 * Begins to look for the repository, and with `run` at what changed in it, while the rest of the program is still being
 * loaded: most of a short command's time is one or the other.
 */
export function lookAhead({ run }: { readonly run: boolean }): void {
  const cwd = here();
  if (cwd === null) return;
  const spot = run ? findSpot(cwd, process.env) : null;
  const base = spot === null ? null : lastBase(openKeptAnswers(spot));
  const found = findPlaceWith(cwd, base !== null && isName(base) ? base : null);
  ahead = {
    cwd,
    place: forLater(
      found.then((one) => {
        if (!one.ok) return one;
        const { place, footing } = one.value;
        if (run) beginning = { place, run: forLater(begin(place, USUAL, footing)) };
        return done(place);
      }),
    ),
  };
}

// Whoever asks for it is told what broke; that nobody has asked yet must not end the process.
function forLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

// Whoever is in a folder that is gone is told so later on.
function here(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

const USUAL: Selection = { kind: 'change', base: null };

function isUsual(selection: Selection): boolean {
  return selection.kind === 'change' && selection.base === null;
}

/** The repository that holds a folder. */
export function placeOf(cwd: string): Promise<Result<Place>> {
  const begun = ahead;
  // What was found counts once: a server that runs for days must look again.
  ahead = null;
  return begun?.cwd === cwd ? begun.place : findPlace(cwd);
}
