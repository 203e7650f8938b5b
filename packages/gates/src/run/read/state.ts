import { grouped } from '@onceover/base/kernel/collections';
import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import { hiddenByLogDir } from '@onceover/base/kernel/paths';
import { type Comparison, type Snapshot, SUBMODULE } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { failureMessage } from '@onceover/base/ui/failure-message';
import { omittedFolders, type Settings } from '@onceover/repo/config/settings';
import type { KnownFinding } from '../../findings/types.ts';
import { countedResolution } from '../../findings/waivers.ts';
import type { CheckGate, ReviewGate } from '../../gate-types.ts';
import type { RunNotice } from '../../result/types.ts';
import { reviewSubject } from '../../subject/review-subject.ts';
import { type EndedCycles, endedCycles, findingsOfRemovedGates, gateNames } from '../decide/cycles.ts';
import { configuredGates, type GateList, gateIds, selectGates } from '../decide/gate-list.ts';
import { type GateState, gateState, hasFindingOutside, type StateOptions } from '../decide/gate-state.ts';
import type { RunFacts, RunPorts, RunRequest } from '../ports.ts';
import { checkState, readCheckedTree } from './checks.ts';
import { cycleStarts } from './cycle-starts.ts';
import { gatesOf, unknownPath } from './gates.ts';
import { readMaterial } from './material.ts';
import { type ReviewPasses, readReceipts } from './receipts.ts';

/**
 * Returns the change and the state of every gate. `existingComparison` is the comparison with the base, if the caller
 * has already made it.
 */
export async function readGateStates(
  ports: RunPorts,
  request: RunRequest,
  existingComparison?: Comparison,
): Promise<Result<RunFacts>> {
  const change = await readChange(ports, request, existingComparison);
  if (!change.ok) return change;
  const gates = await readGates(ports, request, change.value);
  if (!gates.ok) return gates;
  const history = await readHistory(ports, request, change.value, gates.value);
  if (!history.ok) return history;
  const passes = await readPasses(ports, request, change.value, gates.value);
  if (!passes.ok) return passes;
  return readStates(ports, request, { ...change.value, ...gates.value, ...history.value, passes: passes.value });
}

type ReadChange = {
  readonly comparison: Comparison;
  readonly snapshot: Snapshot;
  /** The tracked files in `log_dir`, which are not records. */
  readonly trackedFiles: ReadonlySet<RepoPath>;
  readonly localFindings: readonly KnownFinding[];
};

/** Reads what changed, and the findings of this clone. */
async function readChange(
  ports: RunPorts,
  { settings, selection }: RunRequest,
  existingComparison?: Comparison,
): Promise<Result<ReadChange>> {
  const comparison =
    existingComparison === undefined ? await ports.snapshots.compare(selection, settings.base) : ok(existingComparison);
  if (!comparison.ok) return comparison;
  const [snapshot, storedFindings] = await Promise.all([
    ports.snapshots.take(comparison.value, omittedFolders(settings)),
    ports.findings.all(),
  ]);
  if (!snapshot.ok) return snapshot;
  const trackedFiles = await trackedRecords(ports, settings, snapshot.value);
  if (!trackedFiles.ok) return trackedFiles;
  if (!storedFindings.ok) return storedFindings;
  const localFindings = storedFindings.value.map((finding) => ({
    ...finding,
    resolution: countedResolution(finding.resolution, settings.waivers),
  }));
  return ok({
    comparison: comparison.value,
    snapshot: snapshot.value,
    trackedFiles: trackedFiles.value,
    localFindings,
  });
}

type ReadGates = {
  readonly planned: GateList;
  /** The paths in the settings that match no file. */
  readonly idle: readonly string[];
  readonly checks: readonly CheckGate[];
  readonly reviews: readonly ReviewGate[];
};

/** Reads which gates apply to the change, and which of them the request selects. */
async function readGates(
  ports: RunPorts,
  request: RunRequest,
  { comparison, snapshot }: ReadChange,
): Promise<Result<ReadGates>> {
  const missingPath = await unknownPath(ports, request, snapshot);
  if (missingPath !== null) return err({ kind: 'unknown-path', path: missingPath });
  const gates = await gatesOf(ports, request, snapshot);
  if (!gates.ok) return gates;
  const selectedGates = selectGates(gates.value.planned.gates, request);
  if (!selectedGates.ok) return selectedGates;
  // A check reads the working tree, so it says nothing about a commit.
  const hasChecks = comparison.headTree === null;
  return ok({
    ...gates.value,
    checks: hasChecks ? selectedGates.value.filter((gate) => gate.kind === 'check') : [],
    reviews: selectedGates.value.filter((gate) => gate.kind !== 'check'),
  });
}

type ReadHistory = Pick<RunFacts, 'nameOf' | 'past' | 'checked'> & {
  /** The findings, with the waivers of other clones. */
  readonly findings: readonly KnownFinding[];
  /** The first iteration of each gate that reviewed the current change. */
  readonly starts: ReadonlyMap<GateId, number>;
};

