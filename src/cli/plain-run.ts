import { placeOf } from '../app/ahead.ts';
import { run } from '../app/run.ts';
import { runCommand } from './commands/run.ts';
import { tellBug } from './output.ts';

/** `onceover run` as it is written here, without flags; what it needs is loaded with it. */
export async function plainRun(): Promise<void> {
  try {
    await runCommand([], {}, async (cwd, wish) => {
      const place = await placeOf(cwd);
      return place.ok ? run(place.value, { ...wish, paths: [], selection: { kind: 'change', base: null } }) : place;
    });
  } catch (error) {
    tellBug(error, false);
  }
}
