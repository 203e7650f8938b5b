import type { FindingStore } from '../../src/gates/record/findings.ts';
import type { Finding } from '../../src/gates/types.ts';
import { ok, type Result } from '../../src/kernel/result.ts';

/** Adds one finding to the store and returns it with its id. */
export async function addOne(store: Pick<FindingStore, 'add'>, finding: Omit<Finding, 'id'>): Promise<Result<Finding>> {
  const added = await store.add([finding]);
  if (!added.ok) return added;
  const [one] = added.value;
  if (one === undefined) throw new Error('the store added nothing');
  return ok(one);
}
