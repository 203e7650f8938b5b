import { quoteName } from '../domain/quote-name.ts';
import type { SlotTrouble } from '../domain/record.ts';
import { tellAgentFailure } from './agent-failure.ts';

/** Why a slot gave no verdict, in a sentence without its full stop. */
export function tellTrouble(trouble: SlotTrouble): string {
  switch (trouble.kind) {
    case 'agent':
      return `${trouble.agent} ${tellAgentFailure(trouble.failure)}`;
    case 'no-agent':
      return tellNoAgent(trouble);
    case 'stale':
      return 'files changed while it was being reviewed, so its pass does not count; run again';
    case 'file-too-large':
      return `the diff of ${quoteName(trouble.path)} alone has ${trouble.characters} characters, more than the ${trouble.limit} that can be shown at once; exclude the file or split the change`;
    case 'budget':
      return trouble.what === 'usd'
        ? 'the budget (usd) of this run is spent; raise it or run again'
        : 'the budget (dispatches) of this run is spent; raise it or run again';
    case 'author-agent':
      return `the agent ${quoteName(trouble.agent)} runs ${quoteName(trouble.path)}, which the change under review has written to; its word would be the author's own`;
  }
}

/** Why nobody is there to be asked, in a sentence without its full stop. */
export function tellNoAgent(trouble: Pick<Extract<SlotTrouble, { kind: 'no-agent' }>, 'wanted' | 'cooling'>): string {
  const [first] = trouble.cooling;
  if (first !== undefined) {
    const who = trouble.cooling.map(({ agent, until }) => `${agent} until ${until.toISOString()}`).join(', ');
    return `every agent that could be asked has reached a limit (${who})`;
  }
  if (trouble.wanted.length > 0) {
    return `none of the agents ${trouble.wanted.map(quoteName).join(', ')} is installed; see "onceover doctor"`;
  }
  return 'no agent is installed; see "onceover doctor"';
}
