import { knownAgents } from '../agents/inspect.ts';
import type { Place } from '../domain/change.ts';
import type { Failure } from '../domain/failure.ts';
import { type QualityCli, QualityGateError, type QualityQuestions } from '../domain/quality.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { SessionReviewer } from '../domain/workflow.ts';
import type { OutputJudge } from '../domain/workflow-outcome.ts';
import { openSnapshots } from '../io/snapshots.ts';
import { type StepName, stepEntry } from '../plan/step-cost.ts';
import { openLedger } from '../stores/ledger.ts';
import { tellFailure } from '../text/failure.ts';
import { openQualityCli, USUAL_AGENT } from './quality-cli.ts';
import { QualityGate } from './quality-gate.ts';
import { agree } from './run.ts';
import { readSettings } from './run-settings.ts';

type Caller = { readonly startedBy: 'person' | 'agent'; readonly stop: AbortSignal | null };
type Accountable = Caller & { lost(failure: Failure): void };

/** Who reviews in a session: whoever is named; else Claude Code where it is here; else whoever makes the outputs. */
export async function chooseReviewer(
  place: Place,
  wish: Caller & { readonly reviewer: string | null; readonly selfReview: boolean },
): Promise<Result<{ readonly reviewer: SessionReviewer; readonly forWantOfReviewer: boolean }>> {
  const self = { kind: 'self' } as const;
  if (wish.selfReview) return done({ reviewer: self, forWantOfReviewer: false });
  const found = await findReviewer(place, wish.reviewer ?? USUAL_AGENT, wish);
  if (found.ok)
    return done({ reviewer: { kind: 'agent', name: wish.reviewer ?? USUAL_AGENT }, forWantOfReviewer: false });
  const isMissed = wish.reviewer === null && found.failure.kind === 'reviewer-not-here';
  return isMissed ? done({ reviewer: self, forWantOfReviewer: true }) : found;
}

/** The gate with its reviewer, who is here and may be started. `lost` hears of what could not be written to the ledger. */
export async function openJudge(
  place: Place,
  reviewer: SessionReviewer,
  caller: Accountable,
  about: StepName,
): Promise<Result<OutputJudge>> {
  if (reviewer.kind === 'self') return done(new QualityGate());
  const found = await findReviewer(place, reviewer.name, caller);
  return found.ok ? done(new QualityGate({ cli: cliOf(place, reviewer.name, caller, about) })) : found;
}

/** Opened with the first question, so that what stands against it is told as the want of a verdict. */
function cliOf(place: Place, agent: string, caller: Accountable, about: StepName): QualityCli {
  const account = openAccount(place, caller, about);
  let opening: ReturnType<typeof openQualityCli> | null = null;
  return {
    async run(call) {
      opening ??= openQualityCli(place.root, { agent, signal: caller.stop }, account);
      const opened = await opening;
      if (!opened.ok) throw new QualityGateError(tellFailure(opened.failure).what);
      try {
        return await opened.value.run(call);
      } finally {
        await account.written();
      }
    },
  };
}

/** Writes down what evaluations cost. That one could not be written down is told, and no want of a verdict. */
function openAccount(place: Place, { startedBy, lost }: Accountable, about: StepName) {
  const ledger = openLedger(place.commonDir);
  let branch: Promise<string | null> | null = null;
  let writing: Promise<unknown> = Promise.resolve();
  return {
    evaluated(questions: QualityQuestions) {
      const at = new Date().toISOString();
      branch ??= branchOf(place);
      const named = branch;
      const before = writing;
      writing = before.then(async () => {
        const kept = await ledger.add(stepEntry(about, questions, { at, startedBy, branch: await named }));
        if (!kept.ok) lost(kept.failure);
      });
    },
    written: () => writing,
  };
}

async function branchOf(place: Place): Promise<string | null> {
  const compared = await openSnapshots(place).compare({ kind: 'uncommitted' }, null);
  return compared.ok ? compared.value.where.branch : null;
}

/** Whether an agent is here and may be started: what the settings say of it must have been agreed to. */
async function findReviewer(place: Place, name: string, { startedBy }: Caller): Promise<Result<void>> {
  const read = await readSettings(place, { kind: 'change', base: null });
  if (!read.ok) return read;
  read.value.parsed.save();
  const { settings, written } = read.value;
  const known = knownAgents(settings.agent, process.env, place.root);
  const agent = known.find((one) => one.agent.name === name);
  if (agent === undefined) {
    return failed({ kind: 'unknown-agent', name, known: known.map((one) => one.agent.name) });
  }
  if (agent.program === null) {
    const found = known.filter(({ program }) => program !== null).map((one) => one.agent.name);
    return failed({ kind: 'reviewer-not-here', name, found });
  }
  const own = agent.settings;
  const isOfSettings = own !== null && (own.command !== null || own.path !== null || Object.keys(own.env).length > 0);
  return isOfSettings ? agree(place, written, startedBy) : done(undefined);
}
