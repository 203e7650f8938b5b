import { ok, type Result } from '@onceover/base/kernel/result';
import type { Finding } from '@onceover/gates/findings/types';
import type { FindingStore } from '@onceover/gates/src/findings/open-findings.ts';

/** Adds one finding to the store and returns it with its id. */
export async function addOne(store: Pick<FindingStore, 'add'>, finding: Omit<Finding, 'id'>): Promise<Result<Finding>> {
  const added = await store.add([finding]);
  if (!added.ok) return added;
  const [one] = added.value;
  if (one === undefined) throw new Error('the store added nothing');
  return ok(one);
}
