import type { Reviewers } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';

/** Whether an agent is here and may be given leave to write. */
export async function checkFixer(reviewers: Reviewers, name: string): Promise<Result<void>> {
  const { found } = reviewers;
  if (!found.includes(name)) return failed({ kind: 'unknown-agent', name, known: found });
  const able = await ableToFix(reviewers, found);
  return able.includes(name) ? done(undefined) : failed({ kind: 'cannot-fix', name, able });
}

/** Those of the agents that may be given leave to write. */
export async function ableToFix(reviewers: Reviewers, names: readonly string[]): Promise<readonly string[]> {
  const able = await Promise.all(names.map(async (one) => ((await reviewers.describe(one)).canFix ? [one] : [])));
  return able.flat();
}
