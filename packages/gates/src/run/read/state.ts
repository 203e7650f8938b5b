import { grouped } from '@onceover/base/kernel/collections';
import { lastLines } from '@onceover/base/kernel/escape';
import type { GateId, RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import { hiddenByLogDir, isInside } from '@onceover/base/kernel/paths';
import { type BranchContext, type Comparison, type Snapshot, SUBMODULE } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { omittedFolders, SETTINGS_FILE, type Settings } from '@onceover/repo/config/settings';
import { countedResolution } from '../../findings/waivers.ts';
import type { CheckGate, ReviewGate } from '../../gate-types.ts';
import { describeFailedCheck, type FailingGate } from '../../result/describe/reasons.ts';
import type { RunNotice } from '../../result/types.ts';
import { checkedTree, endedCycles, findingsOfRemovedGates, gateNames } from '../decide/cycles.ts';
import {
  configuredGates,
  entryFolder,
  type GateList,
  gateIds,
  matchesEntry,
  planGates,
  selectGates,
} from '../decide/gate-list.ts';
import { type GateFacts, gateState, hasFindingOutside, isSameBranch, type StateOptions } from '../decide/gate-state.ts';
import type { CheckState } from '../decide/plan-run.ts';
import { checkOutput } from '../describe/check-log.ts';
import type { RunFacts, RunPorts, RunRequest } from '../ports.ts';
import { markedTasks } from '../record/after-run.ts';
import { gateFileName } from '../record/record-names.ts';
import type { CheckRecord, RecordMetadata, SlotRecord } from '../record-types.ts';
import type { Receipt } from '../types.ts';
import type { ChangeFacts, compareWithEarlier } from './earlier-change.ts';

/** Returns the gates that apply to a snapshot, and the paths in the settings that match no file. */
export async function gatesOf(
  ports: RunPorts,
  request: RunRequest,
  snapshot: Snapshot,
): Promise<Result<{ readonly planned: GateList; readonly idle: readonly string[] }>> {
  const { settings, rules, rubrics } = request;
  const { entries } = snapshot;
  const changedPaths = entries.map(({ path }) => path);
  const maybeIdle = await withoutFolder(ports, settings.gates, changedPaths);
  const needsUnchanged = rules.some((rule) => rule.context.unchangedMatchingFiles);
  // Listing all files is slow, so list them only if they are needed.
  const allPaths = needsUnchanged || maybeIdle.length > 0 ? await ports.snapshots.files() : ok(changedPaths);
  if (!allPaths.ok) return allPaths;
  const listUnchangedPaths = () => {
    const isChanged = new Set(changedPaths);
    return allPaths.value.filter((path) => !isChanged.has(path));
  };
  const gateList = planGates({ settings: settings.gates, rules, entries, rubrics, unchanged: listUnchangedPaths });
  const [duplicate] = gateList.duplicates;
  if (duplicate !== undefined) {
    const problem = { kind: 'bad-value', key: 'gates', said: `give the gate ${duplicate} more than once` } as const;
    return err({ kind: 'broken-config', problems: [{ file: SETTINGS_FILE, line: 1, column: 1, what: problem }] });
  }
  const idle = maybeIdle.filter((entry) => !matchesEntry(entry, allPaths.value)).map(({ path }) => path);
  return ok({ planned: gateList, idle });
}

/**
 * Returns the items of `gates` in the settings that have no changed file and may match no file at all: missing folders,
 * and all patterns.
 */
async function withoutFolder(
  ports: RunPorts,
  entries: Settings['gates'],
  changedPaths: readonly RepoPath[],
): Promise<Settings['gates']> {
  const unmatchedEntries = entries.filter((entry) => !matchesEntry(entry, changedPaths));
  const contents = ports.contents();
  const exists = await Promise.all(
    unmatchedEntries.map(async (entry) => {
      const folder = entryFolder(entry);
      return folder !== null && (folder === '' || (await contents.exists(folder)) !== 'missing');
    }),
  );
  return unmatchedEntries.filter((_, n) => exists[n] !== true);
}

/**
 * Returns the change and the state of every gate. `existingComparison` is the comparison with the base, if the caller
 * has already made it.
 */
export async function readGateStates(
  ports: RunPorts,
  request: RunRequest,
  existingComparison?: Comparison,
): Promise<Result<RunFacts>> {
  const { settings, rules, pullRequest } = request;
  const comparisonResult =
    existingComparison === undefined
      ? await ports.snapshots.compare(request.selection, settings.base)
      : ok(existingComparison);
  if (!comparisonResult.ok) return comparisonResult;
  const comparison = comparisonResult.value;
  const { scope, where, headTree } = comparison;
  const [snapshotResult, storedFindings] = await Promise.all([
    ports.snapshots.take(comparison, omittedFolders(settings)),
    ports.findings.all(),
  ]);
  if (!snapshotResult.ok) return snapshotResult;
  const snapshot = snapshotResult.value;
  const trackedFiles = await trackedRecords(ports, settings, snapshot);
  if (!trackedFiles.ok) return trackedFiles;
  if (!storedFindings.ok) return storedFindings;
  const localFindings = storedFindings.value.map((finding) => ({
    ...finding,
    resolution: countedResolution(finding.resolution, settings.waivers),
  }));
  const missingPath = await unknownPath(ports, request, snapshot);
  if (missingPath !== null) return err({ kind: 'unknown-path', path: missingPath });
  const gates = await gatesOf(ports, request, snapshot);
  if (!gates.ok) return gates;
  const { planned, idle } = gates.value;
  const selectedGates = selectGates(planned.gates, request);
  if (!selectedGates.ok) return selectedGates;
  // Records are assigned to gates by file name, and one name can fit several gates. So include configured gates without
  // changes.
  const gatesById = new Map(
    [...planned.gates, ...configuredGates(settings.gates, rules)].map((gate) => [gate.id, gate]),
  );
  const names = new Map(gateNames([...gatesById.values()]).map((name) => [name.id, name]));
  const nameOf = (id: GateId) => {
    const name = names.get(id);
    if (name === undefined) throw new Error(`the gate ${id} has no name`);
    return name;
  };
  const past = await ports.records.read([...names.values()], trackedFiles.value);
  if (!past.ok) return past;
  const reviews = selectedGates.value.filter((gate) => gate.kind !== 'check');
  // The code for passes of other clones is loaded only if the settings configure them.
  const sharedPasses = ports.shared == null ? null : await import('./shared-passes.ts');
  const findingsWithWaivers =
    sharedPasses === null ? localFindings : await sharedPasses.withWaiversOfOthers(ports, localFindings, reviews);
  const checks = headTree === null ? selectedGates.value.filter((gate) => gate.kind === 'check') : [];
  const tree = checks.length === 0 ? ok(null) : await snapshot.tree();
  if (!tree.ok) return tree;
  const unseenContents = tree.value === null ? ok([]) : ((await snapshot.unseen?.()) ?? ok([]));
  if (!unseenContents.ok) return unseenContents;
  const checkedTreeId =
    tree.value === null ? null : checkedTree(tree.value, [...(snapshot.dirty ?? []), ...unseenContents.value]);

  const seesAll = request.gates.length === 0 && (request.paths.length === 0 || request.paths.includes('' as RepoPath));
  const starts = await cycleStarts(ports, { comparison, snapshot, past: past.value }, reviews);
  if (!starts.ok) return starts;
  // If no file is changed, the reviews of every earlier change are over, even those by gates that were removed from the
  // configuration.
  const isConfigured = snapshot.entries.length === 0 ? () => true : gateIds(settings.gates, rules);
  // A run about only a part of the change or of the gates must not end the reviews of other gates.
  const mayEndReviews = scope.kind === 'full' && seesAll ? isConfigured : () => false;
  const cycles = { isConfigured: mayEndReviews, starts: starts.value };
  const finishedCycles = endedCycles(comparison, planned.gates, cycles, past.value, findingsWithWaivers);
  const endedFindings = new Set(finishedCycles.findings);
  const findings = findingsWithWaivers.map((finding) =>
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
  const allChanged = snapshot.entries.map(({ path }) => path);
  // A mark of a passed review applies to the working tree, and a commit may have different content.
  const markedIds =
    settings.trustMarks && headTree === null
      ? await markedTasks(ports, reviews, { cache: settings.cache, allChanged, isPullRequest: pullRequest !== null })
      : ok(new Set<GateId>());
  if (!markedIds.ok) return markedIds;
  const records = grouped(past.value.slots, (record) => record.gate);
  const findingsOf = grouped(findings, (finding) => finding.gate);
  const receipts = new Map(
    await Promise.all(reviews.map(async (gate) => [gate, await receiptsOf(ports, gate, scope.key)] as const)),
  );
  const sharedDecisions = await sharedPasses?.sharedDecisions(ports, request, receipts, { scope, changed: allChanged });
  const states = await Promise.all(
    reviews.map(async (gate) => {
      const facts: GateFacts = {
        gate,
        records: records.get(gate.id) ?? [],
        cycleStart: starts.value.get(gate.id) ?? 0,
        findings: findingsOf.get(gate.id) ?? [],
        receipts: receipts.get(gate) ?? new Map(),
        shared: sharedDecisions?.get(gate) ?? new Map(),
        held: await ports.receipts.find('held', { gate: gate.id, ...where }),
        marked: markedIds.value.has(gate.id),
      };
      return gateState(facts, options);
    }),
  );
  // Writing the tree to git takes time, so do it only if a finding may be fixed outside its gate's files.
  const wholeTree = states.some(hasFindingOutside)
    ? await (headTree === null ? snapshot.tree() : ok(headTree))
    : ok(null);
  if (!wholeTree.ok) return wholeTree;
  const current = wholeTree.value;
  const orphans = findingsOfRemovedGates(findings, planned.gates, options, request);
  const isUnconfigured = settings.gates.length === 0 && rules.length === 0;
  if (isUnconfigured && orphans.length === 0 && request.allowUnconfigured === false) {
    return err({ kind: 'not-configured', base: pullRequest?.base ?? null });
  }
  const leavesChecksOut = headTree !== null && planned.gates.some(({ kind }) => kind === 'check');
  return ok({
    comparison,
    snapshot,
    checked: checkedTreeId,
    planned,
    nameOf,
    past: past.value,
    findings,
    checks: await Promise.all(checks.map((gate) => checkState(ports, gate, checkedTreeId))),
    reviews:
      current === null
        ? states
        : states.map((state) => (hasFindingOutside(state) ? { ...state, tree: current } : state)),
    orphans,
    ended: finishedCycles,
    seesAll,
    notices: [
      ...(pullRequest === null ? [] : [{ kind: 'base-config', base: pullRequest.base } as const]),
      ...(isUnconfigured ? [{ kind: 'unconfigured', base: pullRequest?.base ?? null } as const] : []),
      ...idle.map((path) => ({ kind: 'idle-gate', path }) as const),
      ...(trackedFiles.value.size > 0 ? [{ kind: 'tracked-log-dir', logDir: settings.logDir } as const] : []),
      ...snapshotNotices(snapshot),
      ...sharedNotices(ports),
      ...(leavesChecksOut ? [{ kind: 'checks-left-out' } as const] : []),
    ],
  });
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

function sharedNotices({ shared }: RunPorts): readonly RunNotice[] {
  const why = shared?.problem() ?? null;
  return why === null ? [] : [{ kind: 'no-shared-passes', why }];
}

function snapshotNotices({ unnameable, entries, dirty = [] }: Snapshot): readonly RunNotice[] {
  return [
    ...unnameable.map((name) => ({ kind: 'unnameable', name }) as const),
    ...entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => ({ kind: 'submodule', path }) as const),
    ...dirty.map(({ path }) => ({ kind: 'dirty-submodule', path }) as const),
  ];
}

/** Returns a requested path that does not exist, which is probably a typo; `null` if all exist. */
async function unknownPath(ports: RunPorts, request: RunRequest, { entries }: Snapshot): Promise<RepoPath | null> {
  const { selection, paths } = request;
  const contents = ports.contents();
  for (const path of [...paths, ...(selection.kind === 'files' ? selection.files : [])]) {
    const isChanged = path === '' || entries.some((entry) => isInside(entry.path, path));
    if (!isChanged && (await contents.exists(path)) === 'missing') return path;
  }
  return null;
}

async function receiptsOf(ports: RunPorts, gate: ReviewGate, scope: string): Promise<ReadonlyMap<number, Receipt>> {
  const receipts = new Map<number, Receipt>();
  for (let slot = 1; slot <= gate.numReviews; slot++) {
    const key = { gate: gate.id, slot, content: gate.content, scope, promptDigest: gate.rubric.digest };
    const receipt = await ports.receipts.find('review', key);
    if (receipt !== null) receipts.set(slot, receipt);
  }
  return receipts;
}

async function checkState(ports: RunPorts, gate: CheckGate, tree: SnapshotId | null): Promise<CheckState> {
  const key = { gate: gate.id, command: gate.command };
  const receipt = tree === null ? null : await ports.receipts.find('check', { ...key, tree });
  return { gate, holds: receipt?.verdict === 'pass' };
}

/** For each check that has to run, returns the last record of its command on this branch, if that was not a pass. */
export function failedChecks(
  checks: readonly CheckState[],
  records: readonly CheckRecord[],
  where: BranchContext,
): readonly CheckRecord[] {
  return checks.flatMap(({ gate, holds }) => {
    if (holds) return [];
    const [last] = records
      .filter((record) => record.gate === gate.id && record.command === gate.command && isSameBranch(record, where))
      .sort((a, b) => b.iteration - a.iteration);
    return last === undefined || last.status === 'pass' ? [] : [last];
  });
}

/** Returns the checks that failed last time, with the end of their output and the path of the whole log. */
export async function failingChecks(
  ports: Pick<RunPorts, 'records'>,
  { settings }: Pick<RunRequest, 'settings'>,
  { checks, past, comparison, nameOf }: RunFacts,
): Promise<readonly FailingGate[]> {
  const failing: FailingGate[] = [];
  for (const record of failedChecks(checks, past.checks, comparison.where)) {
    const { gate: id, iteration } = record;
    const name = nameOf(id);
    const text = await ports.records.readLog(name, null, iteration);
    const output = text === null ? null : lastLines(checkOutput(text).join('\n'));
    const log = text === null ? null : `${settings.logDir}/${gateFileName(name.stem, iteration, 'log')}`;
    failing.push({ id, detail: describeFailedCheck(record), output, log });
  }
  return failing;
}

/**
 * Returns, for each gate, the first iteration that reviewed the current change; 0 if all its records are about this
 * change. An earlier change is over when it was merged, or when the current change no longer contains it.
 */
async function cycleStarts(
  ports: Pick<RunPorts, 'snapshots'>,
  facts: ChangeFacts,
  gates: readonly ReviewGate[],
): Promise<Result<ReadonlyMap<GateId, number>>> {
  const starts = new Map<GateId, number>();
  const { scope } = facts.comparison;
  if (scope.kind === 'narrow') return ok(starts);
  const latest = latestRecords(facts);
  let contains: ReturnType<typeof compareWithEarlier> | null = null;
  for (const gate of gates) {
    const last = latest.get(gate.id);
    if (last === undefined) continue;
    if (last.own.content !== gate.content) {
      // Usually the content has not changed since the last record. Load the code that compares changes only if it has.
      contains ??= (await import('./earlier-change.ts')).compareWithEarlier(ports, facts);
      const isSameChange = await contains(last.own, gate);
      if (!isSameChange.ok) return isSameChange;
      if (!isSameChange.value) {
        starts.set(gate.id, last.iteration + 1);
        continue;
      }
    }
    starts.set(gate.id, last.own.cycle?.start ?? 0);
  }
  return ok(starts);
}

type OwnRecord = Pick<SlotRecord, 'iteration'> & { readonly own: RecordMetadata };

/**
 * Returns each gate's last record on this branch. If the last iteration has several records, prefers one with a
 * snapshot.
 */
function latestRecords({ comparison: { scope, where }, past }: ChangeFacts): ReadonlyMap<GateId, OwnRecord> {
  const latest = new Map<GateId, OwnRecord>();
  for (const { gate, iteration, own } of past.slots) {
    if (own === null || own.scope !== scope.key || !isSameBranch(own, where)) continue;
    const latestRecord = latest.get(gate);
    const isLater = latestRecord === undefined || iteration > latestRecord.iteration;
    if (isLater || (iteration === latestRecord.iteration && latestRecord.own.snapshot === null))
      latest.set(gate, { iteration, own });
  }
  return latest;
}
