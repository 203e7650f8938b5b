import type { AccessState, AgentReport, ResumeAbility } from '@onceover/base/kernel/agent';
import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { type Paint, type Styled, UNSTYLED, wrapTo } from '@onceover/base/ui/style';
import { count, withNpx } from '@onceover/base/ui/wording';
import { TOOL_NAMES } from './import/types.ts';
import {
  canReview,
  type DoctorReport,
  type GatesFound,
  HOOK_AGENTS,
  type HookAgent,
  type KeptFile,
  MCP_FILE,
  type Removal,
  type RemovedItem,
  RULES_FILE,
  type SetupOutcome,
  type SetupStep,
  type SkippedCommand,
} from './types.ts';

/** Returns the text of `doctor`: the installed agents, and how to install the others. */
export function describeDoctor(report: DoctorReport, style: Styled = UNSTYLED): string {
  const { agents, git, node, bubblewrap, command, lifted = [] } = report;
  const { paint } = style;
  const installedAgents = agents.filter(({ program }) => program !== null);
  const missing = agents.filter(({ program }) => program === null);
  const able = installedAgents.filter(canReview);
  const names = able.map(({ name }) => quoteName(name)).join(', ');
  const blocks = [
    able.length === 0
      ? paint('bad', wrapTo(asTyped(installedAgents.length === 0 ? NO_AGENT : NONE_ABLE, style, command), style, 0))
      : paint('good', wrapTo(`${count(able.length, 'agent')} can review here: ${names}.`, style)),
    ...installedAgents.map((agent) =>
      [
        paint('strong', wrapTo(`${quoteName(agent.name)}${versionOf(agent)}`, style)),
        ...factsOf(agent).map(([label, fact]) =>
          wrapTo(`  ${paint('quiet', label.padEnd(LABEL))}${asTyped(fact, style, command)}`, style, LABEL),
        ),
      ].join('\n'),
    ),
    ...lifted.map(({ agent, until, said }) =>
      wrapTo(
        `${quoteName(agent)} had reached a limit (${showInvisible(said)}). onceover would not have called it until ${until.toISOString()}; the next run calls it again.`,
        style,
      ),
    ),
    ...(missing.length === 0 ? [] : [[paint('strong', 'Not installed'), ...missing.map(describeMissing)].join('\n')]),
    wrapTo(
      `This machine: git ${git ?? 'not found (install git 2.31 or newer)'}, Node ${node}, ${bubblewrap === null ? NO_BUBBLEWRAP : 'bubblewrap (a sandbox for agents)'}`,
      style,
    ),
    ...(able.length === 0 ? [] : [wrapTo(asTyped(PROVE, style, command), style)]),
  ];
  return blocks.join('\n\n');
}

