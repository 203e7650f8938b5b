import { findProgram, programVersion } from '../agents/find.ts';
import { type KnownAgent, knownAgents, reportAgent } from '../agents/inspect.ts';
import { TESTED } from '../agents/tested.ts';
import type { DoctorReport } from '../domain/doctor.ts';
import type { Capabilities } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { gitVersion } from '../io/place.ts';
import { resumeAbility } from '../plan/resume-ability.ts';
import { openCapabilities } from '../stores/capabilities.ts';
import { openProject } from './project.ts';

export type DoctorOptions = {
  /** Null: nothing is tried. 'all', or the name of an agent. */
  readonly resume: string | null;
  readonly signal: AbortSignal | null;
  tell?(agent: string): void;
};

/** Which agents are here and what they can do; with `resume`, whether they can be resumed is found out by trying. */
export async function doctor(cwd: string, options: DoctorOptions): Promise<Result<DoctorReport>> {
  // Outside a repository there are no settings, but there may be agents.
  const project = await openProject(cwd);
  if (!project.ok && project.failure.kind !== 'not-a-repository') return project;
  if (!project.ok && options.resume !== null) return project;
  const root = project.ok ? project.value.place.root : cwd;
  const known = knownAgents(project.ok ? project.value.settings.agent : {}, process.env, root);
  const capabilities = project.ok ? openCapabilities(project.value.place.commonDir) : null;
  if (options.resume !== null && capabilities !== null) {
    const tried = await tryResume(known, { ...options, resume: options.resume }, capabilities, root);
    if (!tried.ok) return tried;
  }
  const probed = (await capabilities?.probed()) ?? [];
  const reports = await Promise.all(
    known.map((one) =>
      reportAgent(one, root, (name, version) => resumeAbility({ name, version }, { probed, tested: TESTED })),
    ),
  );
  const git = await gitVersion(cwd);
  const bubblewrap = findProgram('bwrap', process.env['PATH'] ?? '', root);
  return done({ agents: reports, git, bubblewrap, node: process.versions.node });
}

async function tryResume(
  known: readonly KnownAgent[],
  options: DoctorOptions & { readonly resume: string },
  capabilities: Capabilities,
  root: string,
): Promise<Result<void>> {
  const [{ openProbe }, { probeResume }, schemas] = await Promise.all([
    import('../agents/probe-ports.ts'),
    import('../execute/probe-resume.ts'),
    import('../prompt/answer-schema.ts'),
  ]);
  const named = known.filter(({ agent }) => options.resume === 'all' || agent.name === options.resume);
  if (named.length === 0)
    return failed({ kind: 'unknown-agent', name: options.resume, known: known.map((one) => one.agent.name) });
  const schema = schemas.answerSchema('probe');
  for (const one of named) {
    const { program } = one;
    // A command's "resume: true" is its owner's word; trying it would cost what only they know.
    if (one.settings?.command != null) continue;
    if (program === null) {
      if (options.resume === 'all') continue;
      const failure = { kind: 'not-found', program: one.settings?.path ?? one.agent.program } as const;
      return failed({ kind: 'agent-not-tried', agent: one.agent.name, failure });
    }
    options.tell?.(one.agent.name);
    const version = (await programVersion(program, one.env, root)) ?? 'unknown';
    const probe = openProbe(
      { ...one, program },
      { schema, strictSchema: schemas.strictSchema(schema) },
      { signal: options.signal },
    );
    try {
      const outcome = await probeResume(one.agent.name, version, probe);
      if (outcome.kind === 'not-tried')
        return failed({ kind: 'agent-not-tried', agent: one.agent.name, failure: outcome.failure });
      const kept = await capabilities.keep(outcome.result);
      if (!kept.ok) return kept;
    } finally {
      probe.close();
    }
  }
  return done(undefined);
}
