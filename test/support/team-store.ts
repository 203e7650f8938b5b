import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { newDatabase } from './postgres.ts';
import { temporaryFolder } from './repo.ts';

/** Makes the git folder of a clone whose remote no other clone has. */
export function newGitFolder(): string {
  const folder = temporaryFolder();
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  const remote = `[remote "origin"]\n\turl = https://git.example.com/${randomUUID()}\n`;
  writeFileSync(join(folder, 'config'), `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${remote}`);
  return folder;
}

/** Runs the contract of a port with a store for teams too, if PostgreSQL is there. `npm run test:team` starts one. */
export function onPostgres(contract: () => void): void {
  if (process.env['ONCEOVER_TEST_POSTGRES'] === undefined) return;
  describe('with a store for teams', () => {
    let drop = async () => {};
    beforeAll(async () => {
      const database = await newDatabase();
      drop = database.drop;
      process.env['ONCEOVER_STORE'] = database.url;
    });
    afterAll(async () => {
      delete process.env['ONCEOVER_STORE'];
      await drop();
    });
    contract();
  });
}