/** Reads the records and findings of earlier runs. */
async function readHistory(
  ports: RunPorts,
  { settings, rules }: RunRequest,
  { comparison, snapshot, trackedFiles, localFindings }: ReadChange,
  { planned, checks, reviews }: ReadGates,
): Promise<Result<ReadHistory>> {
  // Records are assigned to gates by file name, and one name can fit several gates. So include configured gates without
  // changes.
  const gatesById = new Map(
    [...planned.gates, ...configuredGates(settings.gates, rules)].map((gate) => [gate.id, gate]),
  );
  const names = new Map(gateNames([...gatesById.values()]).map((name) => [name.id, name]));
  const past = await ports.records.read([...names.values()], trackedFiles);
  if (!past.ok) return past;
  // The code for passes of other clones is loaded only if the settings configure them.
  const findings =
    ports.shared == null
      ? localFindings
      : await (await import('./shared-passes.ts')).withWaiversOfOthers(ports, localFindings, reviews);
  const checked = await readCheckedTree(snapshot, checks);
  if (!checked.ok) return checked;
  const starts = await cycleStarts(ports, { comparison, snapshot, past: past.value }, reviews);
  if (!starts.ok) return starts;
  return ok({
    nameOf(id) {
      const name = names.get(id);
      if (name === undefined) throw new Error(`the gate ${id} has no name`);
      return name;
    },
    past: past.value,
    checked: checked.value,
    findings,
    starts: starts.value,
  });
}

type ReadPasses = {
  readonly reviews: readonly ReviewPasses[];
  /** The gates of rules whose task someone marked as passed, if `trust_marks` is on. */
  readonly markedIds: ReadonlySet<GateId>;
};

/** Reads which verdicts count for the gates as they are now: those of this clone, of other clones, and marks. */
async function readPasses(
  ports: RunPorts,
  request: RunRequest,
  { comparison: { scope, headTree }, snapshot }: ReadChange,
  { reviews }: ReadGates,
): Promise<Result<ReadPasses>> {
  const { settings, pullRequest } = request;
  const allChanged = snapshot.entries.map(({ path }) => path);
  // A mark of a passed review applies to the working tree, and a commit may have different content.
  const markedIds =
    settings.trustMarks && headTree === null
      ? await (await import('../record/marks.ts')).markedTasks(ports, reviews, {
          cache: settings.cache,
          allChanged,
          isPullRequest: pullRequest !== null,
        })
      : ok(new Set<GateId>());
  if (!markedIds.ok) return markedIds;
  const materialOf = await readMaterial(reviews, ports.references, allChanged);
  const subjects = reviews.map((gate) => {
    const material = materialOf(gate);
    return { gate, material, subject: reviewSubject({ gate, material, settings }) };
  });
  const receipts = await readReceipts(ports.receipts, subjects, scope.key);
  const sharedDecisions =
    ports.shared == null
      ? null
      : await (await import('./shared-passes.ts')).sharedDecisions(ports, request, receipts, snapshot, scope);
  const refusal = ports.shared?.refusal() ?? null;
  if (refusal !== null) return err(refusal);
  return ok({
    markedIds: markedIds.value,
    reviews: receipts.map((review) => ({ ...review, shared: sharedDecisions?.get(review.gate.id) ?? new Map() })),
  });
}

type ReadFacts = ReadChange & Omit<ReadGates, 'reviews'> & ReadHistory & { readonly passes: ReadPasses };

/** Computes the state of every gate from everything that was read. */
async function readStates(ports: RunPorts, request: RunRequest, facts: ReadFacts): Promise<Result<RunFacts>> {
  const { settings, rules, pullRequest } = request;
  const { comparison, snapshot, planned, checks, checked, past, nameOf } = facts;
  const { scope, where, headTree } = comparison;
  const seesAll = request.gates.length === 0 && (request.paths.length === 0 || request.paths.includes('' as RepoPath));
  const ended = endedBy(request, facts, seesAll);
  const endedFindings = new Set(ended.findings);
  const findings = facts.findings.map((finding) =>
    endedFindings.has(finding) ? { ...finding, cycleEnded: true } : finding,
  );
  const entries = new Map(snapshot.entries.map((entry) => [entry.path as string, entry]));
  const options: StateOptions = {
    scope,
    where,
    levels: settings,
    tolerated: request.ratchetHolder?.now.tolerated,
    entryOf: (path) => entries.get(path),
  };
  const states = await reviewStates(ports, { ...facts, findings }, options);
  const reviews = await withWholeTree(states, headTree === null ? () => snapshot.tree() : async () => ok(headTree));
  if (!reviews.ok) return reviews;
  const orphans = findingsOfRemovedGates(findings, planned.gates, options, request);
  const isUnconfigured = settings.gates.length === 0 && rules.length === 0;
  if (isUnconfigured && orphans.length === 0 && request.allowUnconfigured === false) {
    return err({ kind: 'not-configured', base: pullRequest?.base ?? null });
  }
  return ok({
    ...{ comparison, snapshot, checked, planned, nameOf, past, findings, orphans, ended, seesAll },
    checks: await Promise.all(checks.map((gate) => checkState(ports, gate, checked))),
    reviews: reviews.value,
    notices: await noticesOf(ports, request, facts),
  });
}

