import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig, type UserConfig } from 'tsdown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// Everything the program needs is in the package itself: one package to install, and few files to open at start-up.
const common: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  report: false,
};

// What a command needs goes into one file, so that few have to be opened: the core is what `instructions` needs, and `run`
// what a run needs that finds nothing to do. What only some runs and commands need stays in files of its own.
const CORE =
  /src\/(?:app\.ts|cli\/working-directory|domain|text\/(?:agent-failure|failure|instructions|notice|pass|problem|rules)\.ts|io\/(?:contents|diff|files|git|in-parts|index-copy|nul-list|place|process|repository|text-files|user-path)\.ts|stores\/(?:generated|instruction|passes)|report\/documents|config\/(?:load(?!-roles|-jobs)|parsed|rule-file)|plan\/(?:decide-instructions|explain-review|identify|match|review-id|task)|prompt\/(?:fence|instruction-file)|execute\/(?:instructions|references|select))/;
const RUN =
  /src\/(?:app\/(?:run|run-config|looking-ahead)\.ts|cli\/(?:commands\/run|interrupt|plain-run)|execute\/(?:run|run-checks|run-ports|read-run|tidy|rule-marks|budget)\.ts|plan\/(?:content|cycle|decide-run|estimate|gate-state|gates|judge-run|pull-request|record-names|retries|rubric|savings|slots|trusted-commands)\.ts|stores\/(?!capabilities|project-files|snooze|phase-|feature-|meta-|workflow-)|io\/(?!commit|git-files|output-files|scratch)|text\/(?:run|event|gate-reason|trouble|slots|check|dry-run)\.ts|report\/run-document)/;

// What an agent that stops waits for, mostly with nothing changed.
const HOOK =
  /src\/(?:app\/(?:answer-stop|count-blocks)|cli\/hook-stop|io\/(?:quiet|spot|trace|tree-print|undisturbed)|plan\/(?:decide-stop|is-pull-request)|report\/stop-document|stores\/stop-memory)\.ts/;

/** A file with all that it imports as it is loaded: types and what is imported later are not among them. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  const path = resolve(file);
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, from = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';/gms)) {
    loadedBy(join(dirname(path), from), found);
  }
  return found;
}

// What a run begins with: git is at work while the rest is being loaded.
const AHEAD = loadedBy('src/app/ahead.ts');

export default defineConfig([
  {
    ...common,
    entry: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    define: { ONCEOVER_VERSION: JSON.stringify(version) },
    dts: false,
    // Less to read at start-up, which is most of what a short command takes. READABLE=1 is for people.
    minify: process.env['READABLE'] === '1' ? 'dce-only' : true,
    outputOptions: {
      codeSplitting: {
        groups: [
          { name: 'hook', test: HOOK, priority: 3 },
          { name: 'ahead', test: (id) => AHEAD.has(id), priority: 2.5 },
          { name: 'core', test: CORE, priority: 2 },
          { name: 'run', test: RUN, priority: 1 },
        ],
      },
    },
    clean: true,
  },
  { ...common, entry: { index: 'src/index.ts' }, dts: { emitDtsOnly: true }, clean: false },
]);
