import { byCodePoint } from '@onceover/base/kernel/collections';
import { digestOf } from '@onceover/base/kernel/ids';
import { version } from '@onceover/base/version';
import type { Settings } from '@onceover/repo/config/settings';
import type { SlotAnswer } from '../ports.ts';
import type { ReviewFacts } from '../record/shapes.ts';

export type VerdictSettings = Pick<Settings, 'failOn' | 'rerunNewIssueThreshold' | 'agent'>;

/**
 * Returns a digest of the settings on which a verdict of this agent depends. Each clone computes it from its own
 * `onceover.yml`. So a pass of another clone does not match if it was given with a weaker model or threshold.
 */
export function verdictSettingsDigest(
  { failOn, rerunNewIssueThreshold, agent }: VerdictSettings,
  name: string,
): string {
  const agentSettings = Object.hasOwn(agent, name) ? agent[name] : undefined;
  const env = Object.entries(agentSettings?.env ?? {}).sort(([a], [b]) => byCodePoint(a, b));
  const api = [agentSettings?.api, agentSettings?.acp].filter((setting) => setting != null);
  const program = [
    agentSettings?.model ?? null,
    agentSettings?.command ?? null,
    agentSettings?.path ?? null,
    env,
    agentSettings?.sandbox ?? false,
    ...api,
  ];
  return digestOf(['verdict-settings/v1', failOn, rerunNewIssueThreshold, name, program]);
}

/** Returns the facts about a review that are stored with its verdict. */
export function reviewFacts(answer: SlotAnswer, settings: VerdictSettings, agentVersion: string | null): ReviewFacts {
  const transcript = answer.exchanges.map(({ agent, mode, sent, said }) => [agent, mode, sent, said]);
  return {
    settingsDigest: verdictSettingsDigest(settings, answer.agent),
    model: answer.model,
    agentVersion,
    onceoverVersion: version,
    session: answer.dispatch === 'resumed' ? 'resumed' : 'new',
    filesOpened: answer.opened,
    usage: answer.usage,
    durationMs: Math.round(answer.durationMs),
    transcriptDigest: digestOf(transcript),
  };
}
