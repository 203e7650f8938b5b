import type { AgentSettings } from '@onceover/base/kernel/agent';
import type { Settings } from '@onceover/repo/config/settings';
import { describe, expect, test } from 'vitest';
import { answererDigest } from '../../src/decide/answerer.ts';
import { agentsDigestOf, type Staleness, saysMore, stalenessOf } from '../../src/decide/staleness.ts';

const agent = (model: string | null): AgentSettings => ({ model }) as AgentSettings;

type Given = {
  readonly settings: Pick<Settings, 'agents' | 'agent'>;
  readonly own: readonly string[] | null;
};

describe('the digest of the agents of a gate', () => {
  const baseline: Given = {
    settings: { agents: ['claude', 'codex'], agent: { claude: agent('opus'), codex: agent(null) } },
    own: null,
  };
  const { settings } = baseline;
  const allAgents: Given = { settings: { ...settings, agents: null }, own: null };

  test.each<[title: string, a: Given, b: Given, isSame: boolean]>([
    ['the same settings', baseline, baseline, true],
    ['a gate that names the agents of the settings itself', baseline, { settings, own: ['claude', 'codex'] }, true],
    ['a gate that names other agents', baseline, { settings, own: ['codex'] }, false],
    [
      'the same agents in another order',
      baseline,
      { settings: { ...settings, agents: ['codex', 'claude'] }, own: null },
      false,
    ],
    [
      'another model of an agent of the gate',
      baseline,
      { settings: { ...settings, agent: { claude: agent('sonnet'), codex: agent(null) } }, own: null },
      false,
    ],
    [
      'another model of an agent that does not review the gate',
      { settings, own: ['codex'] },
      { settings: { ...settings, agent: { claude: agent('sonnet'), codex: agent(null) } }, own: ['codex'] },
      true,
    ],
    [
      'an agent without settings, and one whose settings name no model',
      baseline,
      { settings: { ...settings, agent: { claude: agent('opus') } }, own: null },
      true,
    ],
    ['all agents, and the same agents by name', allAgents, baseline, false],
    [
      'all agents, configured in another order',
      allAgents,
      { settings: { agents: null, agent: { codex: agent(null), claude: agent('opus') } }, own: null },
      true,
    ],
    [
      'all agents, with another model of one of them',
      allAgents,
      { settings: { agents: null, agent: { claude: agent('sonnet'), codex: agent(null) } }, own: null },
      false,
    ],
  ])('%s', (_title, a, b, isSame) => {
    const digest = ({ settings: { agents, agent }, own }: Given) =>
      agentsDigestOf({ agents, agent }, own, (name) => answererDigest(agent[name], []));
    expect(digest(a) === digest(b)).toBe(isSame);
  });
});

test.each<[title: string, now: { promptDigest: string; agentsDigest: string }, expected: Staleness | null]>([
  ['is up to date if neither changed', { promptDigest: 'p', agentsDigest: 'a' }, null],
  ['is stale if the prompt changed', { promptDigest: 'p2', agentsDigest: 'a' }, 'prompt'],
  ['is stale if the agents changed', { promptDigest: 'p', agentsDigest: 'a2' }, 'agents'],
  ['names the prompt if both changed', { promptDigest: 'p2', agentsDigest: 'a2' }, 'prompt'],
])('a proof %s', (_title, now, staleness) => {
  expect(stalenessOf({ promptDigest: 'p', agentsDigest: 'a' }, now)).toBe(staleness);
});

describe('an earlier proof stays only if it says more about the same reviewers', () => {
  const share = (of: number) => ({ count: 0, of, low: 0, high: 1 });
  const proof = (bugs: number, harmless: number) => ({
    promptDigest: 'p',
    agentsDigest: 'a',
    agents: [{ agent: 'claude', model: 'opus' }],
    scores: {
      found: share(bugs),
      byClass: [],
      falseAlarms: share(harmless),
      falsePasses: share(bugs),
      flips: share(0),
    },
  });
  const large = proof(20, 20);
  const small = proof(2, 2);

  test.each([
    ['more cases', large, small, true],
    ['fewer cases', small, large, false],
    ['as many cases', large, proof(10, 30), false],
    ['another prompt', large, { ...small, promptDigest: 'q' }, false],
    ['other agents in the settings', large, { ...small, agentsDigest: 'b' }, false],
    ['another model that answered', large, { ...small, agents: [{ agent: 'claude', model: 'haiku' }] }, false],
    ['another number of reviewers', large, { ...small, agents: [...small.agents, ...small.agents] }, false],
  ])('%s', (_title, earlier, later, stays) => {
    expect(saysMore(earlier, later)).toBe(stays);
  });
});
