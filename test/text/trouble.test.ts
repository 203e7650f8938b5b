import { expect, test } from 'vitest';
import type { SlotTrouble } from '../../src/domain/record.ts';
import { tellTrouble } from '../../src/text/trouble.ts';

const until = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));

test.each<[string, SlotTrouble, string]>([
  [
    'an agent failed',
    { kind: 'agent', agent: 'codex', failure: { kind: 'timeout', seconds: 7 } },
    'codex did not finish within 7 seconds',
  ],
  ['no agent is there', { kind: 'no-agent', wanted: [], cooling: [] }, 'no agent is installed; see "onceover doctor"'],
  [
    'none of those that are wanted',
    { kind: 'no-agent', wanted: ['codex', 'a b'], cooling: [] },
    'none of the agents codex, "a b" is installed; see "onceover doctor"',
  ],
  [
    'those that are wanted have reached a limit',
    {
      kind: 'no-agent',
      wanted: ['codex', 'claude'],
      cooling: [
        { agent: 'codex', until: until(1), said: '' },
        { agent: 'claude', until: until(2), said: '' },
      ],
    },
    'every agent that could be asked has reached a limit (codex until 2026-01-01T01:00:00.000Z, claude until 2026-01-01T02:00:00.000Z)',
  ],
  [
    'files changed',
    { kind: 'stale' },
    'files changed while it was being reviewed, so its pass does not count; run again',
  ],
  [
    'a file is too large',
    { kind: 'file-too-large', path: 'a b.ts', characters: 900, limit: 800 },
    'the diff of "a b.ts" alone has 900 characters, more than the 800 that can be shown at once; exclude the file or split the change',
  ],
  ['no money is left', { kind: 'budget', what: 'usd' }, 'the budget (usd) of this run is spent; raise it or run again'],
  [
    'no dispatch is left',
    { kind: 'budget', what: 'dispatches' },
    'the budget (dispatches) of this run is spent; raise it or run again',
  ],
  [
    'the author wrote the agent',
    { kind: 'author-agent', agent: 'house', path: './tools/a b.sh' },
    `the agent house runs "./tools/a b.sh", which the change under review has written to; its word would be the author's own`,
  ],
])('%s', (_title, trouble, expected) => {
  expect(tellTrouble(trouble)).toBe(expected);
});
