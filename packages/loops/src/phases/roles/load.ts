import { byCodePoint } from '@onceover/base/kernel/collections';
import type { PlacedProblem, Problem } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Listing } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { REVIEWER_ROLES, ROLE_FOLDER, ROLE_NAMES, type RoleName, roleFile } from '@onceover/base/kernel/review-loops';
import { readOptional, unusable } from '@onceover/repo/config/read-file';
import { modelName } from '@onceover/repo/config/settings-schema';
import { checkShape, readFrontMatter } from '@onceover/repo/config/yaml';
import type { TextFiles } from '@onceover/repo/git/tree-files';
import * as z from 'zod';
import codeQualityReviewer from './code-quality-reviewer.md';
import codeSimplifier from './code-simplifier.md';
import designReviewer from './design-reviewer.md';
import implementationReviewer from './implementation-reviewer.md';
import implementer from './implementer.md';
import phaseReviewer from './phase-reviewer.md';
import planReviewer from './plan-reviewer.md';
import securityReviewer from './security-reviewer.md';
import specReviewer from './spec-reviewer.md';
import taskReviewer from './task-reviewer.md';
import testDeepenerA from './test-deepener-a.md';
import testDeepenerB from './test-deepener-b.md';
import { ARTIFACTS, DEFAULT_FORM, type Role, type Roles } from './types.ts';

// These schemas check the front matter (the YAML at the top) of a role file. If a key is missing, the value of the
// built-in role is used.
const text = z.string().trim().min(1);

const word = z.string().regex(/^[a-z][a-z0-9-]*$/, 'may only have lower-case letters, digits and "-"');

const artifacts = z.array(z.enum(ARTIFACTS));

const documentArtifacts = {
  specify: artifacts,
  design: artifacts,
  'create-plan': artifacts,
  'create-tasks': artifacts,
};

const common = {
  coda: text.optional(),
  checklist: text.optional(),
  model: z.record(z.string(), text.pipe(modelName)).optional(),
};

const review = {
  ...common,
  schema: z
    .strictObject({
      categories: z.array(word).exactOptional(),
      place: z.enum(['location', 'task']).exactOptional(),
      levels: z.array(word).exactOptional(),
      evidence: z.boolean().exactOptional(),
      compact: z.boolean().exactOptional(),
    })
    .optional(),
};

const reviewerSchema = z.strictObject({ artifacts: artifacts.optional(), ...review });

const phaseReviewerSchema = z.strictObject({
  artifacts: z.strictObject(documentArtifacts).optional(),
  expectations: z.strictObject({ specify: text, design: text, 'create-plan': text, 'create-tasks': text }).optional(),
  ...review,
});

const writerSchema = z.strictObject({ artifacts: artifacts.optional(), ...common });

const implementerSchema = z.strictObject({
  artifacts: z.strictObject({ ...documentArtifacts, implement: artifacts }).optional(),
  ...common,
});

/**
 * Returns the schema for the front matter of a role file. A role that works in several phases lists its documents for
 * each phase.
 */
function schemaOf(name: RoleName) {
  if (name === 'phase-reviewer') return phaseReviewerSchema;
  if (name === 'implementer') return implementerSchema;
  return isReviewer(name) ? reviewerSchema : writerSchema;
}

export type ParsedRole =
  | { readonly ok: true; readonly role: Role }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] };

/**
 * Parses a role file. Values of missing keys come from the built-in role `base`, which is null if the file is the
 * built-in role itself.
 */
export function parseRole(name: RoleName, text: string, base: Role | null): ParsedRole {
  const frontMatter = readFrontMatter(text);
  if (!frontMatter.ok) return frontMatter;
  const shape = checkShape(schemaOf(name), frontMatter.value ?? {}, frontMatter.yaml);
  if (!shape.ok) return shape;
  const rubric = frontMatter.body.replaceAll('\r\n', '\n').trim();
  if (rubric === '') {
    const cause = { kind: 'missing-key', key: 'rubric' } as const;
    return { ok: false, problems: [{ line: frontMatter.bodyLine, column: 1, what: cause }] };
  }
  const { value } = shape;
  const ownForm = 'schema' in value ? value.schema : {};
  return {
    ok: true,
    role: {
      name,
      rubric,
      coda: value.coda ?? base?.coda ?? null,
      checklist: value.checklist ?? base?.checklist ?? null,
      artifacts: value.artifacts ?? base?.artifacts ?? [],
      expectations: ('expectations' in value ? value.expectations : undefined) ?? base?.expectations ?? null,
      form: isReviewer(name) ? { ...(base?.form ?? DEFAULT_FORM), ...ownForm } : null,
      models: base === null ? {} : (value.model ?? {}),
      usualModels: base === null ? (value.model ?? {}) : base.usualModels,
    },
  };
}

function isReviewer(name: RoleName): boolean {
  return REVIEWER_ROLES.some((role) => role === name);
}

/** Returns the built-in roles. A file `.onceover/roles/<role>.md` overrides the role with this name. */
export function loadRoles(files: TextFiles, listing: Pick<Listing, 'tracked' | 'untracked'>): Result<Roles> {
  const problems: Problem[] = unknownRoleFiles(listing);
  const roles: Role[] = [];
  for (const name of ROLE_NAMES) {
    const parsedRole = loadRole(files, name);
    if (parsedRole.ok) roles.push(parsedRole.role);
    else problems.push(...parsedRole.problems.map((problem) => ({ file: roleFile(name), ...problem })));
  }
  if (problems.length > 0) return err({ kind: 'broken-config', problems });
  return ok(Object.fromEntries(roles.map((role) => [role.name, role])) as Roles);
}

function loadRole(files: TextFiles, name: RoleName): ParsedRole {
  const base = parseRole(name, BUILT_IN_ROLES[name], null);
  if (!base.ok) return base;
  const file = readOptional(files, roleFile(name));
  if (file === null) return base;
  return file.ok
    ? parseRole(name, file.text, base.role)
    : { ok: false, problems: [unusable(roleFile(name), file.why)] };
}

/**
 * Returns a problem for each role file with an unknown name, because a file with a misspelt name would have no effect.
 */
function unknownRoleFiles({ tracked, untracked }: Pick<Listing, 'tracked' | 'untracked'>): Problem[] {
  const isUnknown = (path: RepoPath) =>
    path.startsWith(ROLE_FOLDER) && path.endsWith('.md') && !ROLE_NAMES.some((name) => path === roleFile(name));
  return [...new Set([...tracked, ...untracked].filter(isUnknown))].sort(byCodePoint).map((file) => ({
    file,
    line: 1,
    column: 1,
    what: { kind: 'unknown-role', name: file.slice(ROLE_FOLDER.length, -'.md'.length), known: ROLE_NAMES },
  }));
}

/** The text of each built-in role. Users override a role with a file in the same format. */
export const BUILT_IN_ROLES: Readonly<Record<RoleName, string>> = {
  'spec-reviewer': specReviewer,
  'design-reviewer': designReviewer,
  'plan-reviewer': planReviewer,
  'task-reviewer': taskReviewer,
  'phase-reviewer': phaseReviewer,
  'implementation-reviewer': implementationReviewer,
  'code-quality-reviewer': codeQualityReviewer,
  'security-reviewer': securityReviewer,
  implementer,
  'code-simplifier': codeSimplifier,
  'test-deepener-a': testDeepenerA,
  'test-deepener-b': testDeepenerB,
};
