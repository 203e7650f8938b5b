import type { Query } from '@onceover/store/connect';
import type { TeamStore } from '@onceover/store/store';
import { storeResult } from '@onceover/store/store-error';
import { distinctFiles, fileName, isPassKey, isStorable } from './stored-files.ts';
import type { PassCarrier, SignedFile, StoredFile } from './types.ts';

type Row = { readonly key: string; readonly statement: Buffer; readonly signature: Buffer };

/** Shares signed passes and waivers through the store for teams. It does not verify signatures; its callers do. */
export function postgresCarrier(name: string, open: () => Promise<TeamStore>): PassCarrier {
  const COLUMNS = 'SELECT key, statement, signature FROM onceover.statements WHERE repository = $1';

  async function insert(query: Query, repository: number, { key, file }: StoredFile): Promise<number> {
    const rows = await query(
      `INSERT INTO onceover.statements (repository, key, name, statement, signature) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING key`,
      [repository, key, fileName(file), file.statement, Buffer.from(file.signature)],
    );
    return rows.length;
  }

  async function readAll(): Promise<readonly StoredFile[]> {
    const { database, repository } = await open();
    const rows = await database.query<Row>(`${COLUMNS} ORDER BY key, name`, [repository]);
    return rows.map((row) => ({ key: row.key, file: asFile(row) }));
  }

  return {
    name,
    isFresh: () => false,
    // `find` always reads the newest files from the database, so only open the connection here.
    fetch: () => storeResult(open().then(() => false)),
    find: (keys) =>
      storeResult(
        (async () => {
          const { database, repository } = await open();
          const passKeys = [...new Set(keys.filter(isPassKey))];
          const sql = `${COLUMNS} AND key = ANY($2::text[]) ORDER BY key, name`;
          const filesByKey = new Map<string, SignedFile[]>();
          for (const row of await database.query<Row>(sql, [repository, passKeys])) {
            filesByKey.set(row.key, [...(filesByKey.get(row.key) ?? []), asFile(row)]);
          }
          return filesByKey;
        })(),
      ),
    all: () => storeResult(readAll()),
    push: (files) =>
      storeResult(
        (async () => {
          const { database, repository } = await open();
          const addedCount = await database.transaction(async (query) => {
            let count = 0;
            for (const file of distinctFiles(files.filter(isStorable))) count += await insert(query, repository, file);
            return count;
          });
          return { added: addedCount };
        })(),
      ),
    prune: (isOld) =>
      storeResult(
        (async () => {
          const { database, repository } = await open();
          const old = (await readAll()).filter(isOld);
          const removedRows = await database.query(
            `DELETE FROM onceover.statements
             WHERE repository = $1 AND (key, name) IN (SELECT * FROM unnest($2::text[], $3::text[])) RETURNING key`,
            [repository, old.map(({ key }) => key), old.map(({ file }) => fileName(file))],
          );
          return { removed: removedRows.length };
        })(),
      ),
  };
}

function asFile({ statement, signature }: Row): SignedFile {
  return { statement, signature: signature.toString('utf8') };
}