/** Replaces "onceover" in quoted commands by the command that works for this user, for example "npx onceover". */
function asTyped(text: string, { byNpx }: Styled, command = 'onceover'): string {
  return byNpx === true ? withNpx(text, true) : text.replace(/"onceover (?=[a-z])/g, () => `"${command} `);
}

const PROVE =
  'To measure what your reviewers catch, run "onceover prove". It shows a plan; "onceover prove --yes" then calls the agents.';

const LABEL = 12;

const NO_AGENT =
  'No agent was found. Install one of the agents below and start it once to log in, or set a command of your own under "agent" in onceover.yml. "onceover demo" shows how onceover works without an agent.';

const NONE_ABLE =
  'No installed agent can review here. The lines "login" and "service" below say why and what to do. "onceover demo" shows how onceover works without an agent.';

const NO_BUBBLEWRAP = 'bubblewrap not found (agents that would need it work on a copy of the repository)';

function versionOf({ version, testedVersion, program }: AgentReport): string {
  if (isAddress(program)) return ' (an API that onceover calls)';
  if (testedVersion === null) return ' (your own command)';
  if (version === null) return `, version unknown (tested with ${testedVersion})`;
  return ` ${version}${version === testedVersion ? '' : ` (tested with ${testedVersion})`}`;
}

/** Whether the agent is a model API: it has an address instead of a program. */
function isAddress(program: string | null): boolean {
  return program !== null && /^https?:/.test(program);
}

function factsOf(agent: AgentReport): readonly (readonly [string, string])[] {
  const { name, program, resume, fork, abilities, logIn } = agent;
  const init = `"onceover init --hook ${name}"`;
  const stopHook = {
    yes: init,
    'when-trusted': `${init}; runs in folders that you trust`,
    'when-allowed': `${init}; does not run until you allow it there with "/hooks"`,
    none: 'not available',
  };
  return [
    [isAddress(program) ? 'address' : 'program', quoteName(program ?? '')],
    ...(logIn === null ? [] : [['login', describeLogin(agent, logIn)] as const]),
    ...describeService(agent.service),
    ['resume', isAddress(program) ? OWN_SESSIONS : describeResume(resume)],
    ['fork', isAddress(program) ? OWN_SESSIONS : describeFork(fork, abilities.fork)],
    ['read-only', READ_ONLY[abilities.readOnly]],
    ['stop hook', stopHook[abilities.stopHook]],
  ];
}

const OWN_SESSIONS = 'yes, onceover stores the conversations itself';

function describeLogin({ login }: AgentReport, logIn: string): string {
  const why = login.why === null ? '' : ` (${showInvisible(login.why)})`;
  if (login.state === 'yes') return `yes${why}`;
  if (login.state === 'no') return `not logged in: ${logIn}`;
  return `unknown; if a review fails, ${logIn}`;
}

function describeService({ state, why }: AccessState): readonly (readonly [string, string])[] {
  if (state === 'unknown') return [];
  return [
    ['service', state === 'yes' ? `answers (${why})` : `cannot be reached (${why}); check the network and proxy`],
  ];
}

function describeResume(ability: ResumeAbility): string {
  if (ability.kind === 'unknown') {
    return 'not tested with this version: the first resume tests it, or "onceover doctor --resume" does now';
  }
  if (ability.kind === 'yes') return `yes, ${KNOWN_FROM[ability.from]}`;
  const from = ability.from === 'config' ? '' : `${KNOWN_FROM[ability.from]}: `;
  return `no, ${from}${showInvisible(ability.why)}`;
}

function describeFork(ability: ResumeAbility, fork: AgentReport['abilities']['fork']): string {
  if (ability.kind === 'unknown') return 'not tested with this version: the first resume tests it too';
  if (ability.kind === 'no') return `no, ${showInvisible(ability.why)}`;
  if (fork === 'cached') return `yes, ${KNOWN_FROM[ability.from]}: reviews share what one session reads`;
  return 'yes, but the provider does not cache the copy, so reviews do not share';
}

const KNOWN_FROM = {
  tested: 'tested with this version',
  probed: 'tested here',
  config: 'set in onceover.yml',
} as const;

const READ_ONLY = {
  tools: 'it gets no tool that can write files',
  'own-sandbox': 'its own sandbox',
  copy: 'it works in a copy of the files',
  nothing: 'not enforced, because it is your own command',
} as const;

function describeMissing({ name, install }: AgentReport): string {
  return `  ${name.padEnd(10)} ${install ?? 'not found, or not executable (chmod +x): check "command" in onceover.yml'}`;
}

/** Returns the text of `init --remove`: which files are removed, which files stay, and the next command. */
export function describeRemoval({ removed, taken, left }: Removal, style: Styled = UNSTYLED): string {
  const { paint } = style;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : [title, ...lines.map((line) => wrapTo(`  ${line}`, style, 4))].join('\n');
  const keptLines = left.map(({ path, why }) => `${quoteName(path)}: ${KEPT[why]}`);
  const next = removed ? UNINSTALL : taken.length === 0 ? '' : NOT_YET;
  return [
    taken.length === 0 ? 'There is nothing to remove here.' : '',
    list(removed ? paint('good', 'Removed:') : paint('strong', 'To be removed:'), taken.map(describeRemoved)),
    list(paint('strong', removed ? 'Kept:' : 'To be kept:'), keptLines),
    wrapTo(withNpx(next, style.byNpx), style),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

const UNINSTALL =
  'Next: commit the removal if git tracked these files. "npm uninstall onceover" removes the program (with "-g" if you installed it globally).';

const NOT_YET = 'Nothing has been removed yet. Next: "onceover init --remove --yes" removes all of this.';

function describeRemoved({ kind, path, count: number, rest }: RemovedItem): string {
  const fileNote = rest === null ? ', and the file, which has no other entry' : '';
  const files = `(${count(number, 'file')})`;
  const descriptions: Readonly<Record<RemovedItem['kind'], string>> = {
    file: ', unchanged since "onceover init" wrote it',
    server: `: the server "onceover"${fileNote}`,
    hook: `: the stop hook${fileNote}`,
    records: `: records of runs ${files}`,
    generated: `: generated files ${files}`,
    'git-folder': `: results, findings, costs and approvals ${files}`,
    refs: `${count(number, 'git ref')} to snapshots`,
  };
  return `${path === null ? '' : quoteName(path)}${descriptions[kind]}`;
}

const KEPT: Readonly<Record<KeptFile['why'], string>> = {
  yours: 'you wrote or edited it; delete it if you no longer need it',
  named: 'onceover.yml uses it, and onceover.yml is kept',
  unreadable: 'not valid JSON; remove "onceover" from it by hand',
};

/** Returns the text of `init`: first the settings that it wrote, then the prompts, then the next command. */
export function describeSetUp(outcome: SetupOutcome, style: Styled = UNSTYLED): string {
  const { steps, gates, hook, byPath, command, sharesPasses = false } = outcome;
  const { paint } = style;
  const hasMcp = steps.some(({ path }) => path === MCP_FILE);
  const hasRules = steps.some(({ path }) => path === RULES_FILE);
  const describeSteps = (stepList: readonly SetupStep[]) => stepList.map((step) => describeStep(step, paint));
  const next = [
    ...(gates === null ? (hasRules ? [INSTRUCTIONS] : []) : nextSteps(gates)),
    ...(sharesPasses ? SHARING_STEPS : []),
    ...HOOK_AGENTS.filter((agent) => agent === hook || (agent === 'claude' && hasMcp)).map(
      (agent) =>
        `${START[agent]}${hasMcp && agent === 'claude' ? ALLOW_SERVER : ''}.${agent === hook ? ` ${PASSES}` : ''}`,
    ),
  ].map((step, i) => `${paint('strong', i === 0 ? 'Next:' : 'Then:')} ${asTyped(step, style, command)}`);
  return [
    gates === null ? '' : describeSource(steps, gates),
    ...describeSteps(steps.filter((step) => !isPrompt(step))),
    describeSteps(steps.filter(isPrompt)).join('\n'),
    ...(gates === null ? [] : describeGates(gates)),
    ...steps.filter(({ ignored }) => ignored).map(describeIgnored),
    byPath === true ? wrapTo(BY_PATH, style) : '',
    next.map((line) => wrapTo(line, style)).join('\n'),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

const SHARING_STEPS = [
  'commit these files and merge them into your base branch; passes count only when they are there.',
  'each colleague runs "onceover init --passes" and commits one line in the signers file. "onceover passes" lists what is shared.',
];

/** Returns a sentence that names the imported configuration; '' if nothing was imported. */
function describeSource(steps: readonly SetupStep[], { carried, proposed = null }: GatesFound): string {
  if (carried === undefined) return '';
  const source = `${carried.source} (${TOOL_NAMES[carried.tool][0]})`;
  const isNew = proposed !== null || steps.some(({ added }) => added !== null);
  return isNew ? `Imported from ${source}, which stays unchanged.` : `${source} has been imported already.`;
}

function describeStep(step: SetupStep, paint: Paint): string {
  if (step.added === null) return `${step.path} already exists and was left unchanged.`;
  const wrote = paint('good', `${step.did === 'written' ? 'Wrote' : 'Added to'} ${step.path}`);
  if (!isPrompt(step)) return `${wrote}:\n\n${indentLines(step.added)}`;
  return `${wrote} (${count(step.added.trimEnd().split('\n').length, 'line')}, yours to edit)`;
}

function isPrompt({ path }: SetupStep): boolean {
  return path.endsWith('.md');
}

function indentLines(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ');
}

function describeGates({ proposed = null, passedOver = [], carried, others = [] }: GatesFound): readonly string[] {
  const lacks = carried === undefined ? 'has no checks or reviews yet' : 'lacks some of these checks and reviews';
  const omissionLines = (carried?.left ?? []).map((omission) => `\n  - ${omission}`).join('');
  const imports = others.map(
    (tool) => `${TOOL_NAMES[tool][0]} is set up here: "onceover init --from ${tool}" imports its reviews.`,
  );
  return [
    proposed === null ? '' : `onceover.yml ${lacks}. Add these lines to it:\n\n${indentLines(proposed)}`,
    passedOver.map(({ run, why }) => `Not used as a check: "${run}" ${UNFIT[why]} under "checks".`).join('\n'),
    omissionLines === '' ? '' : `Not imported, or imported with a difference:${omissionLines}`,
    imports.join('\n'),
  ];
}

const UNFIT: Readonly<Record<SkippedCommand['why'], string>> = {
  watches: 'watches files and never ends. Add a command that ends',
  'changes-files': 'changes files. Add a command that only reads them',
};

function reviewsAfter(base: string | null): string {
  if (base === null) return '"onceover run" reviews what you change after that.';
  const unpushedNote = base.startsWith('origin/') ? ', which includes these files until you push them' : '';
  return `"onceover run" reviews everything that differs from ${quoteName(base)}${unpushedNote}.`;
}

function describeIgnored({ path }: SetupStep): string {
  return path === RULES_FILE
    ? `git ignores ${path}, so onceover does not read it. Add the line "!${path}" to your .gitignore.`
    : `git ignores ${path}, so your team will not get it. Change your .gitignore if they should.`;
}

const BY_PATH =
  'onceover is not on PATH, so the new entry names its path on this machine. Do not commit that path: install onceover and put the command "onceover" there.';

const INSTRUCTIONS = '"onceover instructions" writes one instruction file per review of your current change.';

/** For each agent, what the user does so that it reads its new settings. */
const START: Readonly<Record<HookAgent, string>> = {
  claude: 'restart Claude Code here',
  codex:
    'start Codex here and allow the hook with "/hooks"; without that Codex silently skips it, and so does "codex exec"',
  gemini: 'restart Gemini CLI here, in a folder that it trusts',
};

const ALLOW_SERVER = ', allow the server "onceover", and ask it to review your change';

const PASSES =
  'From then on it may stop only when all checks and reviews pass. "onceover hook snooze" turns the hook off for a while.';

const PROVE_PLAN =
  '"onceover prove" plans a test of your reviewers with planted bugs. It calls no agent before you confirm the plan.';

function nextSteps({ agents, proposed = null, isAllNew = false, base = null }: GatesFound): readonly string[] {
  return [
    ...(agents.length > 0 ? [] : ['install an agent, because none was found: "onceover doctor" lists them.']),
    ...(proposed === null ? [] : ['add the lines above to onceover.yml.']),
    ...(isAllNew
      ? ['commit these files. There is no other change to review yet.', reviewsAfter(base)]
      : ['"onceover run" runs the checks and reviews on your current change.']),
    ...(agents.length === 0 ? [] : [PROVE_PLAN]),
  ];
}
