import { readTranscript } from '../dispatch/describe-transcript.ts';
import type { GateState, SlotState } from '../gates/decide/gate-state.ts';
import type { Preview } from '../gates/open-run.ts';
import type { CheckRecord, SlotRecord } from '../gates/record-types.ts';
import { isOpen } from '../gates/types.ts';
import type { RepoPath, SnapshotId } from '../kernel/ids.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { usageDocument } from '../ledger/describe.ts';
import { transcriptId } from './describe-timeline.ts';
import type { PageDocument, ReviewDiffDocument, TranscriptDocument } from './json-schema.ts';

type Proof = PageDocument['proof'][number];

/** Returns for each review why its reviewers count as passed, and the lines that skipped reviewers have not seen. */
export async function readProof(preview: Preview): Promise<readonly Proof[]> {
  const now = await preview.facts.snapshot.tree();
  const tree = now.ok ? now.value : null;
  return Promise.all(
    preview.facts.reviews.map(async (state) => ({
      gate: state.gate.id,
      content: state.gate.content,
      files: state.gate.entries.map(({ path }) => path),
      prompt: state.gate.rubric.source,
      slots: await Promise.all(state.slots.map((slot) => slotProof(preview, state, slot, tree))),
    })),
  );
}

const COUNTS_AS = {
  passed: 'passed',
  waived: 'waived',
  accepted: 'accepted',
  marked: 'marked',
  rests: 'skipped',
} as const;

async function slotProof(
  { ports, facts }: Preview,
  { gate, cycle }: GateState,
  { slot, covers, passIteration, latest }: SlotState,
  tree: SnapshotId | null,
): Promise<Proof['slots'][number]> {
  const key = { gate: gate.id, slot, content: gate.content, promptDigest: gate.rubric.digest };
  const receipt = await ports.receipts.find('review', { ...key, scope: facts.comparison.scope.key });
  const iteration = receipt?.iteration ?? passIteration ?? latest?.iteration ?? null;
  const record = cycle.find((one) => one.slot === slot && one.iteration === iteration) ?? null;
  const saw = covers === 'rests' ? (record?.own?.snapshot ?? null) : null;
  const sections =
    saw === null || tree === null
      ? null
      : await ports.snapshots.plainSections(
          saw,
          tree,
          gate.entries.map(({ path }) => path),
        );
  return {
    slot,
    counts_as: covers === null ? null : COUNTS_AS[covers],
    agent: receipt?.agent ?? record?.adapter ?? null,
    at: receipt?.at ?? record?.timestamp ?? null,
    iteration,
    dispatch: record?.own?.dispatch ?? null,
    unseen: sections?.ok === true ? changedLines(sections.value) : null,
  };
}

function changedLines(sections: readonly { readonly paths: readonly string[]; readonly text: string }[]) {
  const lines = sections.flatMap(({ text }) => text.split('\n'));
  return {
    files: [...new Set(sections.flatMap(({ paths }) => paths))],
    added: lines.filter((line) => line.startsWith('+') && !line.startsWith('+++ ')).length,
    removed: lines.filter((line) => line.startsWith('-') && !line.startsWith('--- ')).length,
  };
}

const LINES_AROUND = 4;
const LONGEST_LINE = 2000;

/** Returns the code around each finding that is not closed, from the reviewed content. */
export async function readCode({ ports, facts, outcome }: Preview): Promise<PageDocument['code']> {
  const shown = outcome.findings.filter(({ state }) => isOpen(state) || state === 'warning' || state === 'waived');
  const tree = shown.length === 0 ? null : await facts.snapshot.tree();
  if (tree === null || !tree.ok) return [];
  const texts = new Map<RepoPath, string | null>();
  const found: PageDocument['code'] = [];
  for (const { finding } of shown) {
    const { id, file, line, code } = finding;
    if (file === null) continue;
    if (!texts.has(file)) {
      const read = await ports.snapshots.textIn(tree.value, file);
      texts.set(file, read.ok ? read.value : null);
    }
    const lines = texts.get(file)?.split('\n') ?? [];
    const at = lineOf(lines, line, code);
    if (at === null) continue;
    const first = Math.max(1, at - LINES_AROUND);
    const height = Math.max(1, (code ?? '').trim().split('\n').length);
    const part = lines.slice(first - 1, at - 1 + height + LINES_AROUND);
    found.push({ finding: id, first_line: first, lines: part.map((one) => one.slice(0, LONGEST_LINE)) });
  }
  return found;
}

