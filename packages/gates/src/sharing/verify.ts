import { resolve } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { readPlainFile } from '@onceover/base/platform/private-files';
import { checkFile } from '@onceover/passes/check-file';
import { readStatement } from '@onceover/passes/json-statement';
import { openTrusted } from '@onceover/passes/open-trusted';
import { checkSignature, LARGEST_SIGNATURE } from '@onceover/passes/ssh-signature';
import { LARGEST_STATEMENT, type Signers, type TravellingStatement } from '@onceover/passes/types';
import { readSettings } from '@onceover/repo/config/effective-settings';
import type { ShareEnd } from '../gate-types.ts';
import { REFUSALS } from '../result/describe/refusals.ts';
import { previewGates, READ_ONLY } from '../run/open-run.ts';
import { sharePasses } from '../run/record/share.ts';
import type { VerifiedFile } from './types.ts';

const WHOLE_CHANGE = { kind: 'change', base: null } as const;

/** Verifies a pass or waiver file with the signature in `<file>.sig`, using the signers file of the base branch. */
export async function verifyPassFile(repository: RepositoryPaths, file: string): Promise<Result<VerifiedFile>> {
  const path = resolve(repository.root, repository.prefix, file);
  const bytes = readPlainFile(path, LARGEST_STATEMENT + 1);
  if (!bytes.ok) return err({ kind: 'disk', action: 'read', path: file, code: 'ENOENT' });
  const signature = readPlainFile(`${path}.sig`, LARGEST_SIGNATURE + 1);
  if (!signature.ok) return err({ kind: 'disk', action: 'read', path: `${file}.sig`, code: 'ENOENT' });
  const signedFile = { statement: bytes.bytes, signature: signature.bytes.toString('latin1') };
  const content = readStatement(signedFile.statement);
  const statement = content.ok ? content.statement : null;
  const signatureCheck = checkSignature(signedFile.statement, signedFile.signature);
  const commonFields = {
    file,
    statement,
    isSigned: signatureCheck.ok,
    keyFingerprint: signatureCheck.ok ? signatureCheck.keyFingerprint : null,
  };
  const signers = await signersFor(repository, statement);
  if (!signers.ok) return signers;
  if (signers.value === null) {
    const why = 'the base branch has no signers file for it, so no one may vouch';
    return ok({ ...commonFields, signer: null, counts: false, why });
  }
  const isAny = (_one: TravellingStatement): _one is TravellingStatement => true;
  const fileCheck = checkFile(signedFile, isAny, signers.value, new Date());
  return ok(
    fileCheck.ok
      ? { ...commonFields, signer: fileCheck.signer.principal, counts: true, why: null }
      : { ...commonFields, signer: null, counts: false, why: REFUSALS[fileCheck.why] },
  );
}

async function signersFor(
  repository: RepositoryPaths,
  statement: TravellingStatement | null,
): Promise<Result<Signers | null>> {
  const configuration = await readSettings(repository, WHOLE_CHANGE);
  if (!configuration.ok) return configuration;
  const trustedPasses = await openTrusted(repository, configuration.value, { now: () => new Date() });
  if (!trustedPasses.ok) return trustedPasses.why.kind === 'failed' ? err(trustedPasses.why.failure) : ok(null);
  const { trust } = trustedPasses.value;
  return ok(statement?.kind === 'waiver' ? trust.waiverSigners : trust.signers);
}

/** Shares this clone's passes for the current change, and its waivers. Runs no reviewer. */
export async function pushPasses(
  repository: RepositoryPaths,
): Promise<Result<Exclude<ShareEnd, { kind: 'not-shared' }> | null>> {
  const preview = await previewGates(repository, { ...READ_ONLY, selection: WHOLE_CHANGE });
  if (!preview.ok) return preview;
  const { ports, facts } = preview.value;
  if (ports.shared == null) return err({ kind: 'passes-off', why: { kind: 'not-set' } });
  const end = await sharePasses(ports, facts, true);
  const why = end === null ? ports.shared.problem() : null;
  if (why !== null) return why.kind === 'failed' ? err(why.failure) : err({ kind: 'passes-off', why });
  return end?.kind === 'not-shared' ? err(end.failure) : ok(end);
}
