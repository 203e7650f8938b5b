import { postgresLedger } from '@onceover/agents/ledger/postgres-ledger';
import { maskDocument } from '@onceover/base/kernel/mask-secrets';
import { err, forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { parseJson } from '@onceover/base/platform/private-files';
import { version } from '@onceover/base/version';
import { pricedLedger } from '@onceover/gates/cost/read';
import { summariseCost } from '@onceover/gates/cost/summarise';
import { postgresFindings } from '@onceover/gates/findings/postgres-findings';
import type { KnownFinding } from '@onceover/gates/findings/types';
import { decideResolution, findingsAnsweredWith } from '@onceover/gates/findings/waivers';
import { runSchema } from '@onceover/gates/result/json-schema';
import type { Database } from '@onceover/store/connect';
import type { TeamStore } from '@onceover/store/store';
import { historyDocument } from '@onceover/web/describe-history';
import { fillTemplate } from '@onceover/web/describe-page';
import type { PageDocument } from '@onceover/web/json-schema';
import { readTemplate } from '@onceover/web/page';
import type { ListedRun } from './types.ts';

/** A repository in the team store, with the fields that the list of repositories shows. */
export type ListedRepository = {
  readonly id: number;
  readonly remote: string;
  readonly seen_at: string;
  readonly open_findings: number;
  readonly last_verdict: string | null;
};

const MOST_REPOSITORIES = 2000;

/**
 * Returns the team store as the server uses it. The server is not a clone, so it has no secret with which to sign
 * entries.
 */
function storeOf(database: Database, repository: number): TeamStore {
  return { ...{ database, repository, clone: 'server', login: 'server', isTrusted: true }, seal: () => null };
}

/** Returns all repositories in the team store, the most recently used first. */
export async function listRepositories({ query }: Pick<Database, 'query'>): Promise<readonly ListedRepository[]> {
  type Row = Omit<ListedRepository, 'id'> & { readonly id: string };
  const rows = await query<Row>(
    `SELECT r.id, r.remote, to_char(r.seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS seen_at,
       (SELECT count(*)::int FROM onceover.findings WHERE repository = r.id AND kept = 'open') AS open_findings,
       (SELECT verdict FROM onceover.pull_runs WHERE repository = r.id AND verdict IS NOT NULL
          ORDER BY created_at DESC LIMIT 1) AS last_verdict
     FROM onceover.repositories AS r ORDER BY r.seen_at DESC LIMIT ${MOST_REPOSITORIES}`,
  );
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/**
 * Returns the id of the repository with this normalised remote address; `null` if there is none. If there are several,
 * returns the most recently used one.
 */
export async function repositoryWithRemote({ query }: Pick<Database, 'query'>, remote: string): Promise<number | null> {
  const [row] = await query<{ id: string }>(
    'SELECT id FROM onceover.repositories WHERE remote = $1 ORDER BY seen_at DESC LIMIT 1',
    [remote],
  );
  return row === undefined ? null : Number(row.id);
}

const ONLY_IN_A_CLONE =
  'The state of the gates, the code, proofs and transcripts are only in a clone: run "onceover ui" there';

/** The subject of one of the server's report pages: a repository, or one run of a pull request. */
export type StorePageSubject = {
  readonly repository: number | null;
  readonly name: string;
  readonly run: (ListedRun & { readonly document: string | null }) | null;
};

/**
 * Returns the report page of a repository, with its history, its costs and the result of a review run if one is given.
 */
export async function storePage(
  database: Database,
  { repository, name, run }: StorePageSubject,
): Promise<Result<string>> {
  const template = readTemplate();
  if (!template.ok) return template;
  const ledger = repository === null ? null : await pricedLedger(postgresLedger(storeOf(database, repository)));
  if (ledger?.ok === false) return ledger;
  const parsedRun = runSchema.safeParse(run?.document == null ? null : parseJson(run.document));
  const { entries, unreadable, priceOf } = ledger?.value ?? { entries: [], unreadable: 0, priceOf: () => null };
  const isError = run !== null && !parsedRun.success;
  const page: PageDocument = {
    page: parsedRun.success ? 'run' : 'status',
    made_at: new Date().toISOString(),
    version,
    project: name,
    branch: run === null ? null : `#${run.number}`,
    verdict: run === null ? [`History of ${name}`] : [`Pull request #${run.number}: ${run.verdict ?? run.state}`],
    run: parsedRun.success ? parsedRun.data : null,
    error: isError
      ? { kind: run.verdict ?? run.state, message: run.said ?? 'The run has no result yet.', next: '' }
      : null,
    ...{ proof: [], explanations: [], code: [], timelines: [], logs: [], transcripts: [] },
    ...{ feature: null, phase: null, prove: null },
    history: historyDocument(entries, unreadable, priceOf),
    cost: summariseCost(entries, { since: null, branch: null }, unreadable, priceOf),
    missing: [ONLY_IN_A_CLONE],
  };
  return ok(fillTemplate(template.value, maskDocument(page)));
}

/**
 * Returns the open findings of a repository. Findings on pull requests from forks are not in the team store, only in
 * the server's clones.
 */
export async function openStoreFindings(
  database: Database,
  repository: number,
): Promise<Result<readonly KnownFinding[]>> {
  const findings = await postgresFindings(storeOf(database, repository)).all();
  return findings.ok
    ? ok(findings.value.filter(({ kept, cycleEnded }) => kept === 'open' && cycleEnded !== true))
    : findings;
}

export type WaiverWish = { readonly id: string; readonly why: string; readonly by: string };

/** Waives a finding and the findings of other reviewers about the same code. Returns the ids of all waived findings. */
export async function waiveInStore(
  database: Database,
  repository: number,
  { id, why, by }: WaiverWish,
): Promise<Result<readonly string[]>> {
  const findings = postgresFindings(storeOf(database, repository));
  const knownFindings = await findings.all();
  if (!knownFindings.ok) return knownFindings;
  const target = knownFindings.value.find((candidate) => candidate.id === id);
  if (target === undefined) return err({ kind: 'unknown-finding', id, known: [] });
  if (target.kept !== 'open') return err({ kind: 'finding-closed', id });
  const answer = { how: 'skipped', why } as const;
  const at = new Date().toISOString();
  const waivedIds: string[] = [];
  const result = await forEachOk(
    [target, ...findingsAnsweredWith(target, knownFindings.value, answer)],
    async (finding) => {
      // The server has checked that the user has the scope "waive", so the decision counts as made by a person.
      const decision = decideResolution(
        finding,
        answer,
        { kind: 'person', name: by },
        { who: 'people', isInRun: false, at },
      );
      if (!decision.ok) return decision;
      waivedIds.push(finding.id);
      return decision.value === null ? ok(undefined) : findings.resolve(finding.id, decision.value);
    },
  );
  return result.ok ? ok(waivedIds) : result;
}
