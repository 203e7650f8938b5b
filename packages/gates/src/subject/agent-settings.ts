import { byCodePoint } from '@onceover/base/kernel/collections';
import { digestOf } from '@onceover/base/kernel/ids';
import type { Settings } from '@onceover/repo/config/settings';

/**
 * Returns a digest of the settings of an agent. Each clone computes it from its own `onceover.yml`. So a pass of another
 * clone does not match if it was given with a weaker model or another command.
 */
export function agentSettingsDigest({ agent }: Pick<Settings, 'agent'>, name: string): string {
  const settings = Object.hasOwn(agent, name) ? agent[name] : undefined;
  const env = Object.entries(settings?.env ?? {}).sort(([a], [b]) => byCodePoint(a, b));
  const api = [settings?.api, settings?.acp].filter((setting) => setting != null);
  const program = [
    settings?.model ?? null,
    settings?.command ?? null,
    settings?.path ?? null,
    env,
    settings?.sandbox ?? false,
    ...api,
  ];
  return digestOf(['agent-settings/v1', name, program]);
}
