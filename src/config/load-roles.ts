import type { RepoPath } from '../domain/brand.ts';
import type { Listing } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Problem } from '../domain/problem.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { ROLE_FOLDER, ROLE_NAMES, type Role, type RoleName, type Roles, roleFile } from '../domain/role.ts';
import type { TextFiles } from '../io/text-files.ts';
import { type ParsedRole, parseRole } from './parse-role.ts';
import { readOptional, unusable } from './whole-text.ts';

/** The roles: those built in, each replaced by `.onceover/roles/<role>.md` where there is such a file. */
export function loadRoles(
  files: TextFiles,
  listing: Pick<Listing, 'tracked' | 'untracked'>,
  builtIn: Readonly<Record<RoleName, string>>,
): Result<Roles> {
  const problems: Problem[] = strangers(listing);
  const roles: Role[] = [];
  for (const name of ROLE_NAMES) {
    const parsed = loadRole(files, name, builtIn[name]);
    if (parsed.ok) roles.push(parsed.role);
    else problems.push(...parsed.problems.map((one) => ({ file: roleFile(name), ...one })));
  }
  if (problems.length > 0) return failed({ kind: 'broken-config', problems });
  return done(Object.fromEntries(roles.map((role) => [role.name, role])) as Roles);
}

function loadRole(files: TextFiles, name: RoleName, builtIn: string): ParsedRole {
  const base = parseRole(name, builtIn, null);
  if (!base.ok) return base;
  const read = readOptional(files, roleFile(name));
  if (read === null) return base;
  return read.ok
    ? parseRole(name, read.text, base.role)
    : { ok: false, problems: [unusable(roleFile(name), read.why)] };
}

/** Files that look like a role and are none: a slip in a name would otherwise go unnoticed. */
function strangers({ tracked, untracked }: Pick<Listing, 'tracked' | 'untracked'>): Problem[] {
  const isStranger = (path: RepoPath) =>
    path.startsWith(ROLE_FOLDER) && path.endsWith('.md') && !ROLE_NAMES.some((name) => path === roleFile(name));
  return [...new Set([...tracked, ...untracked].filter(isStranger))].sort(byCodePoint).map((file) => ({
    file,
    line: 1,
    column: 1,
    what: { kind: 'unknown-role', name: file.slice(ROLE_FOLDER.length, -'.md'.length), known: ROLE_NAMES },
  }));
}
