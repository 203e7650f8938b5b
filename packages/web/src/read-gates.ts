import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { isOpen } from '@onceover/gates/findings/types';
import type { GateState, SlotState } from '@onceover/gates/run/decide/gate-state';
import type { Preview } from '@onceover/gates/run/open-run';
import type { SlotRecord } from '@onceover/gates/run/record-types';
import type { PageDocument, ReviewDiffDocument } from './json-schema.ts';

type Proof = PageDocument['proof'][number];

/**
 * Returns for each gate why its reviewers count as passed, and which changed lines the skipped reviewers have not seen.
 */
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
  { gate, subject, cycle }: GateState,
  { slot, covers, passIteration, latest }: SlotState,
  tree: SnapshotId | null,
): Promise<Proof['slots'][number]> {
  const receipt = await ports.receipts.find('review', { ...subject, slot, scope: facts.comparison.scope.key });
  const iteration = receipt?.iteration ?? passIteration ?? latest?.iteration ?? null;
  const record = cycle.find((candidate) => candidate.slot === slot && candidate.iteration === iteration) ?? null;
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

/**
 * The maximum number of characters of a diff that is shown because a skipped reviewer has not seen it. For a longer
 * diff, the page shows only the number of lines.
 */
const LONGEST_UNSEEN = 20_000;

function changedLines(sections: readonly { readonly paths: readonly string[]; readonly text: string }[]) {
  const diff = sections.map(({ text }) => text).join('');
  const lines = diff.split('\n');
  return {
    files: [...new Set(sections.flatMap(({ paths }) => paths))],
    diff: diff.length > LONGEST_UNSEEN ? null : diff,
    added: lines.filter((line) => line.startsWith('+') && !line.startsWith('+++ ')).length,
    removed: lines.filter((line) => line.startsWith('-') && !line.startsWith('--- ')).length,
  };
}

const LINES_AROUND = 4;
const LONGEST_LINE = 2000;

/** Returns the reviewed code around each finding that is not closed. */
export async function readCode({ ports, facts, outcome }: Preview): Promise<PageDocument['code']> {
  const findings = outcome.findings.filter(({ state }) => isOpen(state) || state === 'warning' || state === 'waived');
  const tree = findings.length === 0 ? null : await facts.snapshot.tree();
  if (tree === null || !tree.ok) return [];
  const texts = new Map<RepoPath, string | null>();
  const excerpts: PageDocument['code'] = [];
  for (const { finding } of findings) {
    const { id, file, line, code } = finding;
    if (file === null) continue;
    if (!texts.has(file)) {
      const text = await ports.snapshots.textIn(tree.value, file);
      texts.set(file, text.ok ? text.value : null);
    }
    const lines = texts.get(file)?.split('\n') ?? [];
    const at = lineOf(lines, line, code);
    if (at === null) continue;
    const first = Math.max(1, at - LINES_AROUND);
    const height = Math.max(1, (code ?? '').trim().split('\n').length);
    const part = lines.slice(first - 1, at - 1 + height + LINES_AROUND);
    // The text after the last line break of a file is not a line.
    if (first - 1 + part.length === lines.length && part.at(-1) === '') part.pop();
    excerpts.push({ finding: id, first_line: first, lines: part.map((text) => text.slice(0, LONGEST_LINE)) });
  }
  return excerpts;
}

/**
 * Returns the line that contains the quoted code and is nearest to the reported line. Without such a line, returns the
 * reported line if it exists.
 */
function lineOf(lines: readonly string[], line: number | null, code: string | null): number | null {
  const quote = code?.trim().split('\n')[0]?.trim() ?? '';
  const matches = quote === '' ? [] : lines.flatMap((text, n) => (text.includes(quote) ? [n + 1] : []));
  const target = line ?? 1;
  const [nearest] = matches.sort((a, b) => Math.abs(a - target) - Math.abs(b - target));
  return nearest ?? (line !== null && line >= 1 && line <= lines.length ? line : null);
}

/** Returns the differences between two reviews by one reviewer: in its findings, and in the code that it reviewed. */
export async function diffReviews(
  { ports, facts }: Preview,
  request: { readonly gate: string; readonly slot: number; readonly from: number; readonly to: number },
): Promise<Result<ReviewDiffDocument>> {
  const state = facts.reviews.find(({ gate }) => gate.id === request.gate);
  const recordAt = (iteration: number) =>
    state?.cycle.find((record) => record.slot === request.slot && record.iteration === iteration);
  const [from, to] = [recordAt(request.from), recordAt(request.to)];
  if (from === undefined || to === undefined) {
    return err({ kind: 'unknown-subject', name: `${request.gate}@${request.slot}` });
  }
  const [before, after] = [from, to].map(({ violations }) => new Set(violations.flatMap(({ id }) => id ?? [])));
  const paths = state?.gate.entries.map(({ path }) => path) ?? [];
  const trees = [from.own?.snapshot ?? null, to.own?.snapshot ?? null] as const;
  const sections =
    trees[0] === null || trees[1] === null ? null : await ports.snapshots.plainSections(trees[0], trees[1], paths);
  return ok({
    ...request,
    fixed: [...(before ?? [])].filter((id) => after?.has(id) !== true),
    added: [...(after ?? [])].filter((id) => before?.has(id) !== true),
    kept: [...(after ?? [])].filter((id) => before?.has(id) === true),
    findings: findingsOf([...from.violations, ...to.violations]),
    sections:
      sections?.ok === true ? sections.value.map(({ paths: files, text }) => ({ files: [...files], text })) : null,
  });
}

/** Returns each finding once, in the words of the last review that reported it. */
function findingsOf(violations: SlotRecord['violations']): ReviewDiffDocument['findings'] {
  const byId = new Map(violations.flatMap(({ id, file, issue }) => (id === null ? [] : [[id, { id, file, issue }]])));
  return [...byId.values()];
}
