import { randomUUID } from 'node:crypto';
import { isRecord } from '@onceover/base/kernel/json';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { parseJson } from '@onceover/base/platform/private-files';
import type { Query } from '@onceover/store/connect';
import type { TeamStore } from '@onceover/store/store';
import { type FindingStore, MOST_CLOSED, readFinding, readResolution } from './finding-files.ts';
import { isFindingId } from './shapes.ts';
import { asRefuted, type Finding, isSameResolution, type KnownFinding, type Resolution } from './types.ts';

/**
 * Two clones that review the same content at the same time share an answer, so they report equal findings. Within this
 * time, an equal finding of another clone counts as the same one. The time covers how long answers are shared, and how
 * long storing the findings takes.
 */
const TWIN_SECONDS = 20 * 60;

/** Returns the fields of a finding that are equal in all clones that got the same answer about the same content. */
function answerOf({ agent, file, line, code, issue, fix, priority, kept, ...finding }: Omit<Finding, 'id'>): string {
  const { gate, scope, slot, content, branch, mergeBase } = finding;
  const place = [gate, scope, slot, content, branch, mergeBase];
  return JSON.stringify([place, agent, file, line, code, issue, fix, priority, kept]);
}

/**
 * Returns the content of a waiver of the finding that is signed. It names the finding, so that the waiver cannot be
 * moved to another one.
 */
function sealedFields(finding: Finding, { how, why, at, by }: Resolution): readonly string[] {
  const { id, gate, file, anchor, priority, issue } = finding;
  return ['resolution', id, gate, JSON.stringify([file, anchor]), priority, issue, how, why, at, by.kind, by.name];
}

type Row = { readonly number: string; readonly document: string; readonly resolution: string | null };

