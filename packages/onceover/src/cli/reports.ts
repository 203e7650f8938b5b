import { statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { quoteName } from '@onceover/base/kernel/escape';
import { exitCode, type Failure } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import type { Message } from '@onceover/base/ui/wording';
import { type EndedRun, endedRun, failedRun } from '@onceover/gates/reports/finished-run';
import { FORMATS } from '@onceover/gates/reports/formats';
import { githubAnnotations, githubSummary } from '@onceover/gates/reports/github';
import { type Format, isFileFormat, REPORT_FILES } from '@onceover/gates/reports/types';
import { appendReport, writeReports } from '@onceover/gates/reports/write';
import { runDocument } from '@onceover/gates/result/json';
import type { RunOutcome } from '@onceover/gates/result/types';
import { type RunRequestOptions, runPage } from '../api.ts';
import { printFailure, printWarnings, workingDirectory } from './output.ts';

export type Reports = ReturnType<typeof reportsFor>;

/** Returns functions that write the reports that the `--report` flags ask for. */
export function openReports(
  flags: readonly string[],
  { json, run }: { readonly json: boolean; readonly run: RunRequestOptions },
): Result<Reports> {
  const request = readFlags(flags, workingDirectory());
  return request.ok ? ok(reportsFor({ ...request.value, run }, json)) : request;
}

function reportsFor(request: ReportRequest & { readonly run: RunRequestOptions }, json: boolean) {
  const print = (run: EndedRun) => {
    // With --json, stdout must contain only the JSON document, so annotations go to stderr.
    if (request.github) (json ? process.stderr : process.stdout).write(githubAnnotations(run));
  };
  const writeAndPrint = async (run: EndedRun) => {
    await writeAll(request, run);
    print(run);
  };
  return {
    /** Writes all report files. Prints and returns a message for each report that could not be written. */
    write: (outcome: RunOutcome) => writeAll(request, endedRun(outcome)),
    /** Prints the annotations for GitHub. Call this after all other output. */
    print: (outcome: RunOutcome) => print(endedRun(outcome)),
    /**
     * Writes the reports of a run that failed. Otherwise, an older report could be mistaken for the result of this run.
     */
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
    if (!isFileFormat(format)) return wrong(`${quoteName(format)} is not a format of --report`);
    if (name === null || name === '' || name === '-') return wrong(`--report ${format} needs a file`);
    const path = isAbsolute(name) ? normalize(name) : join(cwd, name);
    if (isFolder(path)) return wrong(`--report needs a file, and ${quoteName(name)} is a folder`);
    if (paths.has(path)) return twice(name);
    paths.add(path);
    files.push({ format, name });
  }
  return ok({ files, github });
}

function wrong(mistake: string) {
  return err({ kind: 'wrong-usage', said: `${mistake}. Use ${REPORT_FILES}, github.`, command: 'run' });
}

function twice(target: string) {
  return wrong(`--report has ${quoteName(target)} twice, and each report needs its own file`);
}

async function writeAll(
  request: ReportRequest & { readonly run: RunRequestOptions },
  run: EndedRun,
): Promise<readonly string[]> {
  const files: { name: string; text: string }[] = [];
  const unmade: Failure[] = [];
  for (const { format, name } of request.files) {
    const text = format === 'html' ? await runHtml(request.run, run) : ok(FORMATS[format](run));
    if (text.ok) files.push({ name, text: text.value });
    else unmade.push(text.failure);
  }
  const writeFailures = await writeFiles(files);
  const summary = request.github ? (process.env['GITHUB_STEP_SUMMARY'] ?? '') : '';
  const summaryResult = summary === '' ? null : await appendReport(summary, githubSummary(run));
  return tellMissing([
    ...unmade,
    ...writeFailures,
    ...(summaryResult === null || summaryResult.ok ? [] : [summaryResult.failure]),
  ]);
}

/** Writes report files. Prints a warning for each file that git does not ignore, and returns the failures. */
async function writeFiles(files: readonly { name: string; text: string }[]): Promise<readonly Failure[]> {
  const { failures, seen } = await writeReports(workingDirectory(), files);
  const seenByGit = (file: string) =>
    `git does not ignore the report ${quoteName(file)}, so it becomes part of the next change; write it elsewhere or add it to .gitignore`;
  printWarnings(seen.map(seenByGit));
  return failures;
}

/** Prints and returns a message for each report that could not be written. */
function tellMissing(failures: readonly Failure[]): readonly string[] {
  return failures.map((failure) => {
    const { what, next } = describeFailure(failure);
    printFailure({ what: `A report is missing: ${what}`, next });
    return `a report is missing: ${what}`;
  });
}

/** Returns the HTML page about a run. If the run has no result, the page shows the error. */
function runHtml(request: RunRequestOptions, { outcome, verdict, status }: EndedRun): Promise<Result<string>> {
  const [, message = '', next = ''] = verdict;
  return runPage(workingDirectory(), request, {
    page: 'run',
    verdict: [...verdict],
    run: outcome === null ? null : runDocument(outcome),
    error: outcome === null ? { kind: status, message, next } : null,
  });
}

/** The flag of a command whose only report is an HTML page. */
export type PageFlags = { readonly report?: readonly string[] };

/** Returns the files that `--report html=FILE` names, for a command that has no other report. */
export function pageFiles({ report = [] }: PageFlags, command: string): Result<readonly string[]> {
  const request = readFlags(report, workingDirectory());
  if (!request.ok) return request;
  const { files, github } = request.value;
  if (!github && files.every(({ format }) => format === 'html')) return ok(files.map(({ name }) => name));
  return err({ kind: 'wrong-usage', said: `--report of "onceover ${command}" takes html=FILE only.`, command });
}

/** Writes an HTML page to each of these files. Returns a message for each file that could not be written. */
export async function writePages(names: readonly string[], page: Result<string>): Promise<readonly string[]> {
  if (!page.ok) return tellMissing([page.failure]);
  return tellMissing(await writeFiles(names.map((name) => ({ name, text: page.value }))));
}

function isFolder(path: string): boolean {
  if (path.endsWith('/')) return true;
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
