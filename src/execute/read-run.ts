import type { RepoPath, SnapshotId } from '../domain/brand.ts';
import { SUBMODULE } from '../domain/change.ts';
import type { KnownFinding } from '../domain/finding.ts';
import type { CheckGate, Entry, Gate, GateId, ReviewGate } from '../domain/gate.ts';
import { isInside } from '../domain/generated.ts';
import { leftOut } from '../domain/left-out.ts';
import type { Comparison, GateName, RecordedPast, Snapshot } from '../domain/ports.ts';
import type { Receipt } from '../domain/receipt.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { RunNotice } from '../domain/run.ts';
import { checkedTree } from '../plan/checked-tree.ts';
import type { CheckState } from '../plan/decide-run.ts';
import { type EndedCycles, endedCycles, NOTHING_ENDED, orphansOf } from '../plan/ended-cycles.ts';
import { type GateFacts, type GateState, gateState, type StateOptions } from '../plan/gate-state.ts';
import { configuredGates, type PlannedGates } from '../plan/gates.ts';
import { hiddenByLogDir } from '../plan/log-dir.ts';
import { gateNames } from '../plan/record-names.ts';
import { selectGates } from '../plan/select-gates.ts';
import { gatesOf } from './read-gates.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** Everything that is known before it is decided what to do; read again afterwards, it is what the run is judged by. */
export type RunFacts = {
  readonly comparison: Comparison;
  readonly snapshot: Snapshot;
  /** What checks pass for, where there are any. */
  readonly checked: SnapshotId | null;
  readonly planned: PlannedGates;
  readonly names: ReadonlyMap<GateId, GateName>;
  readonly past: RecordedPast;
  readonly findings: readonly KnownFinding[];
  readonly checks: readonly CheckState[];
  readonly reviews: readonly GateState[];
  /** Findings of gates that are no more, on what is still there. */
  readonly orphans: readonly KnownFinding[];
  readonly ended: EndedCycles;
  /** Whether it speaks of all gates of what it looks at. */
  readonly seesAll: boolean;
  readonly notices: readonly RunNotice[];
};

/** Looks at the change, the records and the receipts, and tells where every gate stands. */
export async function readRun(ports: RunPorts, request: RunRequest): Promise<Result<RunFacts>> {
  const { settings } = request;
  const comparison = await ports.snapshots.compare(request.selection, settings.base);
  return comparison.ok ? readCompared(ports, request, comparison.value) : comparison;
}

