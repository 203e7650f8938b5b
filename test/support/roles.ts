import type { RoleName } from '@onceover/base/kernel/review-loops';
import { BUILT_IN_ROLES, parseRole } from '@onceover/loops/phases/roles/load';
import type { Role } from '@onceover/loops/src/phases/roles/types.ts';

/** Returns a built-in role. */
export function builtInRole(name: RoleName): Role {
  const parsed = parseRole(name, BUILT_IN_ROLES[name], null);
  if (!parsed.ok) throw new Error(`${name}: ${JSON.stringify(parsed.problems)}`);
  return parsed.role;
}
