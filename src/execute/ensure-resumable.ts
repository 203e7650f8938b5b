import type { ProbeOutcome, ResumeAbility, ResumeResult } from '../domain/capability.ts';
import type { Capabilities } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { resumeAbility } from '../plan/resume-ability.ts';

/** Whether this version of an agent may be resumed; one that was never tried is tried now, once. */
export async function ensureResumable(
  agent: { readonly name: string; readonly version: string },
  ports: {
    readonly capabilities: Capabilities;
    readonly tested: readonly ResumeResult[];
    probe(): Promise<ProbeOutcome>;
  },
): Promise<Result<ResumeAbility>> {
  const known = resumeAbility(agent, { probed: await ports.capabilities.probed(), tested: ports.tested });
  if (known.kind !== 'unknown') return done(known);
  const outcome = await ports.probe();
  // Nothing was found out: it is fresh this time, and tried again another time.
  if (outcome.kind === 'not-tried') return done(known);
  const kept = await ports.capabilities.keep(outcome.result);
  return kept.ok ? done(resumeAbility(agent, { probed: [outcome.result], tested: [] })) : kept;
}
