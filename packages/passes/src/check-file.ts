import { readStatement } from './json-statement.ts';
import { findSigner } from './signers.ts';
import { checkSignature } from './ssh-signature.ts';
import type { RefusalReason, SignedFile, Signers, TravellingStatement, Voucher } from './types.ts';

/**
 * The reasons why a signed pass or waiver file is refused. They are sorted: a file with a later reason is closer to
 * being accepted.
 */
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

/** A pass or waiver with a valid signature of an allowed signer, or the reason why the file was refused. */
export type CheckedFile<S extends TravellingStatement> =
  | {
      readonly ok: true;
      readonly statement: S;
      readonly signer: Voucher;
      /** All names of the key's owner in the signers file. */
      readonly principals: readonly string[];
    }
  | {
      readonly ok: false;
      readonly why: FileRefusal;
      /** The key that signed the file; `null` if the signature is not valid or was not checked. */
      readonly keyFingerprint: string | null;
    };

/** The clocks of two machines may differ, so a pass may be dated this far in the future. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/**
 * Checks a signed file that anyone may have written: its format, its signature, and whether its signer was allowed to
 * sign both when the file was made and now. A file for which `isAbout` is false is treated as absent.
 */
export function checkFile<S extends TravellingStatement>(
  file: SignedFile,
  isAbout: (statement: TravellingStatement) => statement is S,
  signers: Signers,
  now: Date,
): CheckedFile<S> {
  const result = readStatement(file.statement);
  if (!result.ok) return refusal('unusable-statement');
  const { statement } = result;
  if (!isAbout(statement)) return refusal('no-statement');
  const signature = checkSignature(file.statement, file.signature);
  if (!signature.ok) return refusal('bad-signature');
  const { keyFingerprint } = signature;
  const madeAt = new Date(statementTime(statement));
  const signerMatch = findSigner(signers, keyFingerprint, [now, madeAt]);
  if (!signerMatch.ok) return refusal(signerMatch.why, keyFingerprint);
  if (madeAt.getTime() - now.getTime() > CLOCK_TOLERANCE_MS) return refusal('in-the-future', keyFingerprint);
  const { principals } = signerMatch;
  return { ok: true, statement, signer: { principal: principals[0] ?? '', keyFingerprint }, principals };
}

function refusal(why: FileRefusal, keyFingerprint: string | null = null) {
  return { ok: false, why, keyFingerprint } as const;
}

/** Returns the time at which a pass or a waiver was given. */
export function statementTime(statement: TravellingStatement): string {
  return statement.kind === 'pass' ? statement.passedAt : statement.waivedAt;
}
