import type { Agent } from '../../src/agents/agent.ts';
import { AGENTS } from '../../src/agents/table.ts';
import { TESTED } from '../../src/agents/tested.ts';
import type { Abilities } from '../../src/domain/doctor.ts';
import { code, table } from './table.ts';

const TITLES: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
};

const READ_ONLY: Readonly<Record<Abilities['readOnly'], string>> = {
  tools: 'its tools',
  'own-sandbox': 'its sandbox',
  nothing: 'nothing',
};
const USAGE: Readonly<Record<Abilities['usage'], string>> = {
  dispatch: 'each dispatch',
  session: 'the session so far; the difference is taken',
  'if-told': 'what it tells',
};
const STOP_HOOK: Readonly<Record<Abilities['stopHook'], string>> = {
  yes: 'yes',
  'when-trusted': 'in folders that you trust',
  'when-allowed': 'once you have allowed it',
  none: 'no',
};

const yes = (is: boolean, otherwise: string) => (is ? 'yes' : otherwise);

const ROWS: readonly (readonly [string, (agent: Agent) => string])[] = [
  ['name in `onceover.yml`', ({ name }) => code(name)],
  ['resumed with its memory (V1 to V4)', resumed],
  ['answers by a schema of its own', ({ abilities }) => yes(abilities.schema, 'no, checked here')],
  ['as a reviewer, cannot write because of', ({ abilities }) => READ_ONLY[abilities.readOnly]],
  ['can be a fixer, kept inside the working tree', ({ canFix }) => yes(canFix, 'no')],
  ['tells the usage of', ({ abilities }) => USAGE[abilities.usage]],
  [
    'stable part of fresh prompts shared in the cache (simulated)',
    ({ abilities }) => yes(abilities.stablePart === 'cached', 'no'),
  ],
  ['calls a stop hook of the project', ({ abilities }) => STOP_HOOK[abilities.stopHook]],
  ['most characters of a diff in one prompt', ({ diffLimit }) => diffLimit.toLocaleString('en-US')],
  ['variables of yours that it gets besides', ({ variables }) => variables.map(code).join(' ')],
  ['to install', ({ install }) => (install === null ? '' : code(install))],
];

/** What each agent can do, as `onceover doctor` tells it too. */
export function agentParts(): Readonly<Record<string, string>> {
  const heads = AGENTS.map((agent) => `${TITLES[agent.name] ?? agent.name} ${agent.testedVersion}`);
  return {
    agents: table(
      ['', ...heads],
      ROWS.map(([title, tell]) => [title, ...AGENTS.map(tell)]),
    ),
  };
}

function resumed({ name, testedVersion }: Agent): string {
  const tried = TESTED.find(({ agent, version }) => agent === name && version === testedVersion);
  if (tried === undefined) throw new Error(`${name} ${testedVersion} was never tried.`);
  return tried.failed === null ? 'yes' : `no: ${tried.failed.how}`;
}
