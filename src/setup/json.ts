import type { DoctorDocument, RemovalDocument, SetUpDocument } from './json-schema.ts';
import { canReview, type DoctorReport, type Removal, type SetupOutcome } from './types.ts';

/** Returns the document of `doctor --json`. */
export function doctorDocument({ agents, git, bubblewrap, node, lifted = [] }: DoctorReport): DoctorDocument {
  return {
    agents: agents.map((agent) => {
      const { name, program, version, testedVersion, resume, abilities, install, login, service } = agent;
      return {
        name,
        found: program !== null,
        path: program,
        version,
        tested_version: testedVersion,
        resume: {
          can: resume.kind === 'unknown' ? null : resume.kind === 'yes',
          known_from: resume.kind === 'unknown' ? null : resume.from,
          why: resume.kind === 'no' ? resume.why : null,
        },
        can_review: canReview(agent),
        login,
        service,
        schema: abilities.schema,
        read_only_by: abilities.readOnly,
        usage: abilities.usage,
        stable_part: abilities.stablePart,
        stop_hook: abilities.stopHook,
        install,
      };
    }),
    git,
    bubblewrap,
    node,
    lifted_cooldowns: lifted.map(({ agent, until, said }) => ({ agent, until: until.toISOString(), said })),
  };
}

/** Returns the document of `init --remove --json`. */
export function removalDocument({ removed, taken, left }: Removal): RemovalDocument {
  return { removed, taken: taken.map(({ kind, path, count }) => ({ kind, path, count })), left: [...left] };
}

/** Returns the document of `init --json`. */
export function setUpDocument({ steps, gates }: SetupOutcome): SetUpDocument {
  const { carried, others = [], proposed = null } = gates ?? {};
  return {
    files: steps.map(({ path, did, ignored }) => ({ path, did, ignored })),
    ...(carried !== undefined && {
      carried_over: {
        tool: carried.tool,
        source: carried.source,
        not_carried_over: [...carried.left],
        gates_to_add: proposed,
      },
    }),
    ...(others.length > 0 && { also_here: [...others] }),
  };
}
