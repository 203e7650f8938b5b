import type { AgentSettings } from '@onceover/base/kernel/agent';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.ts';
import type { EntrySettings, Settings } from '../../src/config/settings.ts';
import { commandsDigest, commandsOf } from '../../src/trust/consent.ts';

const DEFAULTS = defaults();
const AGENT: AgentSettings = {
  model: null,
  command: null,
  path: null,
  resume: false,
  env: {},
  sandbox: false,
  timeoutSeconds: null,
};
const HOUSE: AgentSettings = { ...AGENT, command: ['./tools/reviewer.sh', '-v'] };
const entryPoint = (checks: Readonly<Record<string, string>>, path = '.'): EntrySettings => ({
  path,
  exclude: [],
  checks: Object.fromEntries(Object.entries(checks).map(([name, run]) => [name, { run, timeoutSeconds: null }])),
  reviews: {},
});
const USUAL: Settings = { ...DEFAULTS, gates: [entryPoint({ lint: 'npm run lint' })], agent: { house: HOUSE } };

function defaults(): Settings {
  const result = parseSettings('version: 1\n');
  if (!result.ok) throw new Error('the defaults are broken');
  return result.settings;
}

describe('the commands that a user approves', () => {
  test.each<[string, Partial<Settings>, readonly string[]]>([
    ['nothing is run', { gates: [], agent: { claude: { ...AGENT, model: 'm' } } }, []],
    ['checks and agents', {}, ['npm run lint', './tools/reviewer.sh -v']],
    [
      'a known agent at another place',
      { agent: { claude: { ...AGENT, path: './claude' } } },
      ['npm run lint', './claude'],
    ],
  ])('%s', (_title, differs, commands) => {
    expect(commandsOf({ ...USUAL, ...differs })).toEqual(commands);
  });

  test('include an agent with its own environment', () => {
    const agent = { claude: { ...AGENT, env: { PATH: './bin', A: 'b' } } };
    expect(commandsOf({ ...DEFAULTS, agent })).toEqual(['PATH=./bin A=b claude']);
  });
});

describe('changes that need new consent', () => {
  test.each<[string, Partial<Settings>, boolean]>([
    ['nothing', {}, false],
    ['another base, another limit', { base: 'main', maxRetries: 9, concurrency: 1 }, false],
    ['a model of a known agent', { agent: { house: HOUSE, claude: { ...AGENT, model: 'm' } } }, false],
    ['another command of a check', { gates: [entryPoint({ lint: 'npm run lint; rm -rf .' })] }, true],
    ['a check more', { gates: [entryPoint({ lint: 'npm run lint', test: 'npm test' })] }, true],
    ['a check fewer', { gates: [] }, true],
    ['a check by another name', { gates: [entryPoint({ style: 'npm run lint' })] }, true],
    ['a check of another path', { gates: [entryPoint({ lint: 'npm run lint' }, 'src')] }, true],
    ['another command of an agent', { agent: { house: { ...HOUSE, command: ['./tools/reviewer.sh'] } } }, true],
    ['the same words, cut otherwise', { agent: { house: { ...HOUSE, command: ['./tools/reviewer.sh -v'] } } }, true],
    ['an agent by another name', { agent: { other: HOUSE } }, true],
    ['a known agent at another place', { agent: { house: HOUSE, claude: { ...AGENT, path: './claude' } } }, true],
    ['an environment', { agent: { house: HOUSE, claude: { ...AGENT, env: { PATH: './bin' } } } }, true],
    ['no sandbox any more', { agent: { house: { ...HOUSE, sandbox: true } } }, true],
  ])('%s', (_title, differs, needsConsent) => {
    expect(commandsDigest({ ...USUAL, ...differs }) !== commandsDigest(USUAL)).toBe(needsConsent);
  });
});
