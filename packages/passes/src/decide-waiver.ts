import { hashFields } from '@onceover/base/kernel/ids';
import { checkFile, FILE_REFUSALS, type FileRefusal } from './check-file.ts';
import type {
  AcceptedWaiver,
  SignedFile,
  Signers,
  TravellingStatement,
  WaiverRequest,
  WaiverStatement,
} from './types.ts';

/** The fields of a finding from which its identity is computed. */
export type IdentifiedFinding = {
  readonly gate: string;
  readonly file: string | null;
  readonly anchor: { readonly text: string; readonly occurrence: number } | null;
};

/**
 * Returns the identity of a finding, which is the same in every clone: a digest of its gate, its file, the code that it
 * quotes, and which occurrence of that code it means. Returns `null` if the finding names no file or quotes no code,
 * because another clone could not recognise it.
 */
export function findingIdentity({ gate, file, anchor }: IdentifiedFinding): string | null {
  if (file === null || anchor === null || anchor.text.trim() === '') return null;
  return hashFields(['onceover finding', gate, file, anchor.text, String(anchor.occurrence)]);
}

/** Whether a waiver from another clone counts. If not, the reason. */
export type WaiverDecision =
  | { readonly ok: true; readonly waiver: AcceptedWaiver }
  | { readonly ok: false; readonly why: FileRefusal };

/**
 * The maximum number of files to check for one finding. Anyone who can write to the remote can add files, so there must
 * be a limit.
 */
const MOST_WAIVERS = 500;

/**
 * Decides whether one of the files is a valid waiver of a finding. The files are untrusted until their signatures are
 * checked. If `file` is not given, waivers for any path match.
 */
export function decideWaiver(
  { finding, gate, file }: Omit<WaiverRequest, 'file'> & { readonly file?: string },
  files: readonly SignedFile[],
  signers: Signers,
  now: Date,
): WaiverDecision {
  const isAbout = (statement: TravellingStatement): statement is WaiverStatement =>
    statement.kind === 'waiver' &&
    statement.finding === finding &&
    statement.gate === gate &&
    (file === undefined || statement.file === file);
  let why: FileRefusal = 'no-statement';
  for (const file of files.slice(0, MOST_WAIVERS)) {
    const result = checkFile(file, isAbout, signers, now);
    if (result.ok) return { ok: true, waiver: { statement: result.statement, signer: result.signer } };
    if (FILE_REFUSALS.indexOf(result.why) > FILE_REFUSALS.indexOf(why)) why = result.why;
  }
  return { ok: false, why };
}
