import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { Failure, StoreTrouble } from '../kernel/failure.ts';
import { version } from '../version.ts';
import type { Message } from './wording.ts';

type StoreFailure = Extract<Failure, { kind: 'store-failed' }>;

/** Returns the message for a PostgreSQL store that cannot be used. */
export function describeStoreFailure({ where, why, said }: StoreFailure): Message {
  const [problem, next] = TROUBLE[why];
  const words = said === '' ? '' : `\n  ${said.split('\n').map(showInvisible).join('\n  ')}`;
  return {
    what: `${problem.replace('WHERE', () => quoteName(where))}${words}`,
    next: next.replace('WHERE', () => quoteName(where)),
  };
}

const AWAY = 'To use the files of this clone for one run, run "ONCEOVER_STORE= onceover run".';

const TROUBLE: Readonly<Record<StoreTrouble, readonly [what: string, next: string]>> = {
  'no-address': [
    'No store for teams is configured.',
    'Set ONCEOVER_STORE to an address such as "postgres://user@host:5432/onceover", or write it as "store" into WHERE.',
  ],
  'bad-address': [
    'WHERE does not name a PostgreSQL database.',
    'Use an address such as "postgres://user@host:5432/onceover", in ONCEOVER_STORE or in your own config file.',
  ],
  'no-package': [
    'The store for teams, the server and the workers need the package @onceover/team, which is not installed next to onceover.',
    `Install it with "npm install --global @onceover/team@${version}". ${AWAY}`,
  ],
  unreachable: [
    'The store WHERE did not answer, so nothing was judged.',
    `Check that PostgreSQL is running and that this machine can reach it, and run again. ${AWAY}`,
  ],
  refused: [
    'The store WHERE refused the connection.',
    'Check the user, the password and the name of the database in the address, and run again.',
  ],
  timeout: ['The store WHERE took too long to answer, so nothing was judged.', `Run again. ${AWAY}`],
  damaged: [
    'The store WHERE reported an error of its own, so nothing was judged.',
    'Look into the log of PostgreSQL: its disk may be full or damaged. Then run again.',
  ],
  'no-worker': [
    'No worker is connected to the store WHERE, so no reviewer could run.',
    'Start one on a machine whose agents are logged in, with "onceover worker --agents claude", and run again.',
  ],
  'newer-schema': [
    'A newer version of onceover has changed the store WHERE.',
    'Install the newer version of onceover on this machine too, and run again.',
  ],
  'shallow-clone': [
    'This shallow clone does not know its first commit, and the store WHERE does not know its remote.',
    'Fetch all commits with "git fetch --unshallow", and run again.',
  ],
};
