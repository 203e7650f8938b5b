import { statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import type { RunOutcome } from '../gates/run-types.ts';
import { quoteName } from '../kernel/escape.ts';
import { exitCode, type Failure } from '../kernel/failure.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { type EndedRun, endedRun, failedRun } from '../reports/finished-run.ts';
import { FORMATS } from '../reports/formats.ts';
import { githubAnnotations, githubSummary } from '../reports/github.ts';
import { type Format, REPORT_FILES } from '../reports/types.ts';
import { appendReport, writeReports } from '../reports/write.ts';
import { describeFailure } from '../ui/describe-failure.ts';
import type { Message } from '../ui/wording.ts';
import { printFailure, printWarnings, workingDirectory } from './output.ts';

export type Reports = ReturnType<typeof reportsFor>;

/** Returns the reports that the `--report` flags request. */
export function openReports(flags: readonly string[], { json }: { readonly json: boolean }): Result<Reports> {
  const request = readFlags(flags, workingDirectory());
  return request.ok ? ok(reportsFor(request.value, json)) : request;
}

function reportsFor(request: ReportRequest, json: boolean) {
  const print = (run: EndedRun) => {
    // With --json, stdout gets one document and nothing else, so annotations go to stderr.
    if (request.github) (json ? process.stderr : process.stdout).write(githubAnnotations(run));
  };
  const writeAndPrint = async (run: EndedRun) => {
    await writeAll(request, run);
    print(run);
  };
  return {
    /** Writes all report files. Prints and returns a message for each report that could not be written. */
    write: (outcome: RunOutcome) => writeAll(request, endedRun(outcome)),
    /** Prints the GitHub annotations. They come after all other output. */
    print: (outcome: RunOutcome) => print(endedRun(outcome)),
    /** Writes the reports of a run that failed, so that no older report is taken for the result of this run. */
    writeFailed(failure: Failure) {
      const status = failure.kind === 'lock-held' ? 'lock_conflict' : 'error';
      return writeAndPrint(failedRun({ status, exitCode: exitCode(failure) }, describeFailure(failure)));
    },
    writeInterrupted: (message: Message) => writeAndPrint(failedRun({ status: 'interrupted', exitCode: 130 }, message)),
  };
}

type ReportRequest = {
  readonly files: readonly { readonly format: Format; readonly name: string }[];
  readonly github: boolean;
};

function readFlags(flags: readonly string[], cwd: string): Result<ReportRequest> {
  const files: { format: Format; name: string }[] = [];
  const paths = new Set<string>();
  let github = false;
  for (const flag of flags) {
    const [, format = flag, name = null] = /^([^=]*)=(.*)$/su.exec(flag) ?? [];
    if (format === 'github') {
      if (name !== null)
        return wrong('--report github takes no file, because it writes to the log and the job summary');
      if (github) return twice(format);
      github = true;
      continue;
    }
    if (!isFormat(format)) return wrong(`${quoteName(format)} is not a format of --report`);
    if (name === null || name === '' || name === '-') return wrong(`--report ${format} needs a file`);
    const path = isAbsolute(name) ? normalize(name) : join(cwd, name);
    if (isFolder(path)) return wrong(`--report needs a file, and ${quoteName(name)} is a folder`);
    if (paths.has(path)) return twice(name);
    paths.add(path);
    files.push({ format, name });
  }
  return ok({ files, github });
}

function wrong(what: string) {
  return err({ kind: 'wrong-usage', said: `${what}. Use ${REPORT_FILES}, github.`, command: 'run' });
}

function twice(what: string) {
  return wrong(`--report has ${quoteName(what)} twice, and each report needs its own file`);
}

async function writeAll(request: ReportRequest, run: EndedRun): Promise<readonly string[]> {
  const files = request.files.map(({ format, name }) => ({ name, text: FORMATS[format](run) }));
  const { failures, seen } = await writeReports(workingDirectory(), files);
  const seenByGit = (file: string) =>
    `git does not ignore the report ${quoteName(file)}, so it becomes part of the next change; write it elsewhere or add it to .gitignore`;
  printWarnings(seen.map(seenByGit));
  const summary = request.github ? (process.env['GITHUB_STEP_SUMMARY'] ?? '') : '';
  const appended = summary === '' ? null : await appendReport(summary, githubSummary(run));
  const missing = appended === null || appended.ok ? failures : [...failures, appended.failure];
  return missing.map((failure) => {
    const { what, next } = describeFailure(failure);
    printFailure({ what: `A report is missing: ${what}`, next });
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
