import { expect, test } from 'vitest';
import type { SlotTrouble } from '../../src/kernel/agent.ts';
import { describeTrouble } from '../../src/ui/describe-agent-failure.ts';

const until = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));

test.each<[string, SlotTrouble, string]>([
  [
    'names the agent that failed',
    { kind: 'agent', agent: 'codex', failure: { kind: 'timeout', seconds: 7 } },
    'codex did not finish within 7 seconds',
  ],
  [
    'says that no agent is installed',
    { kind: 'no-agent', wanted: [], cooling: [] },
    'no agent is installed; see "onceover doctor"',
  ],
  [
    'says that the only configured agent is not installed',
    { kind: 'no-agent', wanted: ['codex'], cooling: [] },
    'codex is not installed; see "onceover doctor"',
  ],
  [
    'says that none of the configured agents is installed',
    { kind: 'no-agent', wanted: ['codex', 'a b'], cooling: [] },
    'none of the agents codex, "a b" is installed; see "onceover doctor"',
  ],
  [
    'says until when the configured agents are at their limit',
    {
      kind: 'no-agent',
      wanted: ['codex', 'claude'],
      cooling: [
        { agent: 'codex', until: until(1), said: '' },
        { agent: 'claude', until: until(2), said: '' },
      ],
    },
    'every available agent has reached a limit (codex until 2026-01-01T01:00:00.000Z, claude until 2026-01-01T02:00:00.000Z); "onceover doctor" lets the next run call them before that',
  ],
  [
    'says that files changed during the review',
    { kind: 'stale' },
    'files changed while it was being reviewed, so its pass does not count; run again',
  ],
  [
    'says that a file is not text',
    { kind: 'not-text', path: 'a b.bin' },
    '"a b.bin" is not text, and not an image, audio, video or font file, so reviewers cannot see what changed in it; review it yourself and name it in "exclude" of the gate (for a rule: "match.exclude"), or leave it out of the change',
  ],
  [
    'says that a file is too large',
    { kind: 'file-too-large', path: 'a b.ts', characters: 900, limit: 800 },
    'the diff of "a b.ts" alone has 900 characters, and a prompt can hold 800; exclude the file or split the change',
  ],
  [
    'says that the money is used up',
    { kind: 'budget', what: 'usd' },
    'this run has used up its budget (usd); raise "budget" in onceover.yml or run again',
  ],
  [
    'says that the calls are used up',
    { kind: 'budget', what: 'dispatches' },
    'this run has used up its budget (dispatches); raise "budget" in onceover.yml or run again',
  ],
  [
    'says that the agent would load a file of the change',
    { kind: 'author-agent', agent: 'house', path: './tools/a b.sh' },
    'the agent house would load "./tools/a b.sh" from the change under review, so its author could decide the verdict; install the agent outside of the repository, or name a command of your own',
  ],
])('%s', (_title, trouble, sentence) => {
  expect(describeTrouble(trouble)).toBe(sentence);
});
