import type { ForeignTool, LeftOver, LeftOverKind } from '../domain/carry-over.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { someNames } from './names.ts';
import { UNUSABLE } from './problem.ts';

/** Each tool as people know it, and where its configuration is. */
const TOOLS: Readonly<Record<ForeignTool, readonly [name: string, where: string]>> = {
  gauntlet: ['agent gauntlet', '.gauntlet/config.yml'],
  coderabbit: ['CodeRabbit', '.coderabbit.yaml'],
  continue: ['Continue', '.continue/checks/*.md'],
};

/** That nothing is there to be carried over. */
export function tellNothingThere(tool: ForeignTool | null): string {
  const where = tool === null ? Object.values(TOOLS).map(([, file]) => file) : [TOOLS[tool][1]];
  return `There is nothing to carry over: ${where.join(', ')} ${where.length === 1 ? 'is' : 'are'} not here.`;
}

/** That one of several has to be chosen. */
export function tellSeveral(tools: readonly ForeignTool[]): string {
  const told = tools.map((tool) => `--from ${tool} (${TOOLS[tool][0]})`);
  return `There is more than one configuration that could be carried over. Choose one: ${told.join(', ')}.`;
}

/** That another tool is set up here, for those who did not ask. */
export function tellOthers(tools: readonly ForeignTool[]): string {
  return tools
    .map(
      (tool) =>
        `${TOOLS[tool][0]} is set up here: "onceover init --from ${tool}" writes its reviews as prompts, and shows the gates to add.`,
    )
    .join('\n');
}

/** Where it was carried over from; `isNew`: something was left to do. */
export function tellSource(tool: ForeignTool, source: string, isNew: boolean): string {
  return isNew
    ? `Carried over from ${source} (${TOOLS[tool][0]}), which is left as it is.`
    : `${source} (${TOOLS[tool][0]}) is carried over already.`;
}

/** One thing that was not carried over, or not as it was: where, what, and what to do. */
export function tellLeftOver({ file, line, column, what }: LeftOver): string {
  return `${quoteName(file)}:${line}:${column}: ${tellKind(what)}`;
}

function tellKind(what: LeftOverKind): string {
  switch (what.kind) {
    case 'settings':
      return `there is nothing here like ${someNames(what.keys)}`;
    case 'agent':
      return `${quoteName(what.name)} is no agent that onceover knows; as a command it can be named under "agent"`;
    case 'model':
      return `${quoteName(what.name)} asks for the model ${quoteName(what.model)}: here a model is set for an agent, under "agent"`;
    case 'own-text':
      return tellOwnText(what);
    case 'skill':
      return `${quoteName(what.name)} is judged by the skill ${quoteName(what.skill)}, which is not here; write a prompt and name it in a review`;
    case 'prompt-file':
      return `the text of ${quoteName(what.name)} is in ${quoteName(what.path)}, which ${UNUSABLE[what.why]}`;
    case 'empty':
      return `${quoteName(what.name)} says nothing`;
    case 'not-in-use':
      return what.prompt === null
        ? `${quoteName(what.name)} is not in use`
        : `${quoteName(what.name)} is not in use; its text is in ${quoteName(what.prompt)}, and no gate names it`;
    case 'undefined-gate':
      return `there is no ${what.gate} ${quoteName(what.name)}`;
    case 'path':
      return `${quoteName(what.path)} ${showUnseen(what.said)}${what.prompts.length === 0 ? '' : `; the text is in ${someNames(what.prompts)}: add a gate for it`}`;
    case 'exclude':
      return `${quoteName(what.glob)} ${showUnseen(what.said)}, so it is not left out`;
    case 'only':
      return `that only ${quoteName(what.glob)} is reviewed cannot be said for all gates at once; narrow their paths`;
    case 'one-place':
      return `${quoteName(what.name)} runs ${what.where === 'ci' ? 'in CI' : 'outside of CI'} only; here a gate runs everywhere`;
    case 'warns-only':
      return `${quoteName(what.name)} only warns there; here what it finds keeps the gate from passing ("fail_on" sets from which priority on)`;
    case 'placeholder':
      return `${what.placeholder} in ${quoteName(what.name)} is not filled in here`;
    case 'tone':
      return 'how reviewers are to sound is not set here; add it to a prompt where it matters';
    case 'stop-hook':
      return 'the stop hook is set up with "onceover init --hook claude"';
  }
}

function tellOwnText({ name, standsIn }: Extract<LeftOverKind, { kind: 'own-text' }>): string {
  if (name === null)
    return 'it also reviews everything by rules of its own; our code-quality review stands in for them';
  const whose = `the text of ${quoteName(name)} is the tool's own, and not in this repository`;
  return `${whose}; ${standsIn ? 'our code-quality review stands in for it' : 'write a prompt and name it in a review'}`;
}
