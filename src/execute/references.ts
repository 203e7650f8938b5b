import type { UnusableReference } from '../domain/instructions.ts';
import type { Contents } from '../domain/ports.ts';
import { MOST_REFERENCES, type ReferenceText, type RuleTask } from '../domain/task.ts';

/** The reference files of a task as its reviewer will see them; what does not fit is marked as cut. */
export async function readReferences(
  task: RuleTask,
  contents: Contents,
): Promise<{ readonly references: readonly ReferenceText[]; readonly notices: readonly UnusableReference[] }> {
  const references: ReferenceText[] = [];
  const notices: UnusableReference[] = [];
  let left: number = MOST_REFERENCES.bytes;
  for (const [i, { path, description }] of task.rule.references.entries()) {
    if (i >= MOST_REFERENCES.files) {
      references.push({ path, description, text: null, leftOut: 'too-many' });
      continue;
    }
    const read = left === 0 ? null : await contents.text(path, left);
    if (read === null) references.push({ path, description, text: null, leftOut: 'cut' });
    else if (read.kind === 'unusable') {
      references.push({ path, description, text: null, leftOut: 'unusable' });
      notices.push({ kind: 'reference-unusable', rule: task.rule.name, path, why: read.why });
    } else {
      left -= read.cut ? left : read.bytes;
      references.push({ path, description, text: read.text, leftOut: read.cut ? 'cut' : null });
    }
  }
  return { references, notices };
}