/** Opens the findings of a repository in the store for teams. The number of a deleted finding is never used again. */
export function postgresFindings({ database, repository, clone, seal }: TeamStore): FindingStore {
  const trouble = (action: 'read' | 'write', id: string, code: string) =>
    err({ kind: 'disk', action, path: `${database.where} (${id})`, code });

  /** Returns all findings that are not closed, and the newest of the closed ones. */
  async function all(): Promise<Result<readonly KnownFinding[]>> {
    const rows = await database.query<Row>(
      `SELECT number, document, resolution FROM onceover.findings WHERE repository = $1 AND kept <> 'closed'
       UNION ALL (SELECT number, document, resolution FROM onceover.findings
                  WHERE repository = $1 AND kept = 'closed' ORDER BY number DESC LIMIT ${MOST_CLOSED})
       ORDER BY number`,
      [repository],
    );
    const findings: KnownFinding[] = [];
    for (const { number, document, resolution } of rows) {
      const finding = readFinding(parseJson(document));
      // A finding that cannot be read may be open, so report an error.
      if (finding?.id !== `F${number}`) return trouble('read', `F${number}`, 'not a finding');
      findings.push({ ...finding, ...answerIn(finding, resolution) });
    }
    return ok(findings);
  }

  /** Returns the stored answer to a finding, and whether another clone gave it. */
  function answerIn(finding: Finding, text: string | null): Pick<KnownFinding, 'resolution' | 'isOfOtherClone'> {
    const document = text === null ? null : parseJson(text);
    const resolution = readResolution(document);
    if (resolution === null) return { resolution };
    const expectedSeal = seal(sealedFields(finding, resolution));
    const isOwn = expectedSeal !== null && isRecord(document) && document['seal'] === expectedSeal;
    return { resolution, ...(isOwn ? {} : { isOfOtherClone: true }) };
  }

  /**
   * Stores the findings under the next free numbers. Two clones that review the same content at the same time share a
   * call; findings that the other clone already stored for that answer are not stored twice. If a transaction is
   * repeated with the same `batch`, it returns the findings that it stored before.
   */
  async function store(query: Query, findings: readonly Omit<Finding, 'id'>[], batch: string) {
    // This lock makes the two clones store one after the other, so that the second sees the findings of the first.
    await query('SELECT 1 FROM onceover.repositories WHERE id = $1 FOR NO KEY UPDATE', [repository]);
    const rows = await query<Row & { readonly is_own: boolean }>(
      `SELECT document, batch = $2 AS is_own FROM onceover.findings
       WHERE repository = $1 AND (batch = $2 OR (kept = 'open' AND resolution IS NULL AND batch NOT LIKE $3
         AND written_at > now() - make_interval(secs => $4))) ORDER BY number`,
      [repository, batch, `${clone}:%`, TWIN_SECONDS],
    );
    const there = rows.flatMap(({ document, is_own: isOwn }) => {
      const finding = readFinding(parseJson(document));
      return finding === null || (!isOwn && finding.content === null) ? [] : [finding];
    });
    const twins = findings.map((finding) => {
      const at = there.findIndex((candidate) => answerOf(candidate) === answerOf(finding));
      return at < 0 ? null : (there.splice(at, 1)[0] ?? null);
    });
    const missing = twins.filter((twin) => twin === null).length;
    if (missing === 0) return twins;
    const [row] = await query<{ last: string }>(
      'UPDATE onceover.repositories SET last_finding = last_finding + $2 WHERE id = $1 RETURNING last_finding AS last',
      [repository, missing],
    );
    let next = Number(row?.last) - missing + 1;
    const newFindings: (Finding | null)[] = [];
    const storedFindings = findings.map((finding, n) => {
      const twin = twins[n] ?? null;
      if (twin !== null) return twin;
      const newFinding = readFinding({ ...finding, id: `F${next++}` });
      newFindings.push(newFinding);
      return newFinding;
    });
    if (newFindings.includes(null)) return storedFindings;
    await query(
      `INSERT INTO onceover.findings (repository, number, kept, document, batch)
       SELECT $1, number, kept, document, $2 FROM unnest($3::bigint[], $4::text[], $5::text[]) AS n (number, kept, document)`,
      [
        ...[repository, batch, newFindings.map((finding) => Number(finding?.id.slice(1)))],
        ...[newFindings.map((finding) => finding?.kept), newFindings.map((finding) => JSON.stringify(finding))],
      ],
    );
    return storedFindings;
  }

  return {
    all,
    async add(findings, stop = null) {
      if (findings.length === 0 || stop?.aborted === true) return ok([]);
      const batch = `${clone}:${randomUUID()}`;
      const storedFindings = await database.transaction((query) => store(query, findings, batch));
      const readable = storedFindings.filter((finding) => finding !== null);
      return readable.length === storedFindings.length ? ok(readable) : trouble('write', 'new', 'not a finding');
    },
    async update(finding) {
      const readable = readFinding(finding);
      if (readable === null) return trouble('write', finding.id, 'not a finding');
      const number = Number(finding.id.slice(1));
      await database.transaction(async (query) => {
        await query('UPDATE onceover.repositories SET last_finding = $2 WHERE id = $1 AND last_finding < $2::bigint', [
          repository,
          number,
        ]);
        await query(
          `INSERT INTO onceover.findings (repository, number, kept, document) VALUES ($1, $2, $3, $4)
           ON CONFLICT (repository, number)
           DO UPDATE SET kept = excluded.kept, document = excluded.document, written_at = now()`,
          [repository, number, readable.kept, JSON.stringify(readable)],
        );
      });
      return ok(undefined);
    },
    async resolve(id, resolution) {
      const readable = readResolution(resolution);
      if (readable === null) return trouble('write', id, 'not a resolution');
      const isKnown =
        isFindingId(id) &&
        (await database.transaction(async (query) => {
          const [row] = await query<{ document: string }>(
            'SELECT document FROM onceover.findings WHERE repository = $1 AND number = $2 FOR UPDATE',
            [repository, Number(id.slice(1))],
          );
          if (row === undefined) return false;
          const finding = readFinding(parseJson(row.document));
          const ownSeal = finding === null ? null : seal(sealedFields(finding, readable));
          await setResolution(query, id, { ...readable, seal: ownSeal });
          return true;
        }));
      if (isKnown) return ok(undefined);
      const findings = await all();
      if (!findings.ok) return findings;
      const open = findings.value.filter((finding) => finding.kept === 'open').map((finding) => finding.id);
      return err({ kind: 'unknown-finding', id, known: open });
    },
    async refute(id, claim) {
      if (!isFindingId(id)) return ok(undefined);
      await database.transaction(async (query) => {
        const [row] = await query<{ resolution: string | null }>(
          'SELECT resolution FROM onceover.findings WHERE repository = $1 AND number = $2 FOR UPDATE',
          [repository, Number(id.slice(1))],
        );
        const current = row?.resolution == null ? null : readResolution(parseJson(row.resolution));
        if (current !== null && isSameResolution(current, claim)) await setResolution(query, id, asRefuted(claim));
      });
      return ok(undefined);
    },
  };

  function setResolution(query: Query, id: string, resolution: Resolution & { readonly seal?: string | null }) {
    return query(
      `UPDATE onceover.findings SET resolution = $3, written_at = now()
       WHERE repository = $1 AND number = $2 RETURNING number`,
      [repository, Number(id.slice(1)), JSON.stringify(resolution)],
    );
  }
}
