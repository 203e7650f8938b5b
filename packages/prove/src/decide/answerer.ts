import { madeBy } from '@onceover/agents/remote/decide-call';
import type { AgentSettings } from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';

/**
 * Returns a digest of the settings that decide which program and model answer as an agent. Values of `env` and
 * `headers` may be secret, so stored results contain only this digest of them. `programs` are digests of the script
 * files in the agent's command line.
 */
export function answererDigest(settings: AgentSettings | undefined, programs: readonly string[]): string {
  const { model = null, resume = false, sandbox = false } = settings ?? {};
  return digestOf([madeBy(settings ?? null), model, resume, sandbox, programs]);
}

/** Returns a digest of the environment variables that can choose another model, effort or service for an agent. */
export function modelEnvironment(env: Readonly<Record<string, string | undefined>>): string {
  const variables = Object.entries(env).filter(([name]) => /MODEL|EFFORT|THINKING|BASE_URL/.test(name));
  return digestOf(variables.sort(([a], [b]) => (a < b ? -1 : 1)));
}
