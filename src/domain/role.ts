import type { DocumentPhase, PhaseName, PhaseRole, ReviewerRole } from './phase.ts';

/** The documents of a feature, by their file names. */
export const ARTIFACTS = ['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'] as const;
export type Artifact = (typeof ARTIFACTS)[number];

/** What each document phase writes, and has reviewed. */
export const ARTIFACT_OF = {
  specify: 'spec.md',
  design: 'design.md',
  'create-plan': 'plan.md',
  'create-tasks': 'tasks.md',
} as const satisfies Readonly<Record<DocumentPhase, Artifact>>;

export const REVIEWER_ROLES = [
  'spec-reviewer',
  'design-reviewer',
  'plan-reviewer',
  'task-reviewer',
  'phase-reviewer',
  'implementation-reviewer',
  'code-quality-reviewer',
  'security-reviewer',
] as const satisfies readonly ReviewerRole[];

/** Roles that write; the test-deepener has a text for each of its halves. */
const WRITER_ROLES = ['implementer', 'code-simplifier', 'test-deepener-a', 'test-deepener-b'] as const;

/** The roles that have a text of their own, by the name of its file. */
export const ROLE_NAMES = [...REVIEWER_ROLES, ...WRITER_ROLES] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

/** Where a user's own text of a role is, from the root. */
export function roleFile(name: RoleName): string {
  return `${ROLE_FOLDER}${name}.md`;
}

export const ROLE_FOLDER = '.onceover/roles/';

/** Which text a role is told. */
export function roleName(role: PhaseRole, part: 'A' | 'B' | null): RoleName {
  if (role === 'test-deepener') return part === 'B' ? 'test-deepener-b' : 'test-deepener-a';
  return role;
}

/** Which documents a role must read: the same in all its phases, or by phase. */
type RoleArtifacts = readonly Artifact[] | Readonly<Partial<Record<PhaseName, readonly Artifact[]>>>;

/** In what a reviewer's answer differs from the others'. */
export type ReviewForm = {
  /** What a category may be; empty: issues have none. */
  readonly categories: readonly string[];
  /** What the field for the place of an issue is called. */
  readonly place: 'location' | 'task';
  /** Levels that are judged one by one; empty: none. */
  readonly levels: readonly string[];
  /** Whether it lists what it verified and what it missed. */
  readonly evidence: boolean;
  /** Whether the form is shown in one line. */
  readonly compact: boolean;
};

/** What a role is told, and what it answers with. */
export type Role = {
  readonly name: RoleName;
  readonly rubric: string;
  readonly coda: string | null;
  readonly checklist: string | null;
  readonly artifacts: RoleArtifacts;
  /** What the next phase needs, by the phase that is reviewed; null for roles that do not look ahead. */
  readonly expectations: Readonly<Record<DocumentPhase, string>> | null;
  /** Null for a role that writes. */
  readonly form: ReviewForm | null;
  /** The model to use, by agent, as the user's own text of the role says. */
  readonly models: Readonly<Record<string, string>>;
  /** The same as the built-in text says: it counts where neither that nor the settings name one. */
  readonly usualModels: Readonly<Record<string, string>>;
};

export type Roles = Readonly<Record<RoleName, Role>>;

/** The documents that a role must read in a phase, in the order in which they are listed for it. */
export function artifactsOf({ artifacts }: Pick<Role, 'artifacts'>, phase: PhaseName): readonly Artifact[] {
  if (isList(artifacts)) return artifacts;
  return artifacts[phase] ?? [];
}

function isList(artifacts: RoleArtifacts): artifacts is readonly Artifact[] {
  return Array.isArray(artifacts);
}

/** The model that an agent is asked for in a role; null: its own choice. */
export function modelFor(
  { models, usualModels }: Pick<Role, 'models' | 'usualModels'>,
  agent: string,
  set: string | null,
): string | null {
  return models[agent] ?? set ?? usualModels[agent] ?? null;
}
