import { byCodePoint } from '@onceover/base/kernel/collections';
import { sha256 } from '@onceover/base/kernel/ids';
import { compareSubjects, isWholeSubject } from '@onceover/base/kernel/review-subject';
import { version } from '@onceover/base/version';
import { findingIdentity } from '@onceover/passes/decide-waiver';
import type {
  AcceptedWaiver,
  PassFile,
  PassRequest,
  PassStatement,
  TravellingStatement,
  WaiverRequest,
  WaiverStatement,
} from '@onceover/passes/types';
import type { Settings } from '@onceover/repo/config/settings';
import type { Finding, KnownFinding } from '../../findings/types.ts';
import type { ReviewGate, SlotNumber } from '../../gate-types.ts';
import { agentSettingsDigest } from '../../subject/agent-settings.ts';
import type { Receipt } from '../types.ts';
import type { GateState } from './gate-state.ts';

/** The facts that decide which agents' passes are accepted. */
export type AllowedAgents = {
  readonly settings: Pick<Settings, 'agent' | 'agents'>;
  /** The names of the agents that need no settings. */
  readonly builtIn: readonly string[];
  readonly changed: ReadonlySet<string>;
  /** Returns whether a pattern of `never_for` matches a file of the repository, before or after the change. */
  readonly hasFile: PassRequest['hasFile'];
};

/** A gate, and what a verdict on it is about. */
export type SubjectOfGate = Pick<GateState, 'gate' | 'subject'>;

/** Returns the conditions under which a pass of another clone counts for this reviewer. */
export function wantedPass(
  { gate, subject }: SubjectOfGate,
  slot: SlotNumber,
  scope: string,
  { settings, builtIn, changed, hasFile }: AllowedAgents,
): PassRequest {
  const agents = gate.agents ?? settings.agents ?? [...builtIn, ...Object.keys(settings.agent)];
  return {
    subject: { ...subject, slot, scope },
    files: passFiles(gate),
    settingsDigests: new Map(agents.map((agent) => [agent, agentSettingsDigest(settings, agent)])),
    changedAgents: changed,
    hasFile,
  };
}

function passFiles({ entries }: ReviewGate): readonly PassFile[] {
  return entries.map(({ path, mode, baseMode, baseBlob, headBlob }) => {
    return { path, mode, baseMode: baseMode ?? null, baseBlob, headBlob };
  });
}

/**
 * Returns an id of a finding that is the same in all clones: a SHA-256 over gate, file, quoted code, its occurrence and
 * the priority; `null` if the finding quotes no code. The priority is included, so that a waiver does not cover a more
 * severe problem at the same place.
 */
function waivableIdentity(finding: Finding): string | null {
  const identity = findingIdentity(finding);
  return identity === null ? null : sha256(`${identity} ${finding.priority}`);
}

/**
 * Returns a stored pass in a form that other clones can check; `null` if they could not use it. A review that was only
 * marked as passed has no stored verdict, so it is never shared.
 */
function passStatement(
  { gate, subject }: SubjectOfGate,
  receipt: Receipt,
  findings: ReadonlyMap<string, KnownFinding>,
): PassStatement | null {
  const { made } = receipt;
  // Share only reviews of the whole change, because another clone cannot know what a narrower request left out.
  if (made === undefined || receipt.scope !== 'full' || compareSubjects(receipt, subject) !== null) return null;
  // An older version did not record under which settings it gave the pass, so no one can vouch for them.
  if (!isWholeSubject(receipt)) return null;
  const waivedIdentities = receipt.findings.map((id) => waivedIdentity(findings.get(id)));
  const isPass = receipt.verdict === 'pass' ? waivedIdentities.length === 0 : waivedIdentities.length > 0;
  if (!isPass || waivedIdentities.includes(null)) return null;
  const { slot, scope, agent, at } = receipt;
  return {
    kind: 'pass',
    ...subject,
    ...{ slot, scope },
    files: passFiles(gate),
    agent,
    ...made,
    passedAt: at,
    waived: waivedIdentities.filter((identity) => identity !== null).sort(byCodePoint),
  };
}

function waivedIdentity(finding: KnownFinding | undefined): string | null {
  return finding === undefined || !isWaivedByPerson(finding) ? null : waivableIdentity(finding);
}

function isWaivedByPerson({ resolution }: KnownFinding): boolean {
  return resolution?.how === 'skipped' && resolution.by.kind === 'person';
}

/**
 * Returns the waiver of a finding in a form that other clones can check; `null` if no person waived it in this clone.
 */
function waiverStatement(finding: KnownFinding): WaiverStatement | null {
  const { resolution, gate, file, issue, isOfOtherClone = false } = finding;
  const identity = waivedIdentity(finding);
  if (identity === null || resolution === null || finding.waiverSigner !== undefined || isOfOtherClone) return null;
  return {
    ...{ kind: 'waiver', gate, finding: identity, file, issue, why: resolution.why },
    ...{ by: resolution.by.name, onceoverVersion: version, waivedAt: resolution.at },
  };
}

/** Returns what this clone can share about these gates: its passes, and the waivers that people made in it. */
export function travellingStatements(
  slots: readonly (SubjectOfGate & { readonly receipt: Receipt })[],
  findings: readonly KnownFinding[],
): readonly TravellingStatement[] {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const gates = new Set(slots.map(({ gate }) => gate.id));
  const waivers = findings.filter(({ gate }) => gates.has(gate)).map(waiverStatement);
  const passes = slots.map((slot) => passStatement(slot, slot.receipt, byId));
  return [...passes, ...waivers].filter((statement) => statement !== null);
}

/** Returns the findings after applying waivers of other clones to those that are not waived here. */
export function withSignedWaivers(
  findings: readonly KnownFinding[],
  waivers: ReadonlyMap<string, AcceptedWaiver>,
): readonly KnownFinding[] {
  if (waivers.size === 0) return findings;
  return findings.map((finding) => {
    const waiver = mayTakeWaiver(finding) ? waivers.get(waivableIdentity(finding) ?? '') : undefined;
    if (waiver === undefined) return finding;
    const { why, waivedAt, by } = waiver.statement;
    const actor = { kind: 'person', name: by } as const;
    const resolution = { how: 'skipped', why, at: waivedAt, iteration: finding.since, by: actor } as const;
    return { ...finding, resolution: { ...resolution, proposedBy: null }, waiverSigner: waiver.signer.principal };
  });
}

/** Returns the findings of these gates for which a waiver of another clone would count. */
export function wantedWaivers(findings: readonly KnownFinding[], gates: ReadonlySet<string>): readonly WaiverRequest[] {
  return findings.filter(mayTakeWaiver).flatMap((finding) => {
    const identity = gates.has(finding.gate) ? waivableIdentity(finding) : null;
    const { gate, file } = finding;
    return identity === null || file === null ? [] : [{ finding: identity, gate, file }];
  });
}

/** Whether a waiver of another clone may apply: the finding is not closed, and no person of this clone waived it. */
function mayTakeWaiver({ kept, resolution }: KnownFinding): boolean {
  return kept !== 'closed' && resolution?.how !== 'skipped';
}
