import type { Agent } from '@onceover/agents/src/adapters/agent.ts';
import { loadAgents } from '@onceover/agents/src/adapters/table.ts';
import type { Abilities } from '@onceover/base/kernel/agent';
import { code, table } from './table.ts';

const TITLES: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  pi: 'Pi',
};

const READ_ONLY: Readonly<Record<Abilities['readOnly'], string>> = {
  tools: 'onceover gives the agent no tool that can write files',
  'own-sandbox': 'a read-only sandbox',
  copy: 'the agent works in a copy of the files',
  nothing: 'nothing',
};
const USAGE: Readonly<Record<Abilities['usage'], string>> = {
  dispatch: 'of each call',
  session: 'of the whole session, so onceover subtracts earlier calls',
  'if-told': 'of each call, if the agent reports any',
};
const STOP_HOOK: Readonly<Record<Abilities['stopHook'], string>> = {
  yes: 'yes',
  'when-trusted': 'yes, in folders that you trust',
  'when-allowed': 'yes, after you allow the hook',
  none: 'no',
};

const FORK: Readonly<Record<Abilities['fork'], string>> = {
  cached: 'yes',
  'not-cached': 'yes, but the provider does not cache the copy, so reviews do not share what they read',
  none: 'no',
};

const yes = (is: boolean, otherwise: string) => (is ? 'yes' : otherwise);

const ROWS: readonly (readonly [string, (agent: Agent) => string])[] = [
  ['name in `onceover.yml`', ({ name }) => code(name)],
  ['can resume a session and remembers what it read (tests V1 to V4)', resumed],
  [
    'can fork (copy) a session, so that reviews share what one session reads (test V5)',
    ({ abilities }) => FORK[abilities.fork],
  ],
  [
    'enforces a JSON schema for its answer',
    ({ abilities }) => yes(abilities.schema, 'no, so only onceover checks the answer'),
  ],
  ['what stops the agent from writing files when it reviews', ({ abilities }) => READ_ONLY[abilities.readOnly]],
  ['can fix findings and writes only in the working tree', ({ canFix }) => yes(canFix, 'no')],
  ['tokens that the agent reports', ({ abilities }) => USAGE[abilities.usage]],
  [
    'the provider caches the beginning of the prompt that new sessions share (tested with a simulated model)',
    ({ abilities }) => yes(abilities.stablePart === 'cached', 'no'),
  ],
  ['runs a stop hook of the project', ({ abilities }) => STOP_HOOK[abilities.stopHook]],
  ['largest diff in one prompt, in characters', ({ diffLimit }) => diffLimit.toLocaleString('en-US')],
  [
    'environment variables that the agent gets, besides [the common ones](#environment)',
    ({ variables }) => variables.map(code).join(' '),
  ],
  ['how to install it', ({ install }) => (install === null ? '' : code(install))],
];

const AGENTS = await loadAgents();

/** Returns the table of the agents' abilities, which `onceover doctor` prints too. */
export function agentParts(): Readonly<Record<string, string>> {
  const heads = AGENTS.map((agent) => `${TITLES[agent.name] ?? agent.name} ${agent.testedVersion}`);
  return {
    agents: table(
      ['', ...heads],
      ROWS.map(([title, tell]) => [title, ...AGENTS.map(tell)]),
    ),
  };
}

function resumed({ resumeFailure }: Agent): string {
  return resumeFailure == null ? 'yes' : `no: ${resumeFailure.how.replace(/^it /, 'the agent ')}`;
}
