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
import { describeRefusal, REFUSALS } from '../result/describe/shared.ts';
import { previewGates, READ_ONLY } from '../run/open-run.ts';
import type { CurrentSlot, ListedStatement, PassList } from './types.ts';

const WHOLE_CHANGE = { kind: 'change', base: null } as const;

/**
 * Lists the passes that other clones share. Also says for each reviewer of the current change whether one of these
 * passes counts.
 */
export async function listPasses(repository: RepositoryPaths): Promise<Result<PassList>> {
  const read = await readSettings(repository, WHOLE_CHANGE);
  if (!read.ok) return read;
  const history = await acceptedSoFar(repository.commonDir);
  const off = { carrier: null, current: [], statements: [], ...history };
  if (read.value.settings.passes === null) return ok({ ...off, problem: null });
  const opened = await openTrusted(repository, read.value, { now: () => new Date() });
  if (!opened.ok) return ok({ ...off, problem: opened.why });
  const { carrier } = opened.value;
  const current = await currentSlots(repository);
  if (!current.ok) return current;
  const all = await carrier.all();
  // An HTTP store cannot list its passes. That is no error, because the passes for the current change can still be
  // shown.
  const isListable = all.ok || all.failure.kind !== 'passes-carrier' || all.failure.why !== 'cannot-list';
  if (!all.ok && isListable) return all;
  const listed = (all.ok ? all.value : []).map((stored) => listedStatement(stored, opened.value, current.value));
  return ok({
    ...{ carrier: carrier.name, problem: null, current: current.value, ...history },
    statements: listed.sort((a, b) => byCodePoint(timeOf(b), timeOf(a))),
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
  const previewed = await previewGates(repository, { ...READ_ONLY, allowUnconfigured: true, selection: WHOLE_CHANGE });
  if (!previewed.ok) return previewed;
  const { facts, ports } = previewed.value;
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
  const read = readStatement(file.statement);
  const statement = read.ok ? read.statement : null;
  const signers = statement?.kind === 'waiver' ? trust.waiverSigners : trust.signers;
  const isAny = (_one: TravellingStatement): _one is TravellingStatement => true;
  const checked = signers === null ? null : checkFile(file, isAny, signers, new Date());
  const signer = checked?.ok === true ? checked.signer.principal : null;
  const own = current.find((one) => isAbout(one, statement));
  const base = { statement, signer, isCurrent: own !== undefined };
  if (checked === null) return { ...base, counts: false, why: 'waivers.signers is not set on the base branch' };
  if (!checked.ok) return { ...base, counts: false, why: REFUSALS[checked.why] };
  const refused = own?.shared?.kind === 'refused' ? own.shared : null;
  return { ...base, counts: refused === null, why: refused === null ? null : describeRefusal(refused) };
}

function isAbout({ gate, slot, content }: CurrentSlot, statement: TravellingStatement | null): boolean {
  const isPass = statement?.kind === 'pass';
  return isPass && statement.gate === gate && statement.slot === slot && statement.content === content;
}

/** Fetches the newest passes from other clones, and returns the name of their remote or store. */
export async function fetchPasses(repository: RepositoryPaths): Promise<Result<{ readonly carrier: string }>> {
  const opened = await openConfigured(repository);
  if (!opened.ok) return opened;
  const { carrier } = opened.value;
  const fetched = await carrier.fetch(null);
  return fetched.ok ? ok({ carrier: carrier.name }) : fetched;
}

/** Deletes passes and waivers that are older than `days` (default: the setting `max_age`) or that no one can use. */
export async function prunePasses(
  repository: RepositoryPaths,
  days: number | null,
): Promise<Result<{ readonly carrier: string; readonly removed: number; readonly days: number }>> {
  const opened = await openConfigured(repository);
  if (!opened.ok) return opened;
  const { carrier, policy } = opened.value;
  const most = days ?? policy.passes.maxAgeDays;
  const limit = Date.now() - most * 24 * 60 * 60 * 1000;
  const pruned = await carrier.prune(({ file }) => {
    const read = readStatement(file.statement);
    return !read.ok || Date.parse(statementTime(read.statement)) < limit;
  });
  return pruned.ok ? ok({ carrier: carrier.name, removed: pruned.value.removed, days: most }) : pruned;
}

/** Opens the shared passes that the base branch configures. Fails if it configures none. */
async function openConfigured(repository: RepositoryPaths): Promise<Result<TrustedPasses>> {
  const read = await readSettings(repository, WHOLE_CHANGE);
  if (!read.ok) return read;
  if (read.value.settings.passes === null) return err({ kind: 'passes-off', why: { kind: 'not-set' } });
  const opened = await openTrusted(repository, read.value, { now: () => new Date() });
  if (opened.ok) return ok(opened.value);
  return opened.why.kind === 'failed' ? err(opened.why.failure) : err({ kind: 'passes-off', why: opened.why });
}