/** Returns the line with the quoted code that is nearest to the reported line; else the reported line if it exists. */
function lineOf(lines: readonly string[], line: number | null, code: string | null): number | null {
  const quoted = code?.trim().split('\n')[0]?.trim() ?? '';
  const matches = quoted === '' ? [] : lines.flatMap((text, n) => (text.includes(quoted) ? [n + 1] : []));
  const wanted = line ?? 1;
  const [nearest] = matches.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  return nearest ?? (line !== null && line >= 1 && line <= lines.length ? line : null);
}

const LONGEST_TRANSCRIPT = 16 * 1024 * 1024;
const LARGEST_PAGE = 48 * 1024 * 1024;

/** Returns the transcripts of all reviews and checks of the current cycles, newest first, as far as they fit. */
export function readTranscripts(preview: Preview): {
  readonly transcripts: readonly TranscriptDocument[];
  readonly leftOut: number;
} {
  const logOf = preview.ports.records.openLogs(LONGEST_TRANSCRIPT);
  const transcripts: TranscriptDocument[] = [];
  let size = 0;
  let leftOut = 0;
  for (const record of recordsOf(preview).sort((a, b) => b.iteration - a.iteration)) {
    const log = logOf(record.gate, 'slot' in record ? record.slot : null, record.iteration);
    if (log === null) continue;
    if (size + log.text.length > LARGEST_PAGE) leftOut++;
    else {
      size += log.text.length;
      transcripts.push(transcriptOf(record, log));
    }
  }
  return { transcripts, leftOut };
}

/** Returns one transcript by its id. The id only selects a record; it never becomes part of a path. */
export function findTranscript(preview: Preview, id: string): Result<TranscriptDocument> {
  const record = recordsOf(preview).find((one) => idOf(one) === id);
  const read = preview.ports.records.openLogs(LONGEST_TRANSCRIPT);
  const log = record === undefined ? null : read(record.gate, 'slot' in record ? record.slot : null, record.iteration);
  return record === undefined || log === null
    ? err({ kind: 'unknown-subject', name: id })
    : ok(transcriptOf(record, log));
}

/** Returns what changed between two reviews of a reviewer: its findings, and the code that it saw. */
export async function diffReviews(
  { ports, facts }: Preview,
  asked: { readonly gate: string; readonly slot: number; readonly from: number; readonly to: number },
): Promise<Result<ReviewDiffDocument>> {
  const state = facts.reviews.find(({ gate }) => gate.id === asked.gate);
  const recordAt = (iteration: number) =>
    state?.cycle.find((one) => one.slot === asked.slot && one.iteration === iteration);
  const [from, to] = [recordAt(asked.from), recordAt(asked.to)];
  if (from === undefined || to === undefined) {
    return err({ kind: 'unknown-subject', name: `${asked.gate}@${asked.slot}` });
  }
  const [before, after] = [from, to].map(({ violations }) => new Set(violations.flatMap(({ id }) => id ?? [])));
  const paths = state?.gate.entries.map(({ path }) => path) ?? [];
  const trees = [from.own?.snapshot ?? null, to.own?.snapshot ?? null] as const;
  const sections =
    trees[0] === null || trees[1] === null ? null : await ports.snapshots.plainSections(trees[0], trees[1], paths);
  return ok({
    ...asked,
    fixed: [...(before ?? [])].filter((id) => after?.has(id) !== true),
    added: [...(after ?? [])].filter((id) => before?.has(id) !== true),
    kept: [...(after ?? [])].filter((id) => before?.has(id) === true),
    sections:
      sections?.ok === true ? sections.value.map(({ paths: files, text }) => ({ files: [...files], text })) : null,
  });
}

function recordsOf({ facts }: Preview): (SlotRecord | CheckRecord)[] {
  return [
    ...facts.reviews.flatMap(({ cycle }) => cycle).filter(({ status }) => status !== 'skipped_prior_pass'),
    ...facts.past.checks,
  ];
}

function idOf(record: SlotRecord | CheckRecord): string {
  return transcriptId(record.gate, 'slot' in record ? record.slot : null, record.iteration);
}

function transcriptOf(
  record: SlotRecord | CheckRecord,
  { text, cut }: { readonly text: string; readonly cut: boolean },
): TranscriptDocument {
  const { gate, iteration, timestamp: at, status } = record;
  const shared = { id: idOf(record), gate, iteration, at, status, cut };
  if (!('slot' in record)) {
    return { ...shared, slot: null, agent: null, head: [], calls: [], result: text.trimEnd().split('\n') };
  }
  const { head, calls, result } = readTranscript(text);
  return {
    ...shared,
    slot: record.slot,
    agent: record.adapter,
    head: [...head],
    calls: calls.map(({ usage, filesRead, notes, ...call }) => ({
      ...call,
      usage: usageDocument(usage),
      files_read: filesRead === null ? null : [...filesRead],
      notes: [...notes],
    })),
    result: [...result],
  };
}
