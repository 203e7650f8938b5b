import type { ReviewId } from '../domain/brand.ts';
import { byCodePoint } from '../domain/order.ts';
import type { FileDigest, ReviewTask, RuleTask, TaskContent } from '../domain/task.ts';
import { composeReviewId, inHashOrder } from './review-id.ts';

/** Gives tasks their ids; tasks that share an id become one review with several parts. */
export function identify(
  tasks: readonly { readonly task: RuleTask; readonly content: TaskContent }[],
): readonly ReviewTask[] {
  const byId = new Map<ReviewId, { parts: [RuleTask, ...RuleTask[]]; digests: Map<string, FileDigest> }>();
  for (const { task, content } of tasks) {
    const id = composeReviewId({ rule: task.rule.name, paths: task.files, contentHash: content.hash });
    const known = byId.get(id);
    if (known === undefined) byId.set(id, { parts: [task], digests: byPath(content.files) });
    else {
      known.parts.push(task);
      for (const file of content.files) known.digests.set(file.path, file);
    }
  }
  return [...byId].map(([id, { parts, digests }]) => ({
    id,
    parts,
    files: inHashOrder(new Set(parts.flatMap((part) => part.files))),
    digests: [...digests.values()].sort((a, b) => byCodePoint(a.path, b.path)),
  }));
}

function byPath(files: readonly FileDigest[]): Map<string, FileDigest> {
  return new Map(files.map((file) => [file.path, file]));
}
