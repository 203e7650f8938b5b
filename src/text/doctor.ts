import type { ResumeAbility } from '../domain/capability.ts';
import type { AgentReport, DoctorReport } from '../domain/doctor.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';

/** Which agents are here, what each can do, what is missing and how to get it. */
export function tellDoctor(report: DoctorReport): string {
  const found = report.agents.filter((agent) => agent.program !== null);
  const missing = report.agents.filter((agent) => agent.program === null);
  return [
    found.length === 0
      ? 'No agent was found. Install one of those below, or define a command of your own under "agent" in onceover.yml.'
      : found.map(tellAgent).join('\n\n'),
    ...(missing.length === 0 ? [] : [['Not here:', ...missing.map(tellMissing)].join('\n')]),
    `git ${report.git ?? 'not found: install git 2.31 or newer'}, Node ${report.node}, ${
      report.bubblewrap === null
        ? 'no bubblewrap (commands with "sandbox: true", and opencode where a repository holds .opencode, get a copy instead)'
        : 'bubblewrap'
    }`,
  ].join('\n\n');
}

function tellAgent(agent: AgentReport): string {
  const { abilities } = agent;
  return [
    `${quoteName(agent.name)} ${agent.version ?? ''}`.trim() + testedNote(agent),
    `  program     ${quoteName(agent.program ?? '')}`,
    `  resume      ${resume(agent.resume)}`,
    `  answers     ${abilities.schema ? 'by a schema that it enforces' : 'as JSON in its text, checked here'}`,
    `  read-only   ${READ_ONLY[abilities.readOnly]}`,
    `  usage       ${USAGE[abilities.usage]}`,
    `  caching     ${abilities.stablePart === 'cached' ? 'the stable part of a prompt is shared by fresh dispatches' : 'fresh dispatches share nothing of our prompt'}`,
    `  stop hook   ${tellStopHook(agent)}`,
  ].join('\n');
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

function testedNote(agent: AgentReport): string {
  if (agent.testedVersion === null) return ' (your own command)';
  return agent.version === agent.testedVersion ? '' : ` (tested with ${agent.testedVersion})`;
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
