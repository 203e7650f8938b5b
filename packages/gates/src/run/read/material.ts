import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ReviewGate } from '../../gate-types.ts';
import type { ReferenceFiles } from '../../rules/select-files.ts';
import type { Rule, RuleTask } from '../../rules/types.ts';
import type { PromptMaterial } from '../../subject/review-subject.ts';

/**
 * Reads the reference files of the gates' rules, once a rule, and returns a function that gives what the repository
 * contributes to the prompt of a gate. Prompts are made from it, so a verdict is about the text that was read here.
 */
export async function readMaterial(
  gates: readonly ReviewGate[],
  openReferences: () => ReferenceFiles,
  allChanged: readonly RepoPath[],
): Promise<(gate: ReviewGate) => PromptMaterial> {
  const tasks = new Map<Rule, RuleTask>(
    gates.flatMap(({ task }) => (task === null || task.rule.references.length === 0 ? [] : [[task.rule, task]])),
  );
  const none: PromptMaterial = { references: [], unshown: [], allChanged };
  if (tasks.size === 0) return () => none;
  const { readContext } = await import('../../rules/select-files.ts');
  const materials = new Map<Rule, PromptMaterial>();
  const files = openReferences();
  for (const [rule, task] of tasks) {
    const { context, notices } = await readContext([task], files, allChanged);
    materials.set(rule, { references: context.references.get(task) ?? [], unshown: notices, allChanged });
  }
  return ({ task }) => (task === null ? none : (materials.get(task.rule) ?? none));
}
