import type { DocumentPhase, PhaseName, PhaseRole, RoleName } from '@onceover/base/kernel/review-loops';

/** The documents of a feature, by file name. */
export const ARTIFACTS = ['prd.md', 'spec.md', 'design.md', 'plan.md', 'tasks.md'] as const;

export type Artifact = (typeof ARTIFACTS)[number];

/** The document that each phase reviews; `implement` reviews code. */
export const ARTIFACT_OF = {
  specify: 'spec.md',
  design: 'design.md',
  'create-plan': 'plan.md',
  'create-tasks': 'tasks.md',
} as const satisfies Readonly<Record<DocumentPhase, Artifact>>;

/** Returns the name of a role's file, without `.md`. The test-deepener has one file for each of its two parts. */
export function roleName(role: PhaseRole, part: 'A' | 'B' | null): RoleName {
  if (role === 'test-deepener') return part === 'B' ? 'test-deepener-b' : 'test-deepener-a';
  return role;
}

/** The documents that a role must read: one list for all its phases, or one list for each phase. */
type RoleArtifacts = readonly Artifact[] | Readonly<Partial<Record<PhaseName, readonly Artifact[]>>>;

/** The parts of a reviewer's answer format that differ between roles. */
export type ReviewForm = {
  /** The allowed categories; empty if issues have no category. */
  readonly categories: readonly string[];
  /** The name of the field that holds an issue's location. */
  readonly place: 'location' | 'task';
  /** The levels, such as spec and design, on which the reviewer judges separately; empty if there are none. */
  readonly levels: readonly string[];
  /** Whether the answer lists what the reviewer verified and what it found missing. */
  readonly evidence: boolean;
  /** Whether the prompt shows the format on one line. */
  readonly compact: boolean;
};

export const DEFAULT_FORM: ReviewForm = {
  categories: [],
  place: 'location',
  levels: [],
  evidence: false,
  compact: false,
};

/** The instructions and the answer format of a role. */
export type Role = {
  readonly name: RoleName;
  readonly rubric: string;
  readonly coda: string | null;
  readonly checklist: string | null;
  readonly artifacts: RoleArtifacts;
  /** For each phase, what the next phase needs from the document; null for roles that do not check this. */
  readonly expectations: Readonly<Record<DocumentPhase, string>> | null;
  /** The answer format of a reviewer; null for a role that edits files. */
  readonly form: ReviewForm | null;
  /** The model to use with each agent, from the user's role file. */
  readonly models: Readonly<Record<string, string>>;
  /** The model to use with each agent, from the built-in role. The user's role file and settings take precedence. */
  readonly usualModels: Readonly<Record<string, string>>;
};

export type Roles = Readonly<Record<RoleName, Role>>;

/** Returns the documents that a role must read in a phase, in the order in which the role lists them. */
export function artifactsOf({ artifacts }: Pick<Role, 'artifacts'>, phase: PhaseName): readonly Artifact[] {
  return isList(artifacts) ? artifacts : (artifacts[phase] ?? []);
}

function isList(artifacts: RoleArtifacts): artifacts is readonly Artifact[] {
  return Array.isArray(artifacts);
}

/** Returns the model for a role; null for the agent's default. `set` is the model in the settings. */
export function modelFor(
  { models, usualModels }: Pick<Role, 'models' | 'usualModels'>,
  agent: string,
  set: string | null,
): string | null {
  return models[agent] ?? set ?? usualModels[agent] ?? null;
}
