import type { Acceptance, RefusalReason } from '@onceover/passes/types';
import { settingName } from '../../subject/describe.ts';
import { describePassBy } from './shared.ts';

/** Why a pass of another clone does not count, as the end of a sentence. */
export const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  'not-configured': 'the base branch does not configure passes',
  'no-statement': 'no other clone shared a pass of this code',
  unreachable: 'the passes of other clones could not be fetched',
  'unusable-statement': 'the statement is damaged or has an unknown format',
  'bad-signature': 'the signature of the pass is not valid',
  'unknown-signer': 'the key that signed the pass is not in the signers file of the base branch',
  'signer-expired': 'the key that signed the pass was not valid at that time, or is not valid now',
  'signer-revoked': 'the key that signed the pass is revoked',
  'too-few-signers': 'fewer people signed the pass than min_signers asks for',
  'other-prompt': 'the pass is about another version of the prompt',
  'older-version': 'an older version of onceover signed the pass, and did not record everything that it depends on',
  'other-references': 'the pass was given with another text of a reference file',
  'other-context': 'the pass was given with another list of files in the prompt',
  'other-settings': 'the pass was given with other settings of the agent or other thresholds',
  'other-scope': 'passes count only for the whole change, and the pass or this run is about a part of it',
  'other-agent': 'the settings do not let that agent review this gate',
  'changed-agent': 'the change edits the program of the agent that gave the pass, or a file beside it',
  'base-changed': "the base branch changed the gate's files since the pass",
  'session-not-accepted': 'the pass was given in a resumed session, and accept allows only new ones',
  'too-old': 'the pass is older than max_age',
  'in-the-future': 'the time of the pass is in the future',
  'idle-pattern':
    'a pattern of never_for matches no file, so it may protect the wrong files: run "onceover config check"',
  'excluded-path': 'never_for lists a file of this gate, so it is always reviewed here',
  'waiver-missing': 'the pass depends on a waived finding, and no one who may waive signed the waiver',
  'drawn-for-audit': 'the pass was drawn for an audit, so it was reviewed again',
};

/** Describes why a pass of another clone does not count and, if known, who signed it. */
export function describeRefusal(refusal: Extract<Acceptance, { kind: 'refused' }>): string {
  const { why, setting, statement, signers } = refusal;
  const reason =
    setting === undefined ? REFUSALS[why] : `the pass was given with another value of ${settingName(setting)}`;
  const hasSigners = statement !== null && signers !== undefined && signers.length > 0;
  return `no pass accepted: ${reason}${hasSigners ? ` (${describePassBy({ statement, signers })})` : ''}`;
}

/**
 * Returns why no pass of another clone counts for a reviewer that runs; `null` if the reason is not worth a line in the
 * output. Outside of CI, new code has no pass yet, which is no news.
 */
export function noPassReason(acceptance: Acceptance | null, isPullRequest: boolean): RefusalReason | null {
  if (acceptance?.kind !== 'refused') return null;
  // A warning of the run already names these two problems.
  if (acceptance.why === 'not-configured' || acceptance.why === 'unreachable') return null;
  return isPullRequest || (acceptance.why !== 'no-statement' && acceptance.why !== 'other-scope')
    ? acceptance.why
    : null;
}
