import { planProof, playProof } from '../../api.ts';
import { totalTokens } from '../../kernel/agent.ts';
import { shellWord } from '../../kernel/escape.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { parseBudget } from '../../prove/decide/plan.ts';
import { proofMarkdown } from '../../prove/describe/markdown.ts';
import { describeCases, describeProvePlan } from '../../prove/describe/plan.ts';
import { describeProof } from '../../prove/describe/proof.ts';
import { planDocument, proofDocument } from '../../prove/json.ts';
import type { ProveOptions } from '../../prove/open-proof.ts';
import { CASE_SOURCES, SESSION_MODES } from '../../prove/types.ts';
import { writeReports } from '../../reports/write.ts';
import { describeFailure } from '../../ui/describe-failure.ts';
import { count, tokensOf, usdOf } from '../../ui/wording.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, type Flags, finish, printFailure, workingDirectory } from '../output.ts';

type ProveFlags = Flags<'budget' | 'reviewers' | 'sessions' | 'own' | 'report' | 'kinds', 'yes' | 'set' | 'verbose'> & {
  readonly gate?: readonly string[];
  readonly cases?: number;
  readonly repeat?: number;
  readonly seed?: number;
};

/** Plans a proof or, with `--yes`, plays it. */
export async function proveCommand(flags: ProveFlags): Promise<void> {
  const { json = false, yes = false, verbose = false } = flags;
  const options = readFlags(flags);
  if (!options.ok) return exitWith(options.failure, json);
  const report = reportFile(flags.report);
  if (!report.ok) return exitWith(report.failure, json);
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
  const played = await interruptible(
    (stop) => playProof(workingDirectory(), options.value, { stop, tell: progressLine() }),
    json,
    () => INTERRUPTED,
  );
  if (played !== 'interrupted' && played.ok && report.value !== null) {
    const file = { name: report.value, text: proofMarkdown(played.value) };
    const { failures } = await writeReports(workingDirectory(), [file]);
    for (const failure of failures) printFailure(describeFailure(failure));
  }
  await finish(played, json, {
    document: proofDocument,
    text: describeProof,
    exitCode: ({ end, proofs }) => (end === 'no-verdict' || proofs.length === 0 ? 3 : 0),
  });
}

/** Returns a function that prints one line per case to stderr, with what the proof has cost so far. */
function progressLine() {
  return ({ done, of, title, spent }: Parameters<Parameters<typeof playProof>[2]['tell']>[0]) => {
    const usd = spent.usage?.costUsd ?? null;
    const tokens = spent.usage === null ? '' : `, ${tokensOf(totalTokens(spent.usage))} tokens`;
    const paid = `${count(spent.calls, 'call')}${tokens}${usd === null ? '' : `, ${usdOf(usd)}`}`;
    process.stderr.write(`[${done + 1}/${of}] ${paid} so far: ${title.replace(/[^\x20-\x7e]/g, '?').slice(0, 120)}\n`);
  };
}

const INTERRUPTED = {
  words: {
    what: 'Interrupted: onceover stopped the reviewers and removed the temporary repository. Every answer was kept.',
    next: 'Run the same command again to continue without paying for these answers.',
  },
};

/** Returns the command that plays what was planned. */
function commandOf(args: readonly string[]): string {
  return ['onceover', ...args.map(shellWord), '--yes'].join(' ');
}

function readFlags(flags: ProveFlags): Result<ProveOptions> {
  const budget = flags.budget === undefined ? { usd: null, calls: null } : parseBudget(flags.budget);
  if (budget === null) return wrong('--budget takes dollars, such as 5, or calls, such as "40 calls"');
  const reviewers = listed(flags.reviewers).map(Number);
  if (reviewers.some((one) => !Number.isInteger(one) || one < 1 || one > 10)) {
    return wrong('--reviewers takes numbers from 1 to 10, such as 1,3');
  }
  const sessions = SESSION_MODES.filter((one) => listed(flags.sessions).includes(one));
  if (sessions.length !== listed(flags.sessions).length) return wrong(`--sessions takes ${SESSION_MODES.join(', ')}`);
  const sources = CASE_SOURCES.filter((one) => listed(flags.kinds).includes(one));
  if (sources.length !== listed(flags.kinds).length) return wrong(`--kinds takes ${CASE_SOURCES.join(', ')}`);
  const { gate: gates = [], cases = 20, repeat = 1, seed = 1, set = false, own = null } = flags;
  const modes = sessions.length === 0 ? (['skipped'] as const) : sessions;
  return ok({ gates, cases, repeat, seed, set, own, budget, reviewers, sessions: modes, sources });
}

function listed(text = ''): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function reportFile(flag: string | undefined): Result<string | null> {
  if (flag === undefined) return ok(null);
  const [, name = ''] = /^markdown=(.+)$/s.exec(flag) ?? [];
  return name === '' ? wrong('--report takes markdown=FILE') : ok(name);
}

function wrong(said: string): { readonly ok: false; readonly failure: ReturnType<typeof err>['failure'] } {
  return err({ kind: 'wrong-usage', said: `${said}.`, command: 'prove' });
}
