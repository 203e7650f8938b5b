import { digestOf, sha256 } from '../domain/digest.ts';
import type { TaskFacts } from '../domain/pass.ts';
import type { ReviewTask, TaskContext } from '../domain/task.ts';

/** Counts up whenever the text around a rule's own instructions changes what a reviewer is asked. */
const PROMPT_VERSION = 1;

/** What a review is about today, in a form that can be kept and compared. */
export function taskFacts(task: ReviewTask, context: TaskContext): TaskFacts {
  return {
    id: task.id,
    parts: task.parts.map((part) => ({
      source: part.rule.source.file,
      rule: part.rule.name,
      textDigest: sha256(part.rule.instructions),
      contextDigest: digestOf([
        part.unchangedMatching,
        part.rule.context.allChangedFilenames ? context.allChanged : [],
        context.references.get(part) ?? [],
      ]),
    })),
    files: task.digests,
    promptVersion: PROMPT_VERSION,
  };
}
