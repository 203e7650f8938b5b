import { agreementOf, sharedHistory } from '@onceover/agents/ledger/agreement';
import { openLedger } from '@onceover/agents/ledger/store';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { checkFile, statementTime } from '@onceover/passes/check-file';
import { readStatement } from '@onceover/passes/json-statement';
import { openTrusted, type TrustedPasses } from '@onceover/passes/open-trusted';
import type { StoredFile, TravellingStatement } from '@onceover/passes/types';
import { readSettings } from '@onceover/repo/config/effective-settings';
import { describeRefusal, REFUSALS } from '../result/describe/refusals.ts';
import { previewGates, READ_ONLY } from '../run/open-run.ts';
import type { CurrentSlot, ListedStatement, PassList } from './types.ts';

const WHOLE_CHANGE = { kind: 'change', base: null } as const;

/**
 * Lists the passes that other clones share. Also says for each reviewer of the current change whether one of these
 * passes counts.
 */
export async function listPasses(repository: RepositoryPaths): Promise<Result<PassList>> {
  const configuration = await readSettings(repository, WHOLE_CHANGE);
  if (!configuration.ok) return configuration;
  const history = await acceptedSoFar(repository.commonDir);
  const off = { carrier: null, current: [], statements: [], ...history };
  if (configuration.value.settings.passes === null) return ok({ ...off, problem: null });
  const trustedPasses = await openTrusted(repository, configuration.value, { now: () => new Date() });
  if (!trustedPasses.ok) return ok({ ...off, problem: trustedPasses.why });
  const { carrier } = trustedPasses.value;
  const current = await currentSlots(repository);
  if (!current.ok) return current;
  const storedFiles = await carrier.all();
  // An HTTP store cannot list its passes. That is no error, because the passes for the current change can still be
  // shown.
  const isListable =
    storedFiles.ok || storedFiles.failure.kind !== 'passes-carrier' || storedFiles.failure.why !== 'cannot-list';
  if (!storedFiles.ok && isListable) return storedFiles;
  const listedStatements = (storedFiles.ok ? storedFiles.value : []).map((storedFile) =>
    listedStatement(storedFile, trustedPasses.value, current.value),
  );
  return ok({
    ...{ carrier: carrier.name, problem: null, current: current.value, ...history },
    statements: listedStatements.sort((a, b) => byCodePoint(timeOf(b), timeOf(a))),
  });
}

/**
 * Returns how many passes from other clones were used in this clone, and how often a second review (an audit) agreed
 * with them.
 */
export async function acceptedSoFar(commonDir: string): Promise<Pick<PassList, 'accepted' | 'agreement'>> {
  const entries = await openLedger(commonDir).all();
  const { accepted, audits } = sharedHistory(entries.ok ? entries.value.entries : []);
  return { accepted: accepted.length, agreement: agreementOf(audits) };
}

function timeOf({ statement }: ListedStatement): string {
  return statement === null ? '' : statementTime(statement);
}

/** Returns the reviewers of the current change. This fetches nothing, so it shows the state of the last fetch. */
async function currentSlots(repository: RepositoryPaths): Promise<Result<readonly CurrentSlot[]>> {
  const preview = await previewGates(repository, { ...READ_ONLY, allowUnconfigured: true, selection: WHOLE_CHANGE });
  if (!preview.ok) return preview;
  const { facts, ports } = preview.value;
  ports.shared?.close();
  return ok(
    facts.reviews.flatMap(({ gate, slots }) =>
      slots.map(({ slot, shared }) => ({ gate: gate.id, slot, content: gate.content, shared })),
    ),
  );
}

function listedStatement(
  { file }: StoredFile,
  { trust }: TrustedPasses,
  current: readonly CurrentSlot[],
): ListedStatement {
  const content = readStatement(file.statement);
  const statement = content.ok ? content.statement : null;
  const signers = statement?.kind === 'waiver' ? trust.waiverSigners : trust.signers;
  const isAny = (_one: TravellingStatement): _one is TravellingStatement => true;
  const fileCheck = signers === null ? null : checkFile(file, isAny, signers, new Date());
  const signer = fileCheck?.ok === true ? fileCheck.signer.principal : null;
  const currentSlot = current.find((slot) => isAbout(slot, statement));
  const base = { statement, signer, isCurrent: currentSlot !== undefined };
  if (fileCheck === null) return { ...base, counts: false, why: 'waivers.signers is not set on the base branch' };
  if (!fileCheck.ok) return { ...base, counts: false, why: REFUSALS[fileCheck.why] };
  const refusal = currentSlot?.shared?.kind === 'refused' ? currentSlot.shared : null;
  return { ...base, counts: refusal === null, why: refusal === null ? null : describeRefusal(refusal) };
}

function isAbout({ gate, slot, content }: CurrentSlot, statement: TravellingStatement | null): boolean {
  const isPass = statement?.kind === 'pass';
  return isPass && statement.gate === gate && statement.slot === slot && statement.content === content;
}

/** Fetches the newest passes from other clones, and returns the name of their remote or store. */
export async function fetchPasses(repository: RepositoryPaths): Promise<Result<{ readonly carrier: string }>> {
  const trustedPasses = await openConfigured(repository);
  if (!trustedPasses.ok) return trustedPasses;
  const { carrier } = trustedPasses.value;
  const fetchResult = await carrier.fetch(null);
  return fetchResult.ok ? ok({ carrier: carrier.name }) : fetchResult;
}

/** Deletes passes and waivers that are older than `days` (default: the setting `max_age`) or that no one can use. */
export async function prunePasses(
  repository: RepositoryPaths,
  days: number | null,
): Promise<Result<{ readonly carrier: string; readonly removed: number; readonly days: number }>> {
  const trustedPasses = await openConfigured(repository);
  if (!trustedPasses.ok) return trustedPasses;
  const { carrier, policy } = trustedPasses.value;
  const maxDays = days ?? policy.passes.maxAgeDays;
  const limit = Date.now() - maxDays * 24 * 60 * 60 * 1000;
  const pruneResult = await carrier.prune(({ file }) => {
    const content = readStatement(file.statement);
    return !content.ok || Date.parse(statementTime(content.statement)) < limit;
  });
  return pruneResult.ok
    ? ok({ carrier: carrier.name, removed: pruneResult.value.removed, days: maxDays })
    : pruneResult;
}

/** Opens the shared passes that the base branch configures. Fails if it configures none. */
async function openConfigured(repository: RepositoryPaths): Promise<Result<TrustedPasses>> {
  const configuration = await readSettings(repository, WHOLE_CHANGE);
  if (!configuration.ok) return configuration;
  if (configuration.value.settings.passes === null) return err({ kind: 'passes-off', why: { kind: 'not-set' } });
  const trustedPasses = await openTrusted(repository, configuration.value, { now: () => new Date() });
  if (trustedPasses.ok) return ok(trustedPasses.value);
  return trustedPasses.why.kind === 'failed'
    ? err(trustedPasses.why.failure)
    : err({ kind: 'passes-off', why: trustedPasses.why });
}
