import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Traces } from '../domain/stop.ts';

/** The traces of these paths as they are now. */
export function tracesOf(paths: readonly string[]): Traces {
  return Object.fromEntries(paths.map((path) => [path, trace(path)]));
}

/** Whether all of it is as it was. */
export function isAsTraced(traces: Traces): boolean {
  return Object.entries(traces).every(([path, was]) => trace(path) === was);
}

/** What changes whenever the entry itself does; what a symlink leads to is another. */
export function traceOfEntry(path: string): string {
  try {
    return printOf(lstatSync(path, { throwIfNoEntry: false }));
  } catch (error) {
    return codeOf(error);
  }
}

function trace(path: string): string {
  try {
    return path.endsWith('/') ? traceFolder(path) : traceOne(path);
  } catch (error) {
    return codeOf(error);
  }
}

function traceOne(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? `${printOf(stats)} to ${traceTarget(path)}` : printOf(stats);
}

// What a symlink leads to is edited without a trace on the symlink.
function traceTarget(path: string): string {
  try {
    return printOf(statSync(path, { throwIfNoEntry: false }));
  } catch (error) {
    return codeOf(error);
  }
}

// The time of the last change to an entry cannot be set back; as a number it is exact to less than a microsecond.
function printOf(stats: Stats | undefined): string {
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

// What is written over where it lies leaves the folder itself as it was.
function traceFolder(path: string): string {
  const names = readdirSync(path).sort();
  return [traceOne(path.slice(0, -1)), ...names.map((name) => `${name} ${traceOne(join(path, name))}`)].join('\n');
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
