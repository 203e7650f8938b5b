import { statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { appendReport, writeReports } from '../app.ts';
import { exitCode } from '../domain/exit-code.ts';
import type { Failure } from '../domain/failure.ts';
import type { RunOutcome } from '../domain/run.ts';
import type { EndedRun } from '../report/ended-run.ts';
import { FORMATS, type Format } from '../report/formats.ts';
import { githubAnnotations, githubSummary } from '../report/github.ts';
import { tellFailure } from '../text/failure.ts';
import { tellSeenReport, tellWrongReport, type WrongReport } from '../text/reports.ts';
import type { Told } from '../text/told.ts';
import { version } from '../version.ts';
import { complain, warn } from './output.ts';
import { workingDirectory } from './working-directory.ts';

/** The reports of a run. */
export type Reports = {
  /** Writes them all; what could not be written is said, and given back. */
  write(outcome: RunOutcome): Promise<readonly string[]>;
  /** What is printed rather than written, after everything else. */
  print(outcome: RunOutcome): void;
  /** Writes and prints them for a run that came to no outcome: an older report must not stand for it. */
  tellFailed(failure: Failure): Promise<void>;
  tellInterrupted(told: Told): Promise<void>;
};

/** The reports that the flags ask for, or the sentence that says why they cannot be meant. */
export function openReports(
  flags: readonly string[],
  options: { readonly dryRun: boolean; readonly json: boolean },
): Reports | { readonly said: string } {
  const wish = options.dryRun ? said({ kind: 'dry-run' }) : readFlags(flags, workingDirectory());
  if ('said' in wish) return wish;
  const print = (run: EndedRun) => {
    // Where stdout holds a document, it holds nothing else.
    if (wish.github) (options.json ? process.stderr : process.stdout).write(githubAnnotations(run));
  };
  const tell = async (run: EndedRun) => {
    await writeAll(wish, run);
    print(run);
  };
  return {
    write: (outcome) => writeAll(wish, { kind: 'judged', outcome }),
    print: (outcome) => print({ kind: 'judged', outcome }),
    tellFailed(failure) {
      const status = failure.kind === 'lock-held' ? 'lock_conflict' : 'error';
      return tell({ kind: 'not-judged', status, exitCode: exitCode(failure), ...tellFailure(failure) });
    },
    tellInterrupted: (told) => tell({ kind: 'not-judged', status: 'interrupted', exitCode: 130, ...told }),
  };
}

type Wish = {
  readonly files: readonly { readonly format: Format; readonly name: string }[];
  readonly github: boolean;
};

function readFlags(flags: readonly string[], cwd: string): Wish | { readonly said: string } {
  const files: { format: Format; name: string }[] = [];
  const paths = new Set<string>();
  let github = false;
  for (const flag of flags) {
    const [, format = flag, name = null] = /^([^=]*)=(.*)$/su.exec(flag) ?? [];
    if (format === 'github') {
      if (name !== null) return said({ kind: 'file-for-github' });
      if (github) return said({ kind: 'twice', what: format });
      github = true;
      continue;
    }
    if (!isFormat(format)) return said({ kind: 'unknown-format', format });
    if (name === null || name === '' || name === '-') return said({ kind: 'no-file', format });
    const path = isAbsolute(name) ? normalize(name) : join(cwd, name);
    if (isFolder(path)) return said({ kind: 'folder', file: name });
    if (paths.has(path)) return said({ kind: 'twice', what: name });
    paths.add(path);
    files.push({ format, name });
  }
  return { files, github };
}

async function writeAll(wish: Wish, run: EndedRun): Promise<readonly string[]> {
  const files = wish.files.map(({ format, name }) => ({ name, text: FORMATS[format](run, { version }) }));
  const { failures, seen } = await writeReports(workingDirectory(), files);
  warn(seen.map(tellSeenReport));
  const summary = wish.github ? (process.env['GITHUB_STEP_SUMMARY'] ?? '') : '';
  const appended = summary === '' ? null : await appendReport(summary, githubSummary(run));
  const missing = appended === null || appended.ok ? failures : [...failures, appended.failure];
  return missing.map((failure) => {
    const { what, next } = tellFailure(failure);
    complain({ what: `A report is missing: ${what}`, next });
    return `a report is missing: ${what}`;
  });
}

function isFormat(text: string): text is Format {
  return Object.hasOwn(FORMATS, text);
}

function isFolder(path: string): boolean {
  if (path.endsWith('/')) return true;
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function said(wrong: WrongReport): { readonly said: string } {
  return { said: tellWrongReport(wrong) };
}
