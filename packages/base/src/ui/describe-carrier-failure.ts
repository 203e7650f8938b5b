import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { CarrierTrouble, Failure } from '../kernel/failure.ts';
import { asShellWord, type Message } from './wording.ts';

type CarrierFailure = Extract<Failure, { kind: 'passes-carrier' }>;

/** Returns the message for a git remote or HTTP store through which passes cannot be shared. */
export function describeCarrierFailure({ where, why, said }: CarrierFailure): Message {
  const [problem, next] = TROUBLE[why];
  const words = said === '' ? '' : `\n  ${said.split('\n').map(showInvisible).join('\n  ')}`;
  return {
    what: `${problem.replace('WHERE', () => quoteName(where))}${words}`,
    next: next.replace('WHERE', () => asShellWord(where)),
  };
}

const AGAIN = 'Try again with "onceover passes fetch".';

const TROUBLE: Readonly<Record<CarrierTrouble, readonly [what: string, next: string]>> = {
  'not-a-remote': [
    'WHERE is not the name of a git remote of this clone, so onceover fetches no passes.',
    'List the remotes with "git remote -v" and correct "remote" below "passes" in onceover.yml.',
  ],
  'bad-address': [
    'WHERE cannot be the address of a store of passes.',
    'Use an https:// address without a user, query or fragment as "store" below "passes" in onceover.yml.',
  ],
  unreachable: ['onceover could not reach WHERE for passes.', `Check the connection. ${AGAIN}`],
  refused: [
    'WHERE refused the passes.',
    'Check that you may write there; a git remote must accept refs/onceover/passes. Then run "onceover passes push".',
  ],
  timeout: ['WHERE took too long to answer.', AGAIN],
  stopped: ['The transfer of passes from or to WHERE was stopped.', AGAIN],
  busy: ['Other clones changed the passes of WHERE at the same time.', 'Try again with "onceover passes push".'],
  locked: [
    'A lock file keeps the passes of WHERE from being changed.',
    'If no git process is running there, remove the lock file that the message names. Then run "onceover passes push".',
  ],
  unreadable: [
    'The passes of WHERE cannot be read.',
    'If no one needs them, remove them with "git push WHERE :refs/onceover/passes". Then run "onceover passes push".',
  ],
  'too-large': ['WHERE has more passes than onceover reads.', 'Remove old ones with "onceover passes prune".'],
  'cannot-list': [
    'WHERE is an HTTP store, which cannot list or remove its statements.',
    'Use a git remote to list passes, or let the store expire them.',
  ],
};