/** The same for a comparison that is known. */
export async function readCompared(
  ports: RunPorts,
  request: RunRequest,
  comparison: Comparison,
): Promise<Result<RunFacts>> {
  const { settings } = request;
  const [snapshot, known] = await Promise.all([
    ports.snapshots.take(comparison, leftOut(settings)),
    ports.findings.all(),
  ]);
  if (!snapshot.ok) return snapshot;
  const mayBeTracked = snapshot.value.mayHave(settings.logDir);
  const tracked = mayBeTracked ? await ports.snapshots.trackedIn(settings.logDir) : done(new Set<RepoPath>());
  if (!tracked.ok) return tracked;
  if (!known.ok) return known;
  // Where the folder is a repository of its own, whoever committed there wrote the records.
  if (tracked.value.has(settings.logDir))
    return failed({ kind: 'path-in-the-way', path: settings.logDir, found: 'repository' });
  const hidden = hiddenByLogDir(tracked.value, settings.logDir);
  if (hidden.length > 0) return failed({ kind: 'log-dir-hides', logDir: settings.logDir, files: hidden });
  const unknown = await unknownPath(ports, request, snapshot.value);
  if (unknown !== null) return failed({ kind: 'unknown-path', path: unknown });
  const gates = await gatesOf(ports, request, snapshot.value);
  if (!gates.ok) return gates;
  const { planned, idle } = gates.value;
  const selected = selectGates(planned.gates, request);
  if (!selected.ok) return selected;
  const names = new Map(gateNames(allGates(planned.gates, request)).map((name) => [name.id, name]));
  const past = await ports.records.read([...names.values()], tracked.value);
  if (!past.ok) return past;
  const reviews = selected.value.filter((gate) => gate.kind !== 'check');
  const checks = comparison.headTree === null ? selected.value.filter((gate) => gate.kind === 'check') : [];
  const tree = checks.length === 0 ? done(null) : await snapshot.value.tree();
  if (!tree.ok) return tree;
  const { dirty = [] } = snapshot.value;
  const checked = tree.value === null ? null : checkedTree(tree.value, dirty);

  const seesAll = request.gates.length === 0 && (request.paths.length === 0 || request.paths.includes('' as RepoPath));
  const isWhole = comparison.scope.kind === 'full' && seesAll;
  const ended = isWhole ? endedCycles(comparison, planned.gates, past.value, known.value) : NOTHING_ENDED;
  const endedIds = new Set(ended.findings.map(({ id }) => id));
  const findings = known.value.map((one) => (endedIds.has(one.id) ? { ...one, cycleEnded: true } : one));
  const entries = new Map<string, Entry>(snapshot.value.entries.map((entry) => [entry.path, entry]));
  const standpoint: StateOptions = {
    scope: comparison.scope,
    where: comparison.where,
    levels: settings,
    ...(request.ratchet === undefined ? {} : { letBe: request.ratchet.now.letBe }),
    entryOf: (path) => entries.get(path),
  };
  const allChanged = snapshot.value.entries.map(({ path }) => path);
  // A mark is for what is in the working tree, and a commit may be another content.
  const marked =
    settings.trustMarks && comparison.headTree === null
      ? await (await import('./rule-marks.ts')).markedTasks(ports, reviews, settings.cache, allChanged)
      : done(new Set<GateId>());
  if (!marked.ok) return marked;
  const states = await Promise.all(
    reviews.map(async (gate) => {
      const facts: GateFacts = {
        gate,
        records: past.value.slots.filter((record) => record.gate === gate.id),
        findings: findings.filter((finding) => finding.gate === gate.id),
        receipts: await receiptsOf(ports, gate, comparison.scope.key),
        held: await ports.receipts.findHeld({ gate: gate.id, ...comparison.where }),
        marked: marked.value.has(gate.id),
      };
      return gateState(facts, standpoint);
    }),
  );
  return done({
    comparison,
    snapshot: snapshot.value,
    checked,
    planned,
    names,
    past: past.value,
    findings,
    checks: await checkStates(ports, checks, checked),
    reviews: states,
    orphans: orphansOf(findings, planned.gates, standpoint, request),
    ended,
    seesAll,
    notices: [
      ...idle.map((path): RunNotice => ({ kind: 'idle-gate', path })),
      ...(tracked.value.size > 0 ? [{ kind: 'tracked-log-dir', logDir: settings.logDir } as const] : []),
      ...snapshot.value.unnameable.map((name): RunNotice => ({ kind: 'unnameable', name })),
      ...snapshot.value.entries
        .filter(({ mode }) => mode === SUBMODULE)
        .map(({ path }): RunNotice => ({ kind: 'submodule', path })),
      ...dirty.map(({ path }): RunNotice => ({ kind: 'dirty-submodule', path })),
      ...(comparison.headTree !== null && planned.gates.some(({ kind }) => kind === 'check')
        ? [{ kind: 'checks-left-out' } as const]
        : []),
    ],
  });
}

/** A path that was asked about and is nowhere: most likely a mistake, and a run about nothing would pass for ever. */
async function unknownPath(ports: RunPorts, request: RunRequest, { entries }: Snapshot): Promise<RepoPath | null> {
  const { selection } = request;
  const contents = ports.contents();
  for (const path of [...request.paths, ...(selection.kind === 'files' ? selection.files : [])]) {
    const isChanged = path === '' || entries.some((entry) => isInside(entry.path, path));
    if (!isChanged && (await contents.exists(path)) === 'missing') return path;
  }
  return null;
}

/** The gates of this change and those that are only configured: whose record a file is depends on all their names. */
function allGates(gates: readonly Gate[], { settings, rules }: RunRequest): readonly Pick<Gate, 'id' | 'kind'>[] {
  const all = [...gates, ...configuredGates(settings.gates, rules)];
  return [...new Map(all.map((gate) => [gate.id, gate])).values()];
}

async function receiptsOf(ports: RunPorts, gate: ReviewGate, scope: string): Promise<ReadonlyMap<number, Receipt>> {
  const receipts = new Map<number, Receipt>();
  for (let slot = 1; slot <= gate.numReviews; slot++) {
    const key = { gate: gate.id, slot, content: gate.content, scope, promptDigest: gate.rubric.digest };
    const receipt = await ports.receipts.find(key);
    if (receipt !== null) receipts.set(slot, receipt);
  }
  return receipts;
}

async function checkStates(
  ports: RunPorts,
  checks: readonly CheckGate[],
  tree: SnapshotId | null,
): Promise<readonly CheckState[]> {
  return Promise.all(
    checks.map(async (gate) => {
      if (tree === null) return { gate, holds: false };
      const receipt = await ports.receipts.findCheck({ gate: gate.id, command: gate.command, tree });
      return { gate, holds: receipt?.verdict === 'pass' };
    }),
  );
}
