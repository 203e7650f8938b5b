import type { ResumeAbility } from '../domain/capability.ts';
import type { AgentReport, DoctorReport } from '../domain/doctor.ts';
import { grouped } from '../domain/grouped.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { AS_IT_IS, fitted, type Shown } from './shown.ts';
import { typed } from './typed.ts';

/** Which agents are here, what each can do, what is missing and how to get it. */
export function tellDoctor(report: DoctorReport, shown: Shown = AS_IT_IS): string {
  const { paint } = shown;
  const found = report.agents.filter((agent) => agent.program !== null);
  const missing = report.agents.filter((agent) => agent.program === null);
  return [
    found.length === 0
      ? paint('bad', fitted(typed(NONE, shown.byNpx), shown, 0))
      : paint('good', fitted(ready(found), shown)),
    ...alike(found).map(({ names, lines }) =>
      [
        paint('strong', fitted(names, shown)),
        ...lines.map(([what, said]) =>
          fitted(`  ${paint('quiet', what.padEnd(LABEL))}${typed(said, shown.byNpx)}`, shown, LABEL),
        ),
      ].join('\n'),
    ),
    ...(missing.length === 0 ? [] : [[paint('strong', 'Not here'), ...missing.map(tellMissing)].join('\n')]),
    fitted(
      `git ${report.git ?? 'not found: install git 2.31 or newer'}, Node ${report.node}, ${bubblewrap(report)}`,
      shown,
    ),
  ].join('\n\n');
}

const LABEL = 12;
const NONE =
  'No agent was found. Install one of those below and start it once to log in, or define a command of your own under "agent" in onceover.yml. "onceover demo" shows a run without one.';

function ready(found: readonly AgentReport[]): string {
  return found.length === 1
    ? `1 agent can review here: ${quoteName(found[0]?.name ?? '')}.`
    : `${found.length} agents can review here: ${found.map(({ name }) => quoteName(name)).join(', ')}.`;
}

function bubblewrap(report: DoctorReport): string {
  return report.bubblewrap === null
    ? 'no bubblewrap (commands with "sandbox: true", and opencode where a repository holds .opencode, get a copy instead)'
    : 'bubblewrap';
}

type Line = readonly [what: string, said: string];

/** The agents, those with nothing to tell them apart but their names together: commands of one's own often are. */
function alike(found: readonly AgentReport[]): readonly { readonly names: string; readonly lines: readonly Line[] }[] {
  const keyOf = (agent: AgentReport) => JSON.stringify([agent.version, agent.testedVersion, abilitiesOf(agent)]);
  return [...grouped(found, keyOf).values()].map((agents) => ({
    names: headingOf(agents),
    lines: abilitiesOf(agents[0] as AgentReport),
  }));
}

function headingOf(agents: readonly AgentReport[]): string {
  const names = agents.map(({ name }) => quoteName(name)).join(', ');
  const [{ version, testedVersion }] = agents as readonly [AgentReport];
  if (testedVersion === null) return `${names} (your own ${agents.length === 1 ? 'command' : 'commands'})`;
  if (version === null) return `${names}, which does not tell its version (tested with ${testedVersion})`;
  return `${names} ${version}${version === testedVersion ? '' : ` (tested with ${testedVersion})`}`;
}

function abilitiesOf(agent: AgentReport): readonly Line[] {
  const { abilities } = agent;
  return [
    ['program', quoteName(agent.program ?? '')],
    ['resume', resume(agent.resume)],
    ['answers', abilities.schema ? 'by a schema that it enforces' : 'as JSON in its text, checked here'],
    ['read-only', READ_ONLY[abilities.readOnly]],
    ['usage', USAGE[abilities.usage]],
    [
      'caching',
      abilities.stablePart === 'cached'
        ? 'the stable part of a prompt is shared by fresh dispatches'
        : 'fresh dispatches share nothing of our prompt',
    ],
    ['stop hook', tellStopHook(agent)],
  ];
}

function tellStopHook({ name, abilities }: AgentReport): string {
  const how = `"onceover init --hook ${name}"`;
  switch (abilities.stopHook) {
    case 'yes':
      return how;
    case 'when-trusted':
      return `${how}; it is called in folders that you trust`;
    case 'when-allowed':
      return `${how}; it is called once you have allowed it there with "/hooks", and left out in silence until then`;
    case 'none':
      return 'none: it cannot be kept from stopping';
  }
}

function resume(ability: ResumeAbility): string {
  switch (ability.kind) {
    case 'yes':
      return `yes, ${FROM[ability.from]}`;
    case 'no':
      return `no, ${FROM[ability.from]}: ${showUnseen(ability.why)}`;
    case 'unknown':
      return 'not tried with this version: it is tried before the first resume, or now with "onceover doctor --resume"';
  }
}

const FROM = { tested: 'tested with this version', probed: 'tried here', config: 'by your configuration' } as const;
const READ_ONLY = {
  tools: 'it is given no tool that writes',
  'own-sandbox': 'its own sandbox',
  nothing: 'nothing keeps it from writing: it is yours',
} as const;
const USAGE = {
  dispatch: 'told for each dispatch',
  session: 'told for the whole session; the difference is taken',
  'if-told': 'as far as the command tells it',
} as const;

function tellMissing(agent: AgentReport): string {
  return `  ${agent.name.padEnd(10)} ${agent.install ?? 'its program was not found: check "command" in onceover.yml'}`;
}
