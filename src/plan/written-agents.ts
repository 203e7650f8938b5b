import { isInside } from '../domain/generated.ts';
import { repoPath } from '../domain/repo-path.ts';
import type { Settings } from '../domain/settings.ts';

/** Agents of the settings that start a file which the change has written to: with the file. */
export function writtenAgents(agents: Settings['agent'], changed: ReadonlySet<string>): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const [name, agent] of Object.entries(agents)) {
    const parts = partsOf(agent);
    const named = parts.map((part) => writtenIn(part, changed)).find((one) => one !== null) ?? null;
    const file = named ?? readBy(parts).find((one) => changed.has(one)) ?? null;
    if (file !== null) written.set(name, file);
  }
  return written;
}

/** Everything in the settings that may be the name of a file which an agent is started from, or goes by. */
export function agentWords(agents: Settings['agent']): readonly string[] {
  const words = Object.values(agents)
    .map(partsOf)
    .flatMap((parts) => [...parts, ...parts.flatMap(wordsOf), ...readBy(parts)]);
  return [...new Set(words)].filter((word) => word !== '');
}

function partsOf({ command, path }: Settings['agent'][string]): readonly string[] {
  return [...(command ?? []), ...(path === null ? [] : [path])];
}

/** The changed file that a part of a command names, is above of, or mentions anywhere. */
function writtenIn(part: string, changed: ReadonlySet<string>): string | null {
  const words = [part, ...wordsOf(part)].flatMap((word) => repoPath(word) ?? []).filter((word) => word !== '');
  for (const file of changed) {
    if (part.includes(file) || words.some((word) => isInside(file, word))) return file;
  }
  return null;
}

/** Files that name what these programs start, or by which shell or program, where the command itself does not. */
const READ_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ...readers(['npm', 'npx'], ['package.json', '.npmrc']),
  ...readers(['pnpm', 'pnpx'], ['package.json', '.npmrc', 'pnpm-workspace.yaml']),
  ...readers(['yarn'], ['package.json', '.yarnrc.yml', '.yarnrc']),
  ...readers(['bun', 'bunx'], ['package.json', 'bunfig.toml']),
  ...readers(['make', 'gmake'], ['GNUmakefile', 'makefile', 'Makefile']),
  ...readers(['uv', 'poetry', 'pdm', 'hatch'], ['pyproject.toml', 'uv.toml']),
  ...readers(['just'], ['justfile', 'Justfile', '.justfile']),
  ...readers(['task'], ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml']),
  ...readers(['mise'], ['mise.toml', '.mise.toml']),
  ...readers(['rake'], ['Rakefile', 'rakefile']),
  ...readers(['cargo'], ['Cargo.toml', '.cargo/config.toml', '.cargo/config']),
  ...readers(['composer'], ['composer.json']),
  ...readers(['deno'], ['deno.json', 'deno.jsonc']),
]);

function readers(names: readonly string[], files: readonly string[]): (readonly [string, readonly string[]])[] {
  return names.map((name) => [name, files] as const);
}

function readBy(parts: readonly string[]): readonly string[] {
  const words = parts.flatMap(wordsOf);
  const programs = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  return [...programs.flatMap((program) => READ_BY.get(program) ?? []), ...pythonModules(words)];
}

/** `python -m tools.review` starts tools/review.py. */
function pythonModules(words: readonly string[]): readonly string[] {
  return words
    .filter((_, i) => words[i - 1] === '-m')
    .map((module) => module.replaceAll('.', '/'))
    .flatMap((path) => [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]);
}

function wordsOf(part: string): readonly string[] {
  return part.split(/[\s'"=;&|()]+/);
}
