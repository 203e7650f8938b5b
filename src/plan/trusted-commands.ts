import { digestOf } from '../domain/digest.ts';
import type { Settings } from '../domain/settings.ts';

/** A digest of everything in the settings that is run as a command: checks, and agents of the user's own. */
export function commandsDigest(settings: Settings): string {
  return digestOf([checksOf(settings), agentsOf(settings)]);
}

/** The commands that a person agrees to. */
export function commandsOf(settings: Settings): readonly string[] {
  return [
    ...checksOf(settings).map(([, , run]) => run),
    ...agentsOf(settings).map(([name, { command, path, env }]) => {
      const given = Object.entries(env).map(([key, value]) => `${key}=${value}`);
      return [...given, ...(command ?? [path ?? name])].join(' ');
    }),
  ];
}

function checksOf(settings: Settings): (readonly [string, string, string])[] {
  return settings.gates.flatMap((entry) =>
    Object.entries(entry.checks).map(([name, { run }]) => [entry.path, name, run] as const),
  );
}

// A path or an environment can make any program of what is known by name.
function agentsOf(settings: Settings): (readonly [string, Settings['agent'][string]])[] {
  return Object.entries(settings.agent).filter(
    ([, { command, path, env }]) => command !== null || path !== null || Object.keys(env).length > 0,
  );
}
