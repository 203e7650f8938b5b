import { parseRole } from '../../src/config/parse-role.ts';
import type { Role, RoleName } from '../../src/domain/role.ts';
import { BUILT_IN_ROLES } from '../../src/roles/table.ts';

/** A role as it is built in. */
export function builtInRole(name: RoleName): Role {
  const parsed = parseRole(name, BUILT_IN_ROLES[name], null);
  if (!parsed.ok) throw new Error(`${name}: ${JSON.stringify(parsed.problems)}`);
  return parsed.role;
}
