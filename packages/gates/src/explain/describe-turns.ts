import { type LoggedCall, readTranscript } from '@onceover/agents/dispatch/describe-transcript';
import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import { showInvisible } from '@onceover/base/kernel/escape';

/** Describes, from the log of a review, what each request to the model contained and what it cost. */
export function describeTurns(log: string): string {
  const { calls } = readTranscript(log);
  if (calls.length === 0) return 'The log of the review has no call.';
  const totalUsage = calls.reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null);
  const parts = calls.map((call, at) => describeCall(call, at + 1));
  return [...parts, ...(calls.length > 1 && totalUsage !== null ? [`All calls: ${figures(totalUsage)}`] : [])].join(
    '\n\n',
  );
}

function describeCall(call: LoggedCall, number: number): string {
  const { agent, mode, stable, dynamic, turns, usage, filesRead, notes } = call;
  const promptSize =
    stable === ''
      ? `prompt ${dynamic.length} characters`
      : `prompt ${stable.length} characters that reviewers share, and ${dynamic.length} of its own`;
  const lines = turns.map(
    ({ did, usage: requestUsage }, at) => `  request ${at + 1}: ${showInvisible(did)}\n    ${figures(requestUsage)}`,
  );
  const usageNote = usage === null ? [] : ['  The agent reports only the total token usage of all its requests.'];
  return [
    `Call ${number}: ${showInvisible(agent)}, ${MODES[mode] ?? mode}, ${promptSize}`,
    ...(turns.length > 0 ? lines : usageNote),
    usage === null ? '  It reported no usage.' : `  sum: ${figures(usage)}`,
    ...(filesRead === null
      ? []
      : [`  opened: ${filesRead.length === 0 ? 'nothing' : filesRead.map(showInvisible).join(', ')}`]),
    ...notes.map((note) => `  ${showInvisible(note)}`),
  ].join('\n');
}

const MODES: Readonly<Record<string, string>> = {
  fresh: 'new session',
  forked: 'fork of a shared reading',
  resumed: 'resumed session',
  repair: 'asked to repeat its answer',
};

function figures({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, costUsd }: Usage): string {
  const tokens = [
    `${inputTokens} uncached input tokens`,
    `${cacheWriteTokens} written to the cache`,
    `${cachedInputTokens} read from it`,
    `${outputTokens} output tokens`,
  ];
  return `${tokens.join(', ')}${costUsd === null ? '' : `, $${costUsd.toFixed(4)}`}`;
}
