import { paidTokens } from '../cost/rows.ts';
import type { RunOutcome, SlotOutcome } from '../gates/run-types.ts';
import { totalTokens } from '../kernel/agent.ts';
import { shellWord } from '../kernel/escape.ts';
import type { Lever } from '../ledger/entries.ts';
import { cut, padCells, wrap } from '../ui/layout.ts';
import type { Paint, TextStyle } from '../ui/style.ts';
import { count, tokensOf } from '../ui/wording.ts';
import type { DemoOutcome } from './project.ts';

export type DemoStyle = { readonly paint: Paint; readonly width: number };

const NARROWEST = 80;

const WIDEST = 96;

function textWidth({ width }: DemoStyle): number {
  return Math.min(WIDEST, Math.max(NARROWEST, width));
}

type PlantedMistake = { readonly file: string; readonly line: number; readonly code: string };

/** Returns the introduction: the reviewers are scripted, and where the mistakes are. */
export function describeDemoBeginning(planted: readonly PlantedMistake[], style: DemoStyle): string {
  const { paint } = style;
  const places = planted.map(({ file, line }) => `${file}:${line}`);
  const longest = Math.max(...places.map(({ length }) => length));
  const mistakes = planted.map(({ code }, i) => `  ${places[i]?.padEnd(longest)}  ${paint('bad', code)}`);
  return [
    paint('strong', 'onceover demo: four runs with scripted reviewers'),
    wrap(SCRIPTED, textWidth(style)),
    ['A branch adds a shopping cart, a receipt and a page. It has two mistakes:', ...mistakes].join('\n'),
    'The branch has to pass two reviews: "code" with two reviewers, "docs" with one.',
  ].join('\n\n');
}

const SCRIPTED =
  'These are real runs in a temporary repository. The reviewers are scripted, so no model, key or network is needed: ' +
  'each reviewer knows one mistake and looks for it in the diff that it gets.';

const ACTS: readonly { readonly title: string; readonly why: string }[] = [
  { title: 'the change is new', why: 'no reviewer has seen this change, so all three review all of it.' },
  {
    title: 'F1 is fixed, F2 is not',
    why:
      'one line of code changed, so both reviewers of "code" resume their sessions and read only that line. The page ' +
      'is unchanged. F2 stays open until the reviewer that found it sees the fix.',
  },
  {
    title: 'F2 is fixed too',
    why: '"careful" has passed, so it is skipped. "exact" had an open finding, so it reviews the fix.',
  },
  { title: 'nothing has changed', why: 'the files are exactly those that passed, so no reviewer runs.' },
];

/** Returns the text of one run: the reviewers with their findings, the result, and the reason. */
export function describeDemoRun(number: number, outcome: RunOutcome, style: DemoStyle): string {
  const { paint } = style;
  const act = ACTS[number - 1];
  const open = outcome.findings.filter(({ state }) => state === 'open').length;
  const result = outcome.exitCode === 0 ? 'passed' : `failed with ${count(open, 'open finding')}`;
  return [
    `\n${paint('strong', `Run ${number}: ${act?.title}`)}`,
    outcome.gates.flatMap((gate) => gate.slots.flatMap((slot) => slotLines(outcome, gate, slot, style))).join('\n'),
    [
      paint(outcome.exitCode === 0 ? 'good' : 'bad', `  Result: ${result} (exit code ${outcome.exitCode})`),
      wrap(`  Why: ${act?.why}`, textWidth(style), 'Why: '.length),
    ].join('\n'),
  ].join('\n\n');
}

const WHO = 20;

const WORD = 9;

function slotLines(
  outcome: RunOutcome,
  { id, status }: RunOutcome['gates'][number],
  slot: SlotOutcome,
  style: DemoStyle,
): readonly string[] {
  const { paint } = style;
  const [word, look, what] = describeSlot(slot, status === 'holds');
  const review = id.split(':').at(-1) ?? id;
  const tokens = slot.usage === null ? '' : ` (${tokensOf(totalTokens(slot.usage))} tokens)`;
  const who = padCells(`  ${review} @${slot.slot} ${slot.agent ?? ''}`, WHO);
  const findings = outcome.findings
    .filter(({ finding }) => finding.slot === slot.slot && finding.gate === id)
    .map(({ finding, state }) => {
      if (state === 'closed') return paint('good', `      ${finding.id} is fixed`);
      const text = finding.since === outcome.iteration ? finding.issue : 'still open';
      return paint('bad', cut(`      ${finding.id} ${finding.file}:${finding.line}  ${text}`, textWidth(style)));
    });
  return [`${who}${paint(look, padCells(word, WORD))}${what}${tokens}`, ...findings];
}

