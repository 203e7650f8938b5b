import { shellWord } from '@onceover/base/kernel/escape';
import { wrap } from '@onceover/base/ui/layout';
import type { Paint } from '@onceover/base/ui/style';
import { tokensOf } from '@onceover/base/ui/wording';
import { paidTokens } from '@onceover/gates/cost/rows';
import { describeRun } from '@onceover/gates/result/describe/run';
import type { RunOutcome } from '@onceover/gates/result/types';
import { type DemoOutcome, STORY } from './project.ts';

export type DemoStyle = { readonly paint: Paint; readonly width: number };

function textWidth({ width }: DemoStyle): number {
  return Math.min(96, Math.max(80, width));
}

/** Returns the introduction, which explains the scripted reviewers and the change that they review. */
export function describeDemoBeginning(style: DemoStyle): string {
  return [
    style.paint('strong', 'onceover demo: four runs with scripted reviewers'),
    wrap(SCRIPTED, textWidth(style)),
    wrap(BRANCH, textWidth(style)),
  ].join('\n\n');
}

const SCRIPTED =
  'These are real runs in a temporary repository. The reviewers are scripted, so no model, key or network is needed: ' +
  'each reviewer knows one mistake and looks for it in the diff that it gets.';

const BRANCH =
  'A branch adds a shopping cart, a receipt and a page. It has two mistakes, and it has to pass two reviews: "code" ' +
  'with two reviewers, "docs" with one.';

/** Returns the text about one run: the output of "onceover run", and why it has this result. */
export function describeDemoRun(number: number, outcome: RunOutcome, style: DemoStyle): string {
  const { paint } = style;
  const width = textWidth(style);
  const act = STORY[number - 1];
  return [
    `\n${paint('strong', `Run ${number}: ${act?.title}`)}`,
    describeRun(outcome, { paint, width }),
    wrap(`Why: ${act?.why}`, width, 'Why: '.length),
  ].join('\n\n');
}

const ESTIMATE =
  'Tokens are estimated: one per four characters that were sent or received. A real model also reads files, so it uses more. ' +
  '"onceover cost" shows the real numbers of your runs.';

/** Returns the end of the output: the cost of the runs and the next commands. */
export function describeDemoEnd({ cost, strayed, folder, program }: DemoOutcome, style: DemoStyle): string {
  const { paint } = style;
  const width = textWidth(style);
  if (strayed !== null) {
    const sentence = `Run ${strayed} did not go as planned, so the explanations above are wrong.`;
    return `\n${paint('broken', wrap(sentence, width))}\nPlease report it with the output of "onceover demo --json".`;
  }
  const usedTokens = paidTokens(cost.paid);
  const { pass, slot, session, prefix } = cost.not_paid;
  const savedTokens = [pass, slot, session, prefix].reduce((sum, { tokens }) => sum + tokens, 0);
  const share = Math.round((100 * savedTokens) / (usedTokens + savedTokens));
  const next =
    folder === null
      ? [
          paint('strong', 'To explore the repository of the demo:'),
          `  ${program} demo --keep`,
          paint('strong', 'Next, in your own repository:'),
          `  ${program} init`,
        ]
      : [
          paint('strong', 'The repository is kept. To explore it:'),
          `  cd ${shellWord(folder)}`,
          ...['status', 'explain F2', 'explain code@2 --prompt', 'cost'].map((command) => `  ${program} ${command}`),
          'Put a mistake back into src/cart.ts and run again. Delete the folder afterwards.',
        ];
  return [
    `\n${paint('strong', 'What the four runs cost')}`,
    [
      `Reviews: ${cost.paid.looks} ran (${cost.paid.resumed} in resumed sessions), ${pass.looks + slot.looks} skipped.`,
      paint('good', `Tokens used: ${tokensOf(usedTokens)}. Saved: about ${tokensOf(savedTokens)} (${share} %).`),
      paint('quiet', wrap(ESTIMATE, width)),
    ].join('\n'),
    next.join('\n'),
  ].join('\n\n');
}
