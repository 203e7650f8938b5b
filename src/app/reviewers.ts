import { type KnownAgent, knownAgents } from '../agents/inspect.ts';
import { openProbe } from '../agents/probe-ports.ts';
import { openReviewers } from '../agents/reviewers.ts';
import { TESTED } from '../agents/tested.ts';
import type { Place } from '../domain/change.ts';
import type { Reviewers } from '../domain/ports.ts';
import type { Settings } from '../domain/settings.ts';
import { ensureResumable } from '../execute/ensure-resumable.ts';
import { probeResume } from '../execute/probe-resume.ts';
import { answerSchema, strictSchema } from '../prompt/answer-schema.ts';
import { openCapabilities } from '../stores/capabilities.ts';

/** The agents of this machine as reviewers; a version that was never tried is tried before its first resume. */
export function reviewersOf(place: Place, settings: Settings, stop: AbortSignal | null): Reviewers {
  const { root, commonDir } = place;
  const known = knownAgents(settings.agent, process.env, root);
  const capabilities = openCapabilities(commonDir);
  return openReviewers({
    known,
    root,
    commonDir,
    preference: settings.agents,
    async resumable(name, version) {
      const one = known.find(({ agent }) => agent.name === name);
      if (one === undefined || one.program === null) return null;
      const probe = () => probeOf({ ...one, program: one.program ?? '' }, version, stop);
      const ability = await ensureResumable({ name, version }, { capabilities, tested: TESTED, probe });
      return ability.ok ? ability.value : null;
    },
  });
}

async function probeOf(one: KnownAgent & { readonly program: string }, version: string, signal: AbortSignal | null) {
  const schema = answerSchema('probe');
  const probe = openProbe(one, { schema, strictSchema: strictSchema(schema) }, { signal });
  try {
    return await probeResume(one.agent.name, version, probe);
  } finally {
    probe.close();
  }
}
