import { runCommand } from './commands/run.ts';
import { tellBug } from './output.ts';

/** `onceover run` as it is written here, without flags. */
export async function plainRun(): Promise<void> {
  try {
    await runCommand([], {});
  } catch (error) {
    tellBug(error, false);
  }
}
