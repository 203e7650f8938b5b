import { exitCode, type Failure } from '@onceover/base/kernel/failure';
import type { Result } from '@onceover/base/kernel/result';
import { type Styled, wrapTo } from '@onceover/base/ui/style';
import { forLog, isOnGitHub, jsonWithoutCommands, shownOn } from '@onceover/base/ui/terminal';
import { type Message, withNpx } from '@onceover/base/ui/wording';
import { version } from '@onceover/base/version';

/**
 * The options of a command: those in `Texts` take a text, those in `Switches` take no value. Nearly all commands have
 * `--json`.
 */
export type Flags<Texts extends string = never, Switches extends string = never> = {
  readonly [Name in Texts]?: string;
} & { readonly [Name in Switches | 'json']?: boolean };

/** How a command shows its result: as a JSON document, or as text for the terminal. */
type Shown<T> = {
  document(value: T): object | Promise<object>;
  text(value: T, style: Styled): string | Promise<string>;
  warnings?(value: T): readonly string[];
  /** Returns the exit code for a result. If missing, the exit code is 0. */
  exitCode?(value: T): number;
};

/**
 * Ends a command: prints its result or its failure, and sets the exit code. An interruption has already been reported.
 */
export async function finish<T>(result: Result<T> | 'interrupted', json: boolean, show: Shown<T>): Promise<void> {
  if (result === 'interrupted') return;
  if (!result.ok) return exitWith(result.failure, json);
  const { value } = result;
  if (show.exitCode !== undefined) process.exitCode = show.exitCode(value);
  printWarnings(show.warnings?.(value) ?? []);
  if (json) printJson(await show.document(value));
  else printResult(await show.text(value, shownOn(process.stdout, process.env)));
}

/** Ends a command that was called with wrong arguments. */
export function wrongUsage(command: string, message: string, json = false): Promise<void> {
  return exitWith({ kind: 'wrong-usage', said: message, command }, json);
}

/** Writes the result of a command to stdout. */
export function printResult(text: string): void {
  process.stdout.write(forLog(text.endsWith('\n') ? text : `${text}\n`));
}

/**
 * Writes a JSON document to stdout. On GitHub, it escapes workflow commands in it, so that GitHub does not execute
 * them.
 */
export function printJson(document: object): void {
  const json = `${JSON.stringify(document, null, 2)}\n`;
  process.stdout.write(isOnGitHub() ? jsonWithoutCommands(json) : json);
}

/** Writes warnings to stderr. */
export function printWarnings(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(forLog(`Warning: ${line}\n`));
}

/**
 * Prints a failure with the next step, and sets the exit code. Loads the texts of failures only here, so that commands
 * start faster.
 */
export async function exitWith(failure: Failure, json: boolean, command: 'run' | null = null): Promise<void> {
  process.exitCode = exitCode(failure);
  if (json) {
    const { failureDocument } = await import('@onceover/gates/result/json');
    printJson(failureDocument(failure, command));
  }
  const { describeFailure } = await import('@onceover/base/ui/describe-failure');
  printFailure(describeFailure(failure));
}

/** Prints a failure to stderr: what happened, then `details`, then the next step. */
export function printFailure({ what, next }: Message, details = ''): void {
  const { byNpx, ...shown } = shownOn(process.stderr, process.env);
  const lines = [wrapTo(`onceover: ${what}`, shown, 0), `${details}${wrapTo(withNpx(next, byNpx), shown, 0)}`];
  process.stderr.write(forLog(`${lines.join('\n')}\n`));
}

/** Prints an unexpected exception as a bug in onceover. No gate was judged, so the exit code is 3. */
export function printBug(error: unknown, json: boolean): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const next = 'Please report it with the command that you ran.';
  if (json) printJson({ error: { kind: 'bug', message: stack, next } });
  printFailure({ what: `Version ${version} crashed. This is a bug:\n${stack}`, next });
  process.exitCode = 3;
}

/**
 * Returns the working directory. If it was deleted, returns its old path, in which commands will find no repository.
 */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] ?? '(a deleted folder)';
  }
}