function describeSlot(slot: SlotOutcome, isUnchanged: boolean): readonly [string, TextStyle, string] {
  if (slot.status === 'skipped_prior_pass') return ['skipped', 'rests', `passed in run ${slot.passIteration}`];
  if (isUnchanged) return ['skipped', 'rests', 'unchanged since it passed'];
  const what = slot.dispatch === 'resumed' ? 'resumed, reads only what changed' : 'new session, reads the whole diff';
  return slot.status === 'pass' ? ['pass', 'good', what] : [slot.status.toUpperCase(), 'bad', what];
}

/** Returns the end: the cost, the reasons to trust the pass, and the next commands. */
export function describeDemoEnd(outcome: DemoOutcome, style: DemoStyle): string {
  const { paint } = style;
  const width = textWidth(style);
  if (outcome.strayed !== null) {
    const what = `Run ${outcome.strayed} did not go as planned, so the explanations above are wrong.`;
    return `\n${paint('broken', wrap(what, width))}\nPlease report it with the output of "onceover demo --json".`;
  }
  return [
    `\n${paint('strong', 'What the runs cost')}`,
    describeCost(outcome, style),
    [paint('strong', 'Why you can trust the pass'), ...TRUST.map((one) => wrap(`  - ${one}`, width, 2))].join('\n'),
    describeNext(outcome, style),
  ].join('\n\n');
}

const TRUST = [
  'Run 2 did not pass, because one finding was still open.',
  'Run 3 passed, because every review has a reviewer that has seen the current code.',
  'Run 4 skipped all reviewers, because nothing had changed. After any change, reviewers run again.',
];

const SAVED_BY: Readonly<Record<Lever, string>> = {
  pass: 'skipped, unchanged since they passed',
  slot: 'skipped, because that reviewer had already passed',
  session: 'resumed a session, and read only what changed',
  prefix: 'shared the start of their prompts',
};

const ESTIMATE =
  'Tokens are estimated: one per four characters that were sent or received. A model also reads files. ' +
  '"onceover cost" shows the real numbers of your runs.';

function describeCost({ cost }: DemoOutcome, style: DemoStyle): string {
  const { paint } = style;
  const used = paidTokens(cost.paid);
  const levers = (Object.keys(SAVED_BY) as Lever[]).filter((lever) => cost.not_paid[lever].looks > 0);
  const saved = levers.map((lever) => cost.not_paid[lever].tokens).reduce((a, b) => a + b, 0);
  const skipped = cost.not_paid.pass.looks + cost.not_paid.slot.looks;
  const share = Math.round((100 * saved) / (used + saved));
  return [
    `  Reviews: ${cost.paid.looks} ran, ${skipped} skipped.`,
    paint('good', `  Tokens used: ${tokensOf(used)}. Saved: about ${tokensOf(saved)} (${share} %):`),
    ...levers.map((lever) => {
      const { tokens, looks } = cost.not_paid[lever];
      return `  ${tokensOf(tokens).padStart(7)}  ${count(looks, 'review')} ${SAVED_BY[lever]}`;
    }),
    paint('quiet', wrap(`  ${ESTIMATE}`, textWidth(style))),
  ].join('\n');
}

function describeNext({ folder, program }: DemoOutcome, { paint }: DemoStyle): string {
  if (folder === null) {
    return [
      paint('strong', 'To explore the repository of the demo:'),
      `  ${program} demo --keep`,
      paint('strong', 'Next, in your own repository:'),
      `  ${program} init`,
    ].join('\n');
  }
  return [
    paint('strong', 'The repository is kept. To explore it:'),
    `  cd ${shellWord(folder)}`,
    ...['status', 'explain F2', 'explain code@2 --prompt', 'cost'].map((command) => `  ${program} ${command}`),
    'Put a mistake back into src/cart.ts and run again. Delete the folder afterwards.',
  ].join('\n');
}
