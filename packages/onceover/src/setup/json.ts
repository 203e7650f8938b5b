import type { ResumeAbility } from '@onceover/base/kernel/agent';
import type { DoctorDocument, RemovalDocument, SetUpDocument } from './json-schema.ts';
import { canReview, type DoctorReport, type Removal, type SetupOutcome } from './types.ts';

/** Returns the JSON document of `doctor --json`. */
export function doctorDocument({ agents, git, bubblewrap, node, lifted = [] }: DoctorReport): DoctorDocument {
  return {
    agents: agents.map((agent) => {
      const { name, program, version, testedVersion, abilities, install, login, service } = agent;
      return {
        name,
        found: program !== null,
        path: program,
        version,
        tested_version: testedVersion,
        resume: abilityDocument(agent.resume),
        fork: { ...abilityDocument(agent.fork), cached: abilities.fork === 'cached' },
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

function abilityDocument(ability: ResumeAbility): DoctorDocument['agents'][number]['resume'] {
  return {
    can: ability.kind === 'unknown' ? null : ability.kind === 'yes',
    known_from: ability.kind === 'unknown' ? null : ability.from,
    why: ability.kind === 'no' ? ability.why : null,
  };
}

/** Returns the JSON document of `init --remove --json`. */
export function removalDocument({ removed, taken, left }: Removal): RemovalDocument {
  return { removed, taken: taken.map(({ kind, path, count }) => ({ kind, path, count })), left: [...left] };
}

/** Returns the JSON document of `init --json`. */
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
