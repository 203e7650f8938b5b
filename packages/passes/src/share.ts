import { createHash } from 'node:crypto';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { statementKey, writeStatement } from './json-statement.ts';
import type { TrustedPasses } from './open-trusted.ts';
import { openOutbox, pushWithOutbox } from './outbox.ts';
import { openSigner, type StatementSigner } from './sign.ts';
import { checkSignature } from './ssh-signature.ts';
import type { StoredFile, TravellingStatement } from './types.ts';

type Counted = { readonly passes: number; readonly waivers: number };

type Unshared = { readonly statement: TravellingStatement; readonly key: string; readonly bytes: Buffer };

type Place = Pick<RepositoryPaths, 'root' | 'commonDir'>;

/**
 * How long a push may take. A run waits for the push, so this is short; files that were not pushed wait in the outbox.
 */
const LONGEST_PUSH_MS = 20_000;

/** Counts the passes and waivers of this clone for which no file signed with the user's own key is shared yet. */
export async function countUnshared(
  place: Place,
  passes: TrustedPasses,
  statements: readonly TravellingStatement[],
): Promise<Result<Counted>> {
  const signer = await openSigner(place.root, process.env);
  if (!signer.ok) return signer;
  const statementsToShare = await unsharedOf(signer.value, passes, statements);
  return statementsToShare.ok ? ok(countOf(statementsToShare.value)) : statementsToShare;
}

/**
 * Signs the passes and waivers that are not shared yet. Pushes them, together with those that an earlier push could not
 * deliver.
 */
export async function shareStatements(
  place: Place,
  passes: TrustedPasses,
  statements: readonly TravellingStatement[],
): Promise<Result<Counted>> {
  const { carrier } = passes;
  const signer = await openSigner(place.root, process.env);
  if (!signer.ok) return signer;
  const statementsToShare = await unsharedOf(signer.value, passes, statements);
  if (!statementsToShare.ok) return statementsToShare;
  const outbox = openOutbox(place.commonDir, carrier.name);
  const waiting = outbox.waiting();
  const isWaiting = ({ bytes }: Unshared) =>
    waiting.ok && waiting.value.some(({ file }) => Buffer.compare(Buffer.from(file.statement), bytes) === 0);
  const newStatements = statementsToShare.value.filter((statement) => !isWaiting(statement));
  const stop = AbortSignal.timeout(LONGEST_PUSH_MS);
  const signatures = await signer.value.sign(
    newStatements.map(({ bytes }) => bytes),
    { stop: null },
  );
  if (!signatures.ok) return signatures;
  const files = newStatements.flatMap(({ key, bytes }, i): StoredFile[] => {
    const signature = signatures.value[i];
    return signature === undefined ? [] : [{ key, file: { statement: bytes, signature: signature.armored } }];
  });
  if (files.length === 0 && !(waiting.ok && waiting.value.length > 0)) return ok({ passes: 0, waivers: 0 });
  const push = await pushWithOutbox(carrier, outbox, files, stop);
  return push.ok ? ok(countOf(statementsToShare.value)) : push;
}

async function unsharedOf(
  signer: StatementSigner,
  { carrier }: TrustedPasses,
  statements: readonly TravellingStatement[],
): Promise<Result<readonly Unshared[]>> {
  const candidates = statements.flatMap((statement): Unshared[] => {
    const bytes = writeStatement(statement);
    // A pass that is too large cannot be shared, so other clones review that gate themselves.
    return bytes.ok ? [{ statement, key: statementKey(statement), bytes: bytes.bytes }] : [];
  });
  const publicKey = await signer.publicKey();
  if (!publicKey.ok) return publicKey;
  const ownFingerprint = fingerprintOf(publicKey.value);
  const carriedFiles = await carrier.find([...new Set(candidates.map(({ key }) => key))]);
  if (!carriedFiles.ok) return carriedFiles;
  const isShared = ({ key, bytes }: Unshared) =>
    (carriedFiles.value.get(key) ?? []).some((file) => {
      if (Buffer.compare(Buffer.from(file.statement), bytes) !== 0) return false;
      const check = checkSignature(file.statement, file.signature);
      return check.ok && check.keyFingerprint === ownFingerprint;
    });
  return ok(candidates.filter((candidate) => !isShared(candidate)));
}

/** Returns the fingerprint of a public key (`key-type key`) in the form that `ssh-keygen -l` prints. */
function fingerprintOf(publicKey: string): string {
  const [, blob = ''] = publicKey.split(' ');
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

function countOf(statements: readonly Unshared[]): Counted {
  const passes = statements.filter(({ statement }) => statement.kind === 'pass').length;
  return { passes, waivers: statements.length - passes };
}
