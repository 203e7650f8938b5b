import type { ResumeAbility, ResumeResult } from '../domain/capability.ts';
import type { Capabilities } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { resumeAbility } from '../plan/resume-ability.ts';

/** Whether this version of an agent may be resumed; one that was never tried is tried now, once. */
export async function ensureResumable(
  agent: { readonly name: string; readonly version: string },
  ports: {
    readonly capabilities: Capabilities;
    readonly tested: readonly ResumeResult[];
    probe(): Promise<ResumeResult>;
  },
): Promise<Result<ResumeAbility>> {
  const known = resumeAbility(agent, { probed: await ports.capabilities.probed(), tested: ports.tested });
  if (known.kind !== 'unknown') return done(known);
  const result = await ports.probe();
  const kept = await ports.capabilities.keep(result);
  return kept.ok ? done(resumeAbility(agent, { probed: [result], tested: [] })) : kept;
}
