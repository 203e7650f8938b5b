import {
  type GatesFound,
  type HookAgent,
  MCP_FILE,
  type PassedOver,
  type SetUpOutcome,
  type SetUpStep,
} from '../domain/set-up.ts';
import { tellLeftOver, tellOthers, tellSource } from './carry-over.ts';
import type { Paint } from './paint.ts';
import { AS_IT_IS, fitted, type Shown } from './shown.ts';
import { typed } from './typed.ts';

/** What `init` wrote, shown, and what to do next. Settings come first and whole; a long prompt is shown by its beginning. */
export function tellSetUp({ steps, gates, hook }: SetUpOutcome, look: Shown = AS_IT_IS): string {
  const { paint } = look;
  const shown = steps.filter(({ copied }) => copied !== true);
  return [
    ...(gates === null ? [] : tellCarried(steps, gates)),
    ...tellCopied(steps.filter(({ copied }) => copied === true)),
    ...[...shown.filter((step) => !isPrompt(step)), ...shown.filter(isPrompt)].map((step) => tellStep(step, paint)),
    ...(gates === null ? [] : tellGates(gates, look)),
    ...steps.filter((step) => step.ignored).map(tellIgnored),
    [
      ...(gates === null ? (hook === null ? [INSTRUCTIONS] : []) : run(gates)),
      ...(steps.some(isMcp) && hook !== 'claude' ? [RESTART] : []),
      ...(hook === null ? [] : steps.some(isMcp) && hook === 'claude' ? [RESTART_FOR_BOTH] : HOOKED[hook]),
    ]
      .map((line) => fitted(typed(line, look.byNpx), look))
      .map((line) => line.replace(/^(Next|Then):/, (word) => paint('strong', word)))
      .join('\n'),
  ].join('\n\n');
}

function tellCarried(steps: readonly SetUpStep[], { carried, proposed }: GatesFound): readonly string[] {
  if (carried === null) return [];
  const isNew = proposed !== null || steps.some(({ added }) => added !== null);
  return [tellSource(carried.tool, carried.source, isNew)];
}

function tellCopied(steps: readonly SetUpStep[]): readonly string[] {
  const wrote = steps.filter(({ added }) => added !== null).map(({ path }) => `  ${path}`);
  const left = steps.filter(({ added }) => added === null).map(({ path }) => `  ${path}`);
  return [
    ...(wrote.length === 0 ? [] : [['Wrote, word for word:', ...wrote].join('\n')]),
    ...(left.length === 0 ? [] : [['There already, and left as they are:', ...left].join('\n')]),
  ];
}

function tellStep(step: SetUpStep, paint: Paint): string {
  if (step.added === null) return `${step.path} is there already and was left as it is.`;
  const wrote = paint('good', `${step.did === 'written' ? 'Wrote' : 'Added to'} ${step.path}`);
  const lines = step.added.trimEnd().split('\n');
  if (!isPrompt(step) || lines.length <= SHORT) return `${wrote}:\n\n${indented(step.added)}`;
  const begins = lines
    .slice(
      0,
      lines.findIndex((line, at) => at > 2 && line === ''),
    )
    .join('\n');
  return `${wrote} (${lines.length} lines, yours to change):\n\n${indented(begins)}\n  …`;
}

const SHORT = 24;

function isPrompt({ path }: SetUpStep): boolean {
  return path.endsWith('.md');
}

function tellGates({ proposed, passedOver, missing, carried, others }: GatesFound, look: Shown): readonly string[] {
  const lacks = carried === null ? 'onceover.yml has no gates yet.' : 'onceover.yml lacks some of these gates.';
  const gates = `${lacks} These would fit; add them to it:\n\n${indented(proposed ?? '')}`;
  const left = (carried?.left ?? []).map((one) => `  - ${tellLeftOver(one)}`);
  return [
    ...(proposed === null ? [] : [gates]),
    ...(passedOver.length === 0 ? [] : [passedOver.map(tellPassedOver).join('\n')]),
    ...(missing.length === 0 ? [] : [fitted(tellMissing(missing), look)]),
    ...(left.length === 0 ? [] : [['Not carried over, or not as it was:', ...left].join('\n')]),
    ...(others.length === 0 ? [] : [tellOthers(others)]),
  ];
}

function tellPassedOver({ run, why }: PassedOver): string {
  switch (why) {
    case 'watches':
      return `Not a check: "${run}" watches and never ends. Add one that ends under "checks".`;
    case 'changes-files':
      return `Not a check: "${run}" changes files. Add one that only looks under "checks".`;
    case 'in-packages':
      return `Not a check yet: packages of this workspace have a script "${run}", and no command that surely runs it in each of them is known here. Add yours under "checks".`;
  }
}

function tellMissing(programs: readonly string[]): string {
  const them = programs.length === 1 ? 'it' : 'them';
  return `Not found on this machine: ${programs.join(', ')}. The checks need ${them}: install ${them}, or activate the environment with ${them}.`;
}

function tellIgnored({ path }: SetUpStep): string {
  return path === '.deepreview'
    ? `git ignores ${path}, so it is not read. Add a line "!${path}" to your .gitignore.`
    : `git ignores ${path}, so nobody else will have it. Change your .gitignore if they should.`;
}

const INSTRUCTIONS = 'Next: "onceover instructions" writes the reviews that your present change asks for.';
const RESTART = 'Restart Claude Code here and allow the server "onceover"; then ask it to review your change.';
const RESTART_FOR_BOTH =
  'Restart Claude Code here and allow the server "onceover": from then on it can review your change when you ask, and may stop once the gates hold. "onceover hook snooze" gives it a rest.';

// The configuration is agreed to by now: whoever sets up the hook wants it to run.
const HOOKED: Readonly<Record<HookAgent, readonly string[]>> = {
  claude: [
    'Restart Claude Code here: from then on it may stop once the gates hold. "onceover hook snooze" gives it a rest.',
  ],
  codex: [
    'Start Codex here and allow the hook with "/hooks": from then on it may stop once the gates hold. Until then Codex leaves it out in silence, and "codex exec" does too. "onceover hook snooze" gives it a rest.',
  ],
  gemini: [
    'Restart Gemini CLI here, in a folder that it trusts: from then on it may stop once the gates hold. "onceover hook snooze" gives it a rest.',
  ],
};

function run({ agents, proposed, isAllNew }: GatesFound): readonly string[] {
  const steps = [
    ...(agents.length > 0 ? [] : ['get an agent, since none was found: "onceover doctor" says how.']),
    ...(proposed === null ? [] : ['add the gates to onceover.yml.']),
    ...(isAllNew
      ? ['commit this; nothing else has changed yet.', '"onceover run" runs the gates on what you change after that.']
      : ['"onceover run" runs the gates on your present change.']),
  ];
  return steps.map((step, i) => `${i === 0 ? 'Next' : 'Then'}: ${step}`);
}

function isMcp(step: SetUpStep): boolean {
  return step.path === MCP_FILE;
}

function indented(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ');
}
