import { readStatement } from './json-statement.ts';
import { findSigner } from './signers.ts';
import { checkSignature } from './ssh-signature.ts';
import type { RefusalReason, SignedFile, Signers, TravellingStatement, Voucher } from './types.ts';

/** The reasons why a file does not count, whatever gate it is about. A later one is closer to a file that counts. */
export const FILE_REFUSALS = [
  'no-statement',
  'unusable-statement',
  'bad-signature',
  'unknown-signer',
  'signer-revoked',
  'signer-expired',
  'in-the-future',
] as const satisfies readonly RefusalReason[];

export type FileRefusal = (typeof FILE_REFUSALS)[number];

/** A statement with a valid signature of an allowed signer, or the reason why there is none. */
export type CheckedFile<S extends TravellingStatement> =
  | {
      readonly ok: true;
      readonly statement: S;
      readonly signer: Voucher;
      /** All names of the key's owner. */
      readonly principals: readonly string[];
    }
  | {
      readonly ok: false;
      readonly why: FileRefusal;
      /** The key that signed the file; `null` if the signature is not valid or was not tried. */
      readonly keyFingerprint: string | null;
    };

/** Clocks of two machines differ. A statement may be this much in the future of the verifier's clock. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/**
 * Checks a file that anyone may have written: its form, its signature, and whether the signer was allowed to sign when
 * the statement was made and is allowed now. A statement for which `isAbout` is false counts as none.
 */
export function checkFile<S extends TravellingStatement>(
  file: SignedFile,
  isAbout: (statement: TravellingStatement) => statement is S,
  signers: Signers,
  now: Date,
): CheckedFile<S> {
  const read = readStatement(file.statement);
  if (!read.ok) return refused('unusable-statement');
  const { statement } = read;
  if (!isAbout(statement)) return refused('no-statement');
  const signature = checkSignature(file.statement, file.signature);
  if (!signature.ok) return refused('bad-signature');
  const { keyFingerprint } = signature;
  const madeAt = new Date(statementTime(statement));
  const found = findSigner(signers, keyFingerprint, [now, madeAt]);
  if (!found.ok) return refused(found.why, keyFingerprint);
  if (madeAt.getTime() - now.getTime() > CLOCK_TOLERANCE_MS) return refused('in-the-future', keyFingerprint);
  const { principals } = found;
  return { ok: true, statement, signer: { principal: principals[0] ?? '', keyFingerprint }, principals };
}

function refused(why: FileRefusal, keyFingerprint: string | null = null) {
  return { ok: false, why, keyFingerprint } as const;
}

/** Returns when a pass or a waiver was given. */
export function statementTime(statement: TravellingStatement): string {
  return statement.kind === 'pass' ? statement.passedAt : statement.waivedAt;
}
