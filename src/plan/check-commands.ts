import type { CheckCommand, CheckName, PassedOver, RootFiles } from '../domain/set-up.ts';
import { type CheckCandidate, composerScripts, makeTargets, packageScripts } from './project-scripts.ts';
import { projectTools } from './project-tools.ts';
import { workspaceScripts } from './workspace-scripts.ts';

/** Files at the root that can name a project's own commands. */
export const CHECK_SOURCES: ReadonlySet<string> = new Set([
  'package.json',
  'pnpm-workspace.yaml',
  '.yarnrc.yml',
  'composer.json',
  'GNUmakefile',
  'makefile',
  'Makefile',
  'go.mod',
  'Cargo.toml',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'mypy.ini',
  'requirements.txt',
  'requirements-dev.txt',
  'dev-requirements.txt',
  'requirements-test.txt',
  'Gemfile',
  'mix.exs',
]);

/** The project's own commands that can be checks, one of each name; what people wrote themselves goes before tools. */
export function checkCommands(root: RootFiles): {
  readonly checks: readonly CheckCommand[];
  readonly passedOver: readonly PassedOver[];
} {
  const candidates = [packageScripts, composerScripts, makeTargets, workspaceScripts, projectTools].flatMap((from) =>
    from(root),
  );
  const chosen = NAMES.flatMap((name) => choose(candidates.filter((one) => one.name === name)));
  // Where all three are there, "check" is most likely the sum of them.
  const wanted = chosen.filter(({ name }) => name !== 'check' || chosen.length < NAMES.length);
  return {
    checks: wanted.flatMap(({ name, run, unfit }) =>
      unfit === null ? [{ name, run, timeoutSeconds: timeout(name, run) }] : [],
    ),
    passedOver: wanted.flatMap(({ name, run, unfit }) =>
      unfit === null || name === 'check' ? [] : [{ run, why: unfit }],
    ),
  };
}

/** The programs that commands begin with, each once. */
export function programsOf(checks: readonly CheckCommand[]): readonly string[] {
  const first = checks.map(({ run }) => run.split(' ').find((word) => !/^\w+=/.test(word)) ?? '');
  return [...new Set(first)];
}

const NAMES: readonly CheckName[] = ['lint', 'types', 'test', 'check'];

function choose(candidates: readonly CheckCandidate[]): readonly CheckCandidate[] {
  return [candidates.find(({ unfit }) => unfit === null) ?? candidates[0]].filter((one) => one !== undefined);
}

const TIMEOUTS: Readonly<Record<CheckName, number>> = { lint: 300, types: 300, test: 900, check: 900 };
const COMPILES_FIRST = /^(?:cargo|(?:\.\/)?gradlew?|mvn|\.\/mvnw) /;

function timeout(name: CheckName, run: string): number {
  return COMPILES_FIRST.test(run) ? 1800 : TIMEOUTS[name];
}
