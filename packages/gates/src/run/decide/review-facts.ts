import { digestOf } from '@onceover/base/kernel/ids';
import { version } from '@onceover/base/version';
import type { Settings } from '@onceover/repo/config/settings';
import { agentSettingsDigest } from '../../subject/agent-settings.ts';
import type { SlotAnswer, SlotJob } from '../ports.ts';
import type { ReviewFacts } from '../record/shapes.ts';

/** Returns the facts about a review that are stored with its verdict. */
export function reviewFacts(
  job: Pick<SlotJob, 'shared'>,
  answer: SlotAnswer,
  settings: Pick<Settings, 'agent'>,
  agentVersion: string | null,
): ReviewFacts {
  // A copy of a session that read files for an earlier run is not new either: it has seen earlier versions of them.
  const continuesEarlier = answer.forked && (job.shared?.continued ?? null) !== null;
  const transcript = answer.exchanges.map(({ agent, mode, sent, said }) => [agent, mode, sent, said]);
  return {
    settingsDigest: agentSettingsDigest(settings, answer.agent),
    model: answer.model,
    agentVersion,
    onceoverVersion: version,
    session: answer.dispatch === 'resumed' || continuesEarlier ? 'resumed' : 'new',
    filesOpened: answer.opened,
    usage: answer.usage,
    durationMs: Math.round(answer.durationMs),
    transcriptDigest: digestOf(transcript),
  };
}
