import { exitCode } from '../domain/exit-code.ts';
import type { Failure } from '../domain/failure.ts';
import { fitted } from '../text/shown.ts';
import type { Told } from '../text/told.ts';
import { typed } from '../text/typed.ts';
import { jsonWithoutCommands, withoutCommands } from '../text/without-commands.ts';
import { version } from '../version.ts';
import { shownOn } from './looks.ts';

/** Writes the one answer of a command to stdout. */
export function answer(text: string): void {
  process.stdout.write(forLog(text.endsWith('\n') ? text : `${text}\n`));
}

/** Writes a document to stdout. */
export function answerJson(document: object): void {
  const json = `${JSON.stringify(document, null, 2)}\n`;
  process.stdout.write(isOnGitHub() ? jsonWithoutCommands(json) : json);
}

/** Writes lines for people to stderr, beside the answer. */
export function warn(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(forLog(`Warning: ${line}\n`));
}

/** Says what went wrong and what to do, and sets the exit code. The words for all that can fail are loaded where something does. */
export async function fail(failure: Failure, json: boolean, asked: 'run' | null = null): Promise<void> {
  process.exitCode = exitCode(failure);
  if (json) {
    const { failureDocument } = await import('../report/failure-document.ts');
    answerJson(failureDocument(failure, asked));
  }
  const { tellFailure } = await import('../text/failure.ts');
  complain(tellFailure(failure));
}

/** Says on stderr what went wrong, what else there is to say, and what to do. */
export function complain({ what, next }: Told, more = ''): void {
  const { byNpx, ...shown } = shownOn(process.stderr, process.env);
  const said = [fitted(`onceover: ${what}`, shown, 0), `${more}${fitted(typed(next, byNpx), shown, 0)}`];
  process.stderr.write(forLog(`${said.join('\n')}\n`));
}

/** Tells of a bug of ours: nothing was judged, so this is neither a pass nor a finding. */
export function tellBug(error: unknown, json: boolean): void {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const next = 'Report it, with the command that you ran.';
  if (json) answerJson({ error: { kind: 'bug', message: said, next } });
  complain({ what: `Something went wrong that should not (a bug in onceover ${version}):\n${said}`, next });
  process.exitCode = 3;
}

/** A text as it may stand in a log: what a reviewer said must not be taken for a command of the workflow. */
export function forLog(text: string): string {
  return isOnGitHub() ? withoutCommands(text) : text;
}

function isOnGitHub(): boolean {
  return process.env['GITHUB_ACTIONS'] === 'true';
}
