import { grouped } from '@onceover/base/kernel/collections';
import { PRIORITIES, type Priority } from '@onceover/repo/config/settings';
import type { ReportedFinding } from './types.ts';
import { type FindingState, isOpen } from './types.ts';

/** The fields of a finding that show which code it refers to. */
export type PointedAt = {
  readonly id: string;
  readonly priority: Priority;
  readonly state: FindingState;
  readonly gate: string;
  readonly slot: number;
  readonly file: string | null;
  readonly line: number | null;
  readonly anchor: { readonly text: string; readonly occurrence: number } | null;
};

/** The findings about one problem, the most severe first. */
export type SameCode<T> = readonly [T, ...T[]];

/** The maximum number of lines of a quotation that is compared with others. A longer one may cover several problems. */
const LONGEST_QUOTATION = 10;

/**
 * Groups findings of different reviewers that refer to the same code, because they probably report one problem. A group
 * never contains two findings of one reviewer, or an open finding and a warning. The order of the findings does not
 * affect the groups; a group is listed at the place of its first finding.
 */
export function groupBySameCode<T>(
  findings: readonly T[],
  pointedAt: (finding: T) => PointedAt,
): readonly SameCode<T>[] {
  const placedFindings = findings.map((finding, index) => ({ finding, index, place: pointedAt(finding) }));
  const groups: [(typeof placedFindings)[number], ...typeof placedFindings][] = [];
  for (const inFile of grouped(placedFindings, ({ place }) => place.file).values()) {
    const fileGroups: typeof groups = [];
    for (const placedFinding of [...inFile].sort((a, b) => byRank(a.place, b.place))) {
      const group = fileGroups.find((members) =>
        members.every((member) => isSameCode(placedFinding.place, member.place)),
      );
      if (group === undefined) fileGroups.push([placedFinding]);
      else group.push(placedFinding);
    }
    groups.push(...fileGroups);
  }
  const first = (group: typeof placedFindings) => Math.min(...group.map(({ index }) => index));
  return groups
    .sort((a, b) => first(a) - first(b))
    .map(([mostSevere, ...otherEntries]) => [mostSevere.finding, ...otherEntries.map(({ finding }) => finding)]);
}

/** Groups the findings of a run by the problem that they report. */
export function problemsIn(findings: readonly ReportedFinding[]): readonly SameCode<ReportedFinding>[] {
  return groupBySameCode(findings, ({ finding, state }) => ({ ...finding, state }));
}

function byRank(a: PointedAt, b: PointedAt): number {
  const rank = ({ priority }: PointedAt) => PRIORITIES.indexOf(priority);
  return rank(a) - rank(b) || Number(a.id.slice(1)) - Number(b.id.slice(1));
}

function isSameCode(a: PointedAt, b: PointedAt): boolean {
  if (a.file === null || a.file !== b.file || (a.gate === b.gate && a.slot === b.slot)) return false;
  if (stateClass(a) !== stateClass(b)) return false;
  const [linesOfA, linesOfB] = [linesOf(a), linesOf(b)];
  if (linesOfA === null || linesOfB === null) return false;
  if (a.anchor?.text === b.anchor?.text && a.anchor?.occurrence === b.anchor?.occurrence) return true;
  return areOnSameLines(linesOfA, linesOfB);
}

function stateClass({ state }: PointedAt): FindingState {
  return isOpen(state) ? 'open' : state;
}

type QuotedLines = { readonly first: number; readonly texts: readonly string[] };

function linesOf({ line, anchor }: PointedAt): QuotedLines | null {
  if (line === null || anchor === null) return null;
  const texts = anchor.text.split('\n');
  return texts.length > LONGEST_QUOTATION ? null : { first: line, texts };
}

/**
 * Whether two quotations share lines. Their line numbers can be outdated, because they are from the time of the report,
 * so the texts are compared too. A quotation can be a part of a line.
 */
function areOnSameLines(a: QuotedLines, b: QuotedLines): boolean {
  const from = Math.max(a.first, b.first);
  const to = Math.min(a.first + a.texts.length, b.first + b.texts.length);
  for (let line = from; line < to; line++) {
    const [textA = '', textB = ''] = [a.texts[line - a.first], b.texts[line - b.first]];
    if (!textA.includes(textB) && !textB.includes(textA)) return false;
  }
  return from < to;
}
