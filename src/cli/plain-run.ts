import { runGates } from '../gates/open-run.ts';
import { repositoryAt } from '../git/locate.ts';
import { runCommand } from './commands/run.ts';
import { printBug } from './output.ts';

/** Runs `onceover run` without flags. It imports `runGates` directly: through api.ts, Node would load more files. */
export async function plainRun(): Promise<void> {
  try {
    await runCommand([], {}, async (cwd, wish) => {
      const place = await repositoryAt(cwd);
      return place.ok
        ? runGates(place.value, { ...wish, paths: [], selection: { kind: 'change', base: null } })
        : place;
    });
  } catch (error) {
    printBug(error, false);
  }
}