/** Returns the records and findings whose reviews are over. */
function endedBy({ settings, rules }: RunRequest, facts: ReadFacts, seesAll: boolean): EndedCycles {
  const { comparison, snapshot, planned, past, findings, starts } = facts;
  // If no file is changed, the reviews of every earlier change are over, even those by gates that were removed from the
  // configuration.
  const isConfigured = snapshot.entries.length === 0 ? () => true : gateIds(settings.gates, rules);
  // A run about only a part of the change or of the gates must not end the reviews of other gates.
  const mayEndReviews = comparison.scope.kind === 'full' && seesAll ? isConfigured : () => false;
  return endedCycles(comparison, planned.gates, { isConfigured: mayEndReviews, starts }, past, findings);
}

function reviewStates(
  ports: RunPorts,
  { comparison: { where }, past, findings, starts, passes }: ReadFacts,
  options: StateOptions,
): Promise<readonly GateState[]> {
  const records = grouped(past.slots, (record) => record.gate);
  const findingsOf = grouped(findings, (finding) => finding.gate);
  return Promise.all(
    passes.reviews.map(async (review) => {
      const { id } = review.gate;
      const held = await ports.receipts.find('held', { gate: id, ...where });
      return gateState(
        {
          ...review,
          records: records.get(id) ?? [],
          cycleStart: starts.get(id) ?? 0,
          findings: findingsOf.get(id) ?? [],
          held,
          marked: passes.markedIds.has(id),
        },
        options,
      );
    }),
  );
}

/**
 * Adds the whole tree to states with a finding about a file outside of their gate. Writing the tree to git takes time,
 * so it is done only if there is such a finding.
 */
async function withWholeTree(
  states: readonly GateState[],
  readTree: Snapshot['tree'],
): Promise<Result<readonly GateState[]>> {
  if (!states.some(hasFindingOutside)) return ok(states);
  const tree = await readTree();
  if (!tree.ok) return tree;
  return ok(states.map((state) => (hasFindingOutside(state) ? { ...state, tree: tree.value } : state)));
}

async function noticesOf(
  ports: RunPorts,
  { settings, rules, pullRequest }: RunRequest,
  { comparison, snapshot, trackedFiles, planned, idle }: ReadFacts,
): Promise<readonly RunNotice[]> {
  const isUnconfigured = settings.gates.length === 0 && rules.length === 0;
  const leavesChecksOut = comparison.headTree !== null && planned.gates.some(({ kind }) => kind === 'check');
  return [
    ...(pullRequest === null ? [] : [{ kind: 'base-config', base: pullRequest.base } as const]),
    ...(isUnconfigured ? [{ kind: 'unconfigured', base: pullRequest?.base ?? null } as const] : []),
    ...(settings.ignored ?? []).map((name) => ({ kind: 'ignored-setting', name }) as const),
    ...idle.map((path) => ({ kind: 'idle-gate', path }) as const),
    ...(trackedFiles.size > 0 ? [{ kind: 'tracked-log-dir', logDir: settings.logDir } as const] : []),
    ...snapshotNotices(snapshot),
    ...(await sharedNotices(ports)),
    ...(leavesChecksOut ? [{ kind: 'checks-left-out' } as const] : []),
  ];
}

/**
 * Returns the tracked files in `log_dir`, which onceover does not use as records. Fails if `log_dir` cannot be used.
 */
async function trackedRecords(
  ports: RunPorts,
  { logDir }: Settings,
  snapshot: Snapshot,
): Promise<Result<ReadonlySet<RepoPath>>> {
  const trackedFiles = snapshot.mayHave(logDir) ? await ports.snapshots.trackedIn(logDir) : ok(new Set<RepoPath>());
  if (!trackedFiles.ok) return trackedFiles;
  // Refuse a `log_dir` that is a nested repository: the author of the change could commit records in it.
  if (trackedFiles.value.has(logDir)) return err({ kind: 'path-in-the-way', path: logDir, found: 'repository' });
  const hiddenFiles = hiddenByLogDir(trackedFiles.value, logDir);
  return hiddenFiles.length > 0 ? err({ kind: 'log-dir-hides', logDir, files: hiddenFiles }) : trackedFiles;
}

async function sharedNotices({ shared }: RunPorts): Promise<readonly RunNotice[]> {
  const problem = shared?.problem() ?? null;
  if (problem === null) return [];
  const why =
    problem.kind === 'failed' ? { kind: problem.kind, message: await failureMessage(problem.failure) } : problem;
  return [{ kind: 'no-shared-passes', why }];
}

function snapshotNotices({ unnameable, entries, dirty = [] }: Snapshot): readonly RunNotice[] {
  return [
    ...unnameable.map((name) => ({ kind: 'unnameable', name }) as const),
    ...entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => ({ kind: 'submodule', path }) as const),
    ...dirty.map(({ path }) => ({ kind: 'dirty-submodule', path }) as const),
  ];
}
