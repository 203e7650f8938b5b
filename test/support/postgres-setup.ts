import { hasPostgres, startPostgres } from './postgres-server.mjs';

/** Starts one server for all files of `npm run test:team`, and removes it at the end. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!hasPostgres) {
    console.log(
      'Tests of the store for teams are skipped: there is no PostgreSQL. Install the Debian package "postgresql".',
    );
    return undefined;
  }
  if (process.env['ONCEOVER_TEST_POSTGRES'] !== undefined) return undefined;
  const server = await startPostgres();
  // The processes of the tests inherit the variable.
  process.env['ONCEOVER_TEST_POSTGRES'] = server.url;
  return async () => {
    delete process.env['ONCEOVER_TEST_POSTGRES'];
    await server.remove();
  };
}
