import { READ_ONLY as NO_OPTIONS, runGates } from '@onceover/gates/run/open-run';
import { repositoryAt } from '@onceover/repo/git/locate';
import { sharedReporter } from '@onceover/web/progress/share';
import { runCommand } from './commands/run.ts';
import { printBug } from './output.ts';

/**
 * Runs `onceover run` without flags. It imports `runGates` directly, because api.ts would make Node.js load more files.
 */
export async function plainRun(): Promise<void> {
  try {
    await runCommand([], {}, async (cwd, { startedBy, reporter, stop }) => {
      const place = await repositoryAt(cwd);
      if (!place.ok) return place;
      const runReporter = sharedReporter(place.value, reporter);
      const selection = { kind: 'change', base: null } as const;
      return runGates(place.value, { ...NO_OPTIONS, startedBy, reporter: runReporter, stop, selection });
    });
  } catch (error) {
    printBug(error, false);
  }
}
