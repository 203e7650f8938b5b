import { totalTokens } from '@onceover/base/kernel/agent';
import { shellWord } from '@onceover/base/kernel/escape';
import type { Failure } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { count, tokensOf, usdOf } from '@onceover/base/ui/wording';
import { writeReports } from '@onceover/gates/reports/write';
import { parseBudget } from '@onceover/prove/decide/plan';
import { proofMarkdown } from '@onceover/prove/describe/markdown';
import { describeCases, describeProvePlan } from '@onceover/prove/describe/plan';
import { describeProof, describeProofTitle, proofNotes } from '@onceover/prove/describe/proof';
import { planDocument, proofDocument } from '@onceover/prove/json';
import type { ProveOptions } from '@onceover/prove/open-proof';
import type { PlayedProve } from '@onceover/prove/result-types';
import { CASE_SOURCES, READING_MODES, SESSION_MODES } from '@onceover/prove/types';
import { planProof, playProof, recordsPage } from '../../api.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, type Flags, finish, printFailure, workingDirectory } from '../output.ts';

type ProveFlags = Flags<
  'budget' | 'reviewers' | 'sessions' | 'reading' | 'own' | 'kinds',
  'yes' | 'set' | 'verbose' | 'remote'
> & {
  readonly report?: readonly string[];
  readonly gate?: readonly string[];
  readonly cases?: number;
  readonly repeat?: number;
  readonly seed?: number;
};

/** Plans a proof, which tests the reviewers with planted mistakes. With `--yes`, runs it. */
export async function proveCommand(flags: ProveFlags): Promise<void> {
  const { json = false, yes = false, verbose = false } = flags;
  const options = readFlags(flags);
  if (!options.ok) return exitWith(options.failure, json);
  const reports = (flags.report ?? []).map(reportFile);
  const wrongReport = reports.find((report) => !report.ok);
  if (wrongReport?.ok === false) return exitWith(wrongReport.failure, json);
  if (!yes) {
    return finish(await planProof(workingDirectory(), options.value), json, {
      document: planDocument,
      text: (plan, style) =>
        [
          describeProvePlan(plan, style, commandOf(process.argv.slice(2))),
          ...(verbose ? [describeCases(plan)] : []),
        ].join('\n\n'),
    });
  }
  const proofResult = await interruptible(
    (stop) => playProof(workingDirectory(), options.value, { stop, tell: progressLine() }),
    json,
    () => INTERRUPTED,
  );
  const reportFiles = reports.flatMap((report) => (report.ok ? [report.value] : []));
  const isWritten =
    proofResult === 'interrupted' || !proofResult.ok || (await writeProof(proofResult.value, reportFiles));
  await finish(proofResult, json, {
    document: proofDocument,
    text: describeProof,
    exitCode: ({ end, proofs }) => (end === 'no-verdict' || proofs.length === 0 || !isWritten ? 3 : 0),
  });
}

type ProofReport = { readonly format: 'markdown' | 'html'; readonly name: string };

/**
 * Writes the reports of a proof (a test of the reviewers). Prints an error for each that could not be written, and
 * returns whether all were written.
 */
async function writeProof(proof: PlayedProve, reports: readonly ProofReport[]): Promise<boolean> {
  const files: { name: string; text: string }[] = [];
  const missing: Failure[] = [];
  for (const { format, name } of reports) {
    const text = format === 'markdown' ? ok(proofMarkdown(proof)) : await proofPage(proof);
    if (text.ok) files.push({ name, text: text.value });
    else missing.push(text.failure);
  }
  const { failures } = await writeReports(workingDirectory(), files);
  for (const failure of [...missing, ...failures]) printFailure(describeFailure(failure));
  return missing.length + failures.length === 0;
}

function proofPage(proof: PlayedProve): Promise<Result<string>> {
  const verdict = [describeProofTitle(proof), ...proofNotes(proof)];
  return recordsPage(workingDirectory(), { page: 'prove', verdict, prove: proofDocument(proof) });
}

/** Returns a function that prints one line for each planted mistake to stderr, with the cost so far. */
function progressLine() {
  return ({ number, of, review, reviews, title, spent }: Parameters<Parameters<typeof playProof>[2]['tell']>[0]) => {
    const usd = spent.usage?.costUsd ?? null;
    const tokens = spent.usage === null ? '' : `, ${tokensOf(totalTokens(spent.usage))} tokens`;
    const spending = `${count(spent.calls, 'call')}${tokens}${usd === null ? '' : `, ${usdOf(usd)}`}`;
    const place = reviews === 1 ? '' : `, review ${review} of ${reviews}`;
    process.stderr.write(
      `[${number}/${of}${place}] ${spending} so far: ${title.replace(/[^\x20-\x7e]/g, '?').slice(0, 120)}\n`,
    );
  };
}

const INTERRUPTED = {
  words: {
    what: 'Interrupted: onceover stopped the reviewers and removed the temporary repository. Every answer was kept.',
    next: 'Run the same command again to continue without paying for these answers.',
  },
};

/** Returns the command that runs the planned proof (a test of the reviewers). */
function commandOf(args: readonly string[]): string {
  return ['onceover', ...args.map(shellWord), '--yes'].join(' ');
}

function readFlags(flags: ProveFlags): Result<ProveOptions> {
  const budget = flags.budget === undefined ? { usd: null, calls: null } : parseBudget(flags.budget);
  if (budget === null) return wrong('--budget takes dollars, such as 5, or calls, such as "40 calls"');
  const reviewers = wordsOf(flags.reviewers).map(Number);
  if (reviewers.some((number) => !Number.isInteger(number) || number < 1 || number > 10)) {
    return wrong('--reviewers takes numbers from 1 to 10, such as 1,3');
  }
  const sessions = SESSION_MODES.filter((mode) => wordsOf(flags.sessions).includes(mode));
  if (sessions.length !== wordsOf(flags.sessions).length) return wrong(`--sessions takes ${SESSION_MODES.join(', ')}`);
  const readings = READING_MODES.filter((mode) => wordsOf(flags.reading).includes(mode));
  if (readings.length !== wordsOf(flags.reading).length) return wrong(`--reading takes ${READING_MODES.join(', ')}`);
  const sources = CASE_SOURCES.filter((source) => wordsOf(flags.kinds).includes(source));
  if (sources.length !== wordsOf(flags.kinds).length) return wrong(`--kinds takes ${CASE_SOURCES.join(', ')}`);
  const { gate: gates = [], cases = 20, repeat = 1, seed = 1, set = false, own = null } = flags;
  const modes = sessions.length === 0 ? (['skipped'] as const) : sessions;
  const { remote } = flags;
  const place = remote === undefined ? {} : { remote };
  return ok({ gates, cases, repeat, seed, set, own, budget, reviewers, sessions: modes, readings, sources, ...place });
}

function wordsOf(text = ''): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function reportFile(flag: string): Result<ProofReport> {
  const [, format, name = ''] = /^(markdown|html)=(.+)$/s.exec(flag) ?? [];
  return name === ''
    ? wrong('--report of "onceover prove" takes html=FILE or markdown=FILE')
    : ok({ format: format === 'html' ? 'html' : 'markdown', name });
}

function wrong(message: string): { readonly ok: false; readonly failure: ReturnType<typeof err>['failure'] } {
  return err({ kind: 'wrong-usage', said: `${message}.`, command: 'prove' });
}
