import type { Settings } from '../config/settings.ts';

/** Returns every word of the agents' settings that may be the name of a file that an agent's command runs or reads. */
export function agentWords(agents: Settings['agent']): readonly string[] {
  const words = Object.values(agents)
    .map(partsOf)
    .flatMap((parts) => [...parts, ...parts.flatMap(wordsOf), ...readBy(parts)]);
  return [...new Set(words)].filter((word) => word !== '');
}

function partsOf({ command, path }: Settings['agent'][string]): readonly string[] {
  return [...(command ?? []), ...(path === null ? [] : [path])];
}

/** For each program, the files that decide what it runs, such as `package.json` for npm. */
const READ_BY: ReadonlyMap<string, readonly string[]> = new Map(
  [
    { programs: ['npm', 'npx'], files: ['package.json', '.npmrc'] },
    { programs: ['pnpm', 'pnpx'], files: ['package.json', '.npmrc', 'pnpm-workspace.yaml'] },
    { programs: ['yarn'], files: ['package.json', '.yarnrc.yml', '.yarnrc'] },
    { programs: ['bun', 'bunx'], files: ['package.json', 'bunfig.toml'] },
    { programs: ['make', 'gmake'], files: ['GNUmakefile', 'makefile', 'Makefile'] },
    { programs: ['uv', 'poetry', 'pdm', 'hatch'], files: ['pyproject.toml', 'uv.toml'] },
    { programs: ['just'], files: ['justfile', 'Justfile', '.justfile'] },
    { programs: ['task'], files: ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'] },
    { programs: ['mise'], files: ['mise.toml', '.mise.toml'] },
    { programs: ['rake'], files: ['Rakefile', 'rakefile'] },
    { programs: ['cargo'], files: ['Cargo.toml', '.cargo/config.toml', '.cargo/config'] },
    { programs: ['composer'], files: ['composer.json'] },
    { programs: ['deno'], files: ['deno.json', 'deno.jsonc'] },
  ].flatMap(({ programs, files }) => programs.map((program) => [program, files] as const)),
);

function readBy(parts: readonly string[]): readonly string[] {
  const words = parts.flatMap(wordsOf);
  const programs = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  return [...programs.flatMap((program) => READ_BY.get(program) ?? []), ...pythonModules(words)];
}

/** Returns the files that `python -m` may run. For `python -m tools.review`, one of them is tools/review.py. */
function pythonModules(words: readonly string[]): readonly string[] {
  return words
    .filter((_, i) => words[i - 1] === '-m')
    .map((module) => module.replaceAll('.', '/'))
    .flatMap((path) => [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]);
}

function wordsOf(part: string): readonly string[] {
  return part.split(/[\s'"=;&|()]+/);
}
