import { basename } from 'node:path';
import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import { maskDocument } from '@onceover/base/kernel/mask-secrets';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { version } from '@onceover/base/version';
import { readLedger } from '@onceover/gates/cost/read';
import { summariseCost } from '@onceover/gates/cost/summarise';
import { explainGates } from '@onceover/gates/explain/explain';
import type { RunDocument } from '@onceover/gates/result/json';
import type { Preview } from '@onceover/gates/run/open-run';
import { knownScores } from '@onceover/prove/known-proofs';
import { readSettings } from '@onceover/repo/config/effective-settings';
import { historyDocument, withTranscripts } from './describe-history.ts';
import { timelinesOf } from './describe-timeline.ts';
import type { HistoryDocument, PageDocument } from './json-schema.ts';
import type { OpenableTranscript } from './read-archived.ts';
import { readCode, readProof } from './read-gates.ts';
import { allTranscripts, gateTranscripts, phaseTranscripts, readTranscripts } from './read-transcripts.ts';

/** The result that a page shows. The page leaves out the parts that this result does not have. */
export type PageSubject = Pick<PageDocument, 'page'> &
  Partial<Pick<PageDocument, 'verdict' | 'error' | 'cost' | 'feature' | 'phase' | 'prove'>> & {
    /** The result of the run; `null` to show only the current state of the gates. */
    readonly run?: RunDocument | null;
  };

/**
 * Returns the data of a page: the state of the gates and their records, the history, and the costs. With `isWhole`, it
 * includes the text of transcripts. Secrets are masked. If something cannot be read, `missing` says so, and the page
 * shows the rest.
 */
export async function readPage(
  repository: RepositoryPaths,
  previewResult: Result<Preview> | null,
  subject: PageSubject,
  isWhole: boolean,
): Promise<PageDocument> {
  const missing: string[] = [];
  const ledger = await readLedger(repository);
  if (previewResult?.ok === false) missing.push(`Gates: ${describeFailure(previewResult.failure).what}`);
  if (!ledger.ok) missing.push(`History: ${describeFailure(ledger.failure).what}`);
  const preview = previewResult?.ok === true ? previewResult.value : null;
  const { entries, unreadable, priceOf } = ledger.ok
    ? ledger.value
    : { entries: [], unreadable: 0, priceOf: () => null };
  const document: PageDocument = {
    made_at: new Date().toISOString(),
    version,
    project: basename(repository.root),
    branch: preview?.facts.comparison.where.branch?.replace(/^refs\/heads\//, '') ?? null,
    verdict: [],
    error: null,
    feature: null,
    phase: null,
    prove: null,
    ...(await gateParts(
      repository,
      preview,
      ledger.ok ? ledger.value.entries.filter((entry) => entry.kind === 'run') : [],
    )),
    history: ledger.ok ? historyDocument(entries, unreadable, priceOf) : NO_HISTORY,
    cost: ledger.ok ? summariseCost(entries, { since: null, branch: null }, unreadable, priceOf) : null,
    logs: [],
    transcripts: [],
    missing,
    ...subject,
    run: subject.run ?? null,
  };
  const sources = await storedTranscripts(repository, preview, entries, document);
  const logs = sources.map(({ listed }) => listed);
  const calls = withTranscripts(document.history.calls, logs, document.branch);
  const pageDocument = { ...document, logs, history: { ...document.history, calls } };
  if (!isWhole) return maskDocument(pageDocument);
  const { transcripts, leftOut } = readTranscripts(sources);
  const cut = leftOut === 0 ? [] : [`Transcripts: ${leftOut} are left out, because the page would be too large`];
  return maskDocument({ ...pageDocument, transcripts: [...transcripts], missing: [...missing, ...cut] });
}

/** Returns the transcripts that belong to a page: those of its phase, of its run, or of the whole working tree. */
async function storedTranscripts(
  repository: RepositoryPaths,
  preview: Preview | null,
  entries: readonly LedgerEntry[],
  { page, phase }: Pick<PageDocument, 'page' | 'phase'>,
): Promise<readonly OpenableTranscript[]> {
  if (phase !== null) {
    const runSettings = await readSettings(repository, { kind: 'change', base: null });
    return runSettings.ok
      ? phaseTranscripts(repository.root, runSettings.value.settings.logDir, entries, phase.loop_id)
      : [];
  }
  if (preview === null) return [];
  return page === 'run' ? gateTranscripts(repository.root, preview) : allTranscripts(repository, preview, entries);
}

type GateParts = Pick<PageDocument, 'proof' | 'explanations' | 'code' | 'timelines'>;

async function gateParts(
  repository: RepositoryPaths,
  preview: Preview | null,
  runs: Parameters<typeof timelinesOf>[2],
): Promise<GateParts> {
  if (preview === null) return { proof: [], explanations: [], code: [], timelines: [] };
  const { outcome, facts } = preview;
  const [proof, explanations, code] = await Promise.all([
    readProof(preview),
    explainGates(repository, preview, knownScores),
    readCode(preview),
  ]);
  const { branch } = facts.comparison.where;
  const branchRuns = runs.filter((run) => run.branch === branch);
  const records = { slots: facts.reviews.flatMap(({ cycle }) => cycle), checks: facts.past.checks };
  const timelines = timelinesOf(
    outcome.gates.map(({ id }) => id),
    records,
    branchRuns,
  );
  return { proof: [...proof], explanations: [...explanations], code: [...code], timelines: [...timelines] };
}

const NO_HISTORY: HistoryDocument = { runs: [], calls: [], days: [], weeks: [], gates: [], unreadable_entries: 0 };
