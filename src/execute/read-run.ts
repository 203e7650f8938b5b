import type { RepoPath, SnapshotId } from '../domain/brand.ts';
import { isOpen, type KnownFinding } from '../domain/finding.ts';
import type { CheckGate, Entry, Gate, GateId, ReviewGate } from '../domain/gate.ts';
import { isInside } from '../domain/generated.ts';
import { leftOut } from '../domain/left-out.ts';
import type { Comparison, GateName, RecordedPast, Snapshot } from '../domain/ports.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { SlotRecord } from '../domain/record.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { RunNotice } from '../domain/run.ts';
import type { Settings } from '../domain/settings.ts';
import { findingState, isHere } from '../plan/cycle.ts';
import type { CheckState } from '../plan/decide-run.ts';
import { entryFolder, matchesEntry } from '../plan/entry-point.ts';
import { type GateFacts, type GateState, gateState, type StateOptions } from '../plan/gate-state.ts';
import { canBeGate, configuredGates, type PlannedGates, planGates } from '../plan/gates.ts';
import { hiddenByLogDir } from '../plan/log-dir.ts';
import { gateNames } from '../plan/record-names.ts';
import { ruleRubric } from '../plan/rubric.ts';
import { markedTasks } from './rule-marks.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** Everything that is known before it is decided what to do; read again afterwards, it is what the run is judged by. */
export type RunFacts = {
  readonly comparison: Comparison;
  readonly snapshot: Snapshot;
  /** The whole tree, where checks or reviewers need it. */
  readonly tree: SnapshotId | null;
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

/** Gates without entries: their cycle is over, and their records go to the archive. */
type EndedCycles = {
  readonly records: readonly { readonly gate: GateId; readonly iteration: number }[];
  readonly findings: readonly KnownFinding[];
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
  const selected = select(planned.gates, request);
  if (!selected.ok) return selected;
  const names = new Map(gateNames(allGates(planned.gates, request)).map((name) => [name.id, name]));
  const past = await ports.records.read([...names.values()], tracked.value);
  if (!past.ok) return past;
  const reviews = selected.value.filter((gate) => gate.kind !== 'check');
  const checks = comparison.headTree === null ? selected.value.filter((gate) => gate.kind === 'check') : [];
  const tree = checks.length === 0 ? done(null) : await snapshot.value.tree();
  if (!tree.ok) return tree;

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
  const marked = settings.trustMarks ? await markedTasks(ports, reviews) : done(new Set<GateId>());
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
    tree: tree.value,
    planned,
    names,
    past: past.value,
    findings,
    checks: await checkStates(ports, checks, tree.value),
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

const SUBMODULE = '160000';
const NOTHING_ENDED: EndedCycles = { records: [], findings: [] };

/** The gates that a look at the working tree asks for, and entry points that no file lies in. */
export async function gatesOf(
  ports: RunPorts,
  request: RunRequest,
  snapshot: Snapshot,
): Promise<Result<{ readonly planned: PlannedGates; readonly idle: readonly string[] }>> {
  const { settings, rules } = request;
  const changed = snapshot.entries.map(({ path }) => path);
  const maybeIdle = await withoutFolder(ports, settings.gates, changed);
  const wantsUnchanged = rules.some((rule) => rule.context.unchangedMatchingFiles);
  // The whole listing is long, and seldom asked for.
  const all = wantsUnchanged || maybeIdle.length > 0 ? await ports.snapshots.files() : done(changed);
  if (!all.ok) return all;
  const planned = planGates({
    settings: settings.gates,
    rules,
    entries: snapshot.entries,
    rubrics: request.rubrics,
    ruleRubric,
    unchanged: () => {
      const isChanged = new Set(changed);
      return all.value.filter((path) => !isChanged.has(path));
    },
  });
  const [duplicate] = planned.duplicates;
  if (duplicate !== undefined) {
    const what = { kind: 'bad-value', key: 'gates', said: `give the gate ${duplicate} more than once` } as const;
    return failed({ kind: 'broken-config', problems: [{ file: 'onceover.yml', line: 1, column: 1, what }] });
  }
  const idle = maybeIdle.filter((entry) => !matchesEntry(entry, all.value)).map(({ path }) => path);
  return done({ planned, idle });
}

/** Entry points without any change whose folder is not there either; of a pattern only a listing can tell. */
async function withoutFolder(
  ports: RunPorts,
  entries: Settings['gates'],
  changed: readonly RepoPath[],
): Promise<Settings['gates']> {
  const unchanged = entries.filter((entry) => !matchesEntry(entry, changed));
  const contents = ports.contents();
  const there = await Promise.all(
    unchanged.map(async (entry) => {
      const folder = entryFolder(entry);
      return folder !== null && (folder === '' || (await contents.exists(folder)) !== 'missing');
    }),
  );
  return unchanged.filter((_, n) => there[n] !== true);
}

/** The gates of this change and those that are only configured: whose record a file is depends on all their names. */
function allGates(gates: readonly Gate[], { settings, rules }: RunRequest): readonly Pick<Gate, 'id' | 'kind'>[] {
  const all = [...gates, ...configuredGates(settings.gates, rules)];
  return [...new Map(all.map((gate) => [gate.id, gate])).values()];
}

/** The gates that were asked for; a name that fits none is an error, unless the gate is there and has nothing to look at. */
function select(gates: readonly Gate[], request: RunRequest): Result<readonly Gate[]> {
  const configured = [
    ...request.settings.gates.flatMap((entry) => [...Object.keys(entry.checks), ...Object.keys(entry.reviews)]),
    ...request.rules.map(({ name }) => name),
  ];
  for (const wanted of request.gates) {
    if (
      !configured.includes(wanted) &&
      !gates.some(({ id }) => id === wanted) &&
      !canBeGate(wanted, request.settings.gates, request.rules)
    ) {
      return failed({ kind: 'unknown-gate', gate: wanted, known: [...new Set(configured)] });
    }
  }
  return done(
    gates.filter(
      (gate) =>
        (request.gates.length === 0 || request.gates.some((wanted) => wanted === gate.id || wanted === gate.name)) &&
        (request.paths.length === 0 || isUnder(gate, request.paths)),
    ),
  );
}

/** Whether a gate has entries at or below one of the paths. */
function isUnder(gate: Gate, paths: readonly RepoPath[]): boolean {
  return gate.entries.some((entry) => isAt(entry.path, paths));
}

/** Whether a file is at or below one of the paths; what has no place is part of the whole alone. */
function isAt(file: string | null, paths: readonly RepoPath[]): boolean {
  return paths.some((path) => path === '' || (file !== null && isInside(file, path)));
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

function endedCycles(
  { where, scope }: Comparison,
  gates: readonly Gate[],
  past: RecordedPast,
  findings: readonly KnownFinding[],
): EndedCycles {
  const ids = new Set(gates.map(({ id }) => id));
  return {
    records: [...past.others, ...past.checks, ...past.slots.flatMap(ownRecord)]
      .filter((record) => !ids.has(record.gate) && isHere(record, where))
      .map(({ gate, iteration }) => ({ gate, iteration })),
    findings: findings.filter(
      (finding) =>
        !ids.has(finding.gate) &&
        finding.scope === scope.key &&
        finding.kept !== 'closed' &&
        !finding.cycleEnded &&
        isHere(finding, where),
    ),
  };
}

function ownRecord({ gate, iteration, own }: SlotRecord) {
  return own === null ? [] : [{ gate, iteration, branch: own.branch, mergeBase: own.mergeBase }];
}

/** Open findings of gates that are no more, as far as the run was asked about their files: their cycles are over. */
function orphansOf(
  findings: readonly KnownFinding[],
  gates: readonly Gate[],
  options: StateOptions,
  asked: Pick<RunRequest, 'gates' | 'paths'>,
): readonly KnownFinding[] {
  if (asked.gates.length > 0) return [];
  const ids = new Set(gates.map(({ id }) => id));
  return findings.filter(
    (finding) =>
      !ids.has(finding.gate) &&
      (asked.paths.length === 0 || isAt(finding.file, asked.paths)) &&
      isOpen(findingState({ ...finding, cycleEnded: true }, options, options.entryOf)),
  );
}
