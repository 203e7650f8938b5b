/** The fields of a finding that decide whether it points at the same code as another. */
export type PointedAt = {
  readonly gate: string;
  readonly slot: number;
  readonly file: string | null;
  readonly line: number | null;
  readonly anchor: { readonly text: string } | null;
};

/** A longer quotation covers several problems, so it does not join the findings inside it. */
const LONGEST_QUOTATION = 10;

/**
 * Groups findings of different reviewers that point at the same lines: they probably report one problem. Two findings
 * of one reviewer are never in one group. The order of the findings stays.
 */
export function groupBySameCode<T>(
  findings: readonly T[],
  pointedAt: (finding: T) => PointedAt,
): readonly (readonly [T, ...T[]])[] {
  const groups: [T, ...T[]][] = [];
  for (const finding of findings) {
    const place = pointedAt(finding);
    const group = groups.find((one) => one.every((other) => isSameCode(place, pointedAt(other))));
    if (group === undefined) groups.push([finding]);
    else group.push(finding);
  }
  return groups;
}

function isSameCode(a: PointedAt, b: PointedAt): boolean {
  if (a.file === null || a.file !== b.file || (a.gate === b.gate && a.slot === b.slot)) return false;
  const [one, other] = [rangeOf(a), rangeOf(b)];
  return one !== null && other !== null && one.first <= other.last && other.first <= one.last;
}

function rangeOf({ line, anchor }: PointedAt): { readonly first: number; readonly last: number } | null {
  if (line === null || anchor === null) return null;
  const length = anchor.text.split('\n').length;
  return length > LONGEST_QUOTATION ? null : { first: line, last: line + length - 1 };
}
