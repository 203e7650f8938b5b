import { quoteName, showInvisible } from '../../kernel/escape.ts';
import { UNUSABLE } from '../../ui/describe-problem.ts';
import { someNames } from '../../ui/wording.ts';
import type { ImportTool, NotImported, NotImportedKind } from './types.ts';

/** The name of each tool, and the place of its configuration. */
const TOOLS: Readonly<Record<ImportTool, readonly [name: string, where: string]>> = {
  gauntlet: ['agent gauntlet', '.gauntlet/config.yml'],
  coderabbit: ['CodeRabbit', '.coderabbit.yaml'],
  continue: ['Continue', '.continue/checks/*.md'],
};

/** Says that there is nothing to import; `tool` is null if any tool was accepted. */
export function describeNoSource(tool: ImportTool | null): string {
  const places = tool === null ? Object.values(TOOLS).map(([, where]) => where) : [TOOLS[tool][1]];
  return `There is nothing to import: ${places.join(', ')} ${places.length === 1 ? 'does' : 'do'} not exist here.`;
}

/** Asks the user to choose one of several tools. */
export function describeSeveralSources(tools: readonly ImportTool[]): string {
  const choices = tools.map((tool) => `--from ${tool} (${TOOLS[tool][0]})`);
  return `More than one configuration can be imported. Choose one: ${choices.join(', ')}.`;
}

/** Says, per tool that is set up here, how its configuration can be imported. */
export function describeOtherTools(tools: readonly ImportTool[]): string {
  return tools
    .map((tool) => `${TOOLS[tool][0]} is set up here: "onceover init --from ${tool}" imports its reviews.`)
    .join('\n');
}

/** Says what was imported; `isNew` is false if an earlier import did it all. */
export function describeSource(tool: ImportTool, source: string, isNew: boolean): string {
  return isNew
    ? `Imported from ${source} (${TOOLS[tool][0]}), which stays unchanged.`
    : `${source} (${TOOLS[tool][0]}) has been imported already.`;
}

/** Says where something stands that was not imported or that differs here, and what to do about it. */
export function describeNotImported({ file, line, column, what }: NotImported): string {
  return `${quoteName(file)}:${line}:${column}: ${describeKind(what)}`;
}

function describeKind(what: NotImportedKind): string {
  switch (what.kind) {
    case 'settings':
      return `onceover has no setting like ${someNames(what.keys)}`;
    case 'agent':
      return `onceover does not know the agent ${quoteName(what.name)}; you can set its command under "agent"`;
    case 'model':
      return `${quoteName(what.name)} uses the model ${quoteName(what.model)}; here a model is set per agent, under "agent"`;
    case 'own-text': {
      if (what.name === null)
        return 'it also reviews everything by built-in rules; our code-quality review replaces them';
      const next = what.standsIn ? 'our code-quality review replaces it' : 'write a prompt and use it in a review';
      return `the text of ${quoteName(what.name)} is part of the tool and not in this repository; ${next}`;
    }
    case 'skill':
      return `${quoteName(what.name)} uses the skill ${quoteName(what.skill)}, which is not in this repository; write a prompt and use it in a review`;
    case 'prompt-file':
      return `the text of ${quoteName(what.name)} is in ${quoteName(what.path)}, which ${UNUSABLE[what.why]}`;
    case 'empty':
      return `${quoteName(what.name)} has no text`;
    case 'not-in-use':
      return `${quoteName(what.name)} is not in use${what.prompt === null ? '' : `; its text is in ${quoteName(what.prompt)}, which no review uses`}`;
    case 'undefined-gate':
      return `there is no ${what.gate} ${quoteName(what.name)}`;
    case 'path': {
      const next = what.prompts.length === 0 ? '' : `; its text is in ${someNames(what.prompts)}: add a review for it`;
      return `${quoteName(what.path)} ${showInvisible(what.said)}${next}`;
    }
    case 'exclude':
      return `${quoteName(what.glob)} ${showInvisible(what.said)}, so it is not excluded`;
    case 'only':
      return `onceover cannot limit all reviews to ${quoteName(what.glob)} at once; change the path of each`;
    case 'one-place':
      return `${quoteName(what.name)} runs ${what.where === 'ci' ? 'in CI only' : 'outside of CI only'}; here it runs everywhere`;
    case 'warns-only':
      return `${quoteName(what.name)} only warns there; here its findings block ("fail_on" sets from which priority on)`;
    case 'placeholder':
      return `${what.placeholder} in ${quoteName(what.name)} is not replaced here`;
    case 'tone':
      return 'onceover has no setting for the tone of reviewers; add it to a prompt if you need it';
    case 'stop-hook':
      return 'set up the stop hook with "onceover init --hook claude"';
  }
}
