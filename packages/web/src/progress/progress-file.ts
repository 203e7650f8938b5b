import { sha256 } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { isCount, isString, isStrings, isTime, orNull, readShape, type Shape } from '@onceover/base/kernel/shape';
import { openFolder } from '@onceover/base/platform/private-files';
import { describeEvent } from './describe.ts';
import { NO_PROGRESS, type Progress, progressAfter, type Reporter } from './state.ts';

/** A check, reviewer or fixer that is running. */
export type Working = {
  readonly name: string;
  readonly agent: string | null;
  readonly dispatch: string | null;
  readonly since: string;
  readonly doing: string | null;
  readonly tokens: number | null;
};

/** The progress of a run, in the file through which other processes see it. */
export type SharedProgress = {
  readonly pid: number;
  readonly at: string;
  readonly title: string | null;
  readonly steps: number;
  readonly ended: number;
  readonly failed: number;
  readonly tokens: number;
  readonly lines: readonly string[];
  readonly working: readonly Working[];
};

const FOLDER = 'onceover/progress';
const MOST_LINES = 20;
const LARGEST_BYTES = 1024 * 1024;
const PAUSE_MS = 250;

type Place = Pick<RepositoryPaths, 'root' | 'commonDir'>;

/**
 * Returns a reporter that keeps the progress file of this working tree up to date, with at most four writes per second.
 */
export function openProgressWriter(place: Place): Reporter {
  const folder = openFolder(place.commonDir, FOLDER);
  let progress = NO_PROGRESS(Date.now());
  let lines: readonly string[] = [];
  let timer: NodeJS.Timeout | null = null;
  const write = () => {
    timer = null;
    // The run itself does not need this file, so ignore a failed write.
    folder.write(nameOf(place), JSON.stringify(toShared(progress, lines)), 0o600);
  };
  return {
    tell(event) {
      progress = progressAfter(progress, event, Date.now());
      const line = describeEvent(event);
      if (line !== null) lines = [...lines, line].slice(-MOST_LINES);
      // The current activity of an agent can wait for the next write. Write other events now, before the process can
      // end.
      if (line !== null && timer === null) write();
      timer ??= setTimeout(write, PAUSE_MS).unref();
    },
  };
}

function toShared(progress: Progress, lines: readonly string[]): SharedProgress {
  const { title, checks, checksEnded, slots, ended, failed, tokens, running } = progress;
  return {
    ...{ pid: process.pid, at: new Date().toISOString(), title, failed, tokens, lines },
    steps: checks + slots,
    ended: checksEnded + ended,
    working: [...running.values()].map((task) => ({ ...task, since: new Date(task.since).toISOString() })),
  };
}

/** Returns the progress that the process `holder` last wrote for the working tree; `null` if it has written none. */
export function readProgress(
  place: Place,
  holder: { readonly pid: number; readonly since: string },
): SharedProgress | null {
  const content = openFolder(place.commonDir, FOLDER).json(nameOf(place), LARGEST_BYTES);
  const progress = readShape<SharedProgress>(content, SHARED);
  // The file of an earlier run may still exist, and a later process may have got the same process id.
  return progress === null || progress.pid !== holder.pid || progress.at < holder.since ? null : progress;
}

function nameOf({ root }: Place): string {
  return `${sha256(root).slice(0, 16)}.json`;
}

const WORKING: Shape<Working> = {
  name: isString,
  agent: orNull(isString),
  dispatch: orNull(isString),
  since: isTime,
  doing: orNull(isString),
  tokens: orNull(isCount),
};

const SHARED: Shape<SharedProgress> = {
  pid: isCount,
  at: isTime,
  title: orNull(isString),
  steps: isCount,
  ended: isCount,
  failed: isCount,
  tokens: isCount,
  lines: isStrings,
  working: (value) => Array.isArray(value) && value.every((task) => readShape<Working>(task, WORKING) !== null),
};
