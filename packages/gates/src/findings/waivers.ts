import { ACTIVE } from '@onceover/base/kernel/ports';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { Settings } from '@onceover/repo/config/settings';
import { isBelow } from './priority.ts';
import { groupBySameCode } from './same-code.ts';
import type { Actor, KnownFinding, Resolution } from './types.ts';

type WaiverPolicy = Pick<Settings['waivers'], 'who'>;

/** The name under which onceover records a person or agent that it cannot identify. */
export const UNKNOWN_ACTOR = 'unknown';

/** Environment variables that agents set for the commands that they run. */
const AGENT_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  claude: ['CLAUDECODE'],
  codex: ['CODEX_THREAD_ID', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED'],
  gemini: ['GEMINI_CLI'],
  opencode: ['OPENCODE'],
  pi: ['PI_CODING_AGENT'],
  cursor: ['CURSOR_AGENT'],
  [UNKNOWN_ACTOR]: ['AI_AGENT', ACTIVE],
};

/**
 * Returns who runs a command. It is taken to be a person only if standard input is a terminal and no environment
 * variable of an agent is set. An agent can evade this test by removing its variables and opening a terminal.
 */
export function commandActor(
  env: Readonly<Record<string, string | undefined>>,
  shell: { readonly isTerminal: boolean; readonly user: string },
): Actor {
  const agent = Object.entries(AGENT_VARIABLES).find(([, names]) => names.some((name) => env[name] !== undefined));
  if (agent !== undefined) return { kind: 'agent', name: agent[0] };
  return shell.isTerminal ? { kind: 'person', name: shell.user } : { kind: 'agent', name: UNKNOWN_ACTOR };
}

/**
 * Returns the answer to a finding as it counts under the current settings: unless `waivers.who` is `anyone`, an agent's
 * waiver is only a proposal. The settings are applied whenever the answer is read, so an agent gains nothing by
 * changing them for a moment.
 */
export function countedResolution(resolution: Resolution | null, { who }: WaiverPolicy): Resolution | null {
  const isProposal = resolution?.how === 'skipped' && resolution.by.kind === 'agent' && who === 'people';
  return isProposal ? { ...resolution, how: 'proposed' } : resolution;
}

/** The answer of a person or an agent to a finding. `confirmed`: a person accepts the proposed waiver. */
export type FindingAnswer = { readonly how: 'fixed' | 'skipped' | 'confirmed'; readonly why: string };

/**
 * Returns the findings that get the same answer as the named one: open findings of other reviewers about the same code,
 * on the same branch. A waiver of a finding does not apply to more severe ones; the user has to name those.
 */
export function findingsAnsweredWith(
  namedFinding: KnownFinding,
  findings: readonly KnownFinding[],
  { how }: Pick<FindingAnswer, 'how'>,
): readonly KnownFinding[] {
  if (namedFinding.kept !== 'open') return [];
  const branchFindings = findings.filter(
    ({ kept, branch, mergeBase, scope, cycleEnded }) =>
      kept === 'open' &&
      branch === namedFinding.branch &&
      (branch !== null || mergeBase === namedFinding.mergeBase) &&
      scope === namedFinding.scope &&
      cycleEnded === namedFinding.cycleEnded,
  );
  const problems = groupBySameCode(branchFindings, (finding) => {
    return { ...finding, state: finding.resolution?.how === 'skipped' ? 'waived' : 'open' };
  });
  const problemFindings = problems.find((problem) => problem.some(({ id }) => id === namedFinding.id)) ?? [];
  return problemFindings.filter(({ id, priority, resolution }) => {
    if (id === namedFinding.id) return false;
    if (how === 'fixed') return true;
    const isProposal = how === 'skipped' || resolution?.how === 'proposed';
    return isProposal && !isBelow(namedFinding.priority, priority);
  });
}

/**
 * Returns the answer to store for a finding; `null` if nothing changes. A process that was started by a run can never
 * waive a finding.
 */
export function decideResolution(
  { id, since, resolution }: KnownFinding,
  { how, why }: FindingAnswer,
  by: Actor,
  { who, isInRun, at }: WaiverPolicy & { readonly isInRun: boolean; readonly at: string },
): Result<Resolution | null> {
  const resolutionFields = { why, at, iteration: since, by, proposedBy: null };
  if (how === 'fixed') return ok({ ...resolutionFields, how });
  const currentResolution = countedResolution(resolution, { who });
  const mayWaive = !isInRun && (by.kind === 'person' || who === 'anyone');
  if (how === 'skipped') {
    if (mayWaive) return ok({ ...resolutionFields, how });
    // A proposal must not replace the waiver of a person.
    return ok(currentResolution?.how === 'skipped' ? null : { ...resolutionFields, how: 'proposed' });
  }
  if (!mayWaive) return err({ kind: 'confirmed-by-agent', id, isInRun });
  if (currentResolution?.how === 'skipped') return ok(null);
  if (currentResolution?.how !== 'proposed') return err({ kind: 'not-proposed', id });
  return ok({ ...resolutionFields, how: 'skipped', why: currentResolution.why, proposedBy: currentResolution.by });
}
