import { paidTokens } from '../domain/cost.ts';
import type { DemoOutcome } from '../domain/demo.ts';
import type { RunOutcome } from '../domain/run.ts';
import { shellWord } from '../domain/shell-word.ts';
import { demoPicture, demoTable } from './demo-figures.ts';
import { type DemoLooks, fitDemo, tellDemoSlots } from './demo-slots.ts';
import { tellResult } from './run-result.ts';
import { tokensOf } from './tokens.ts';
import { wrap } from './wrap.ts';

/** A mistake that is planted, and where. */
type Planted = { readonly file: string; readonly line: number; readonly code: string };

/** What there is to see, before the first run. */
export function tellDemoBeginning(planted: readonly Planted[], given: DemoLooks): string {
  const { width, paint } = fitDemo(given);
  const places = planted.map(({ file, line }) => `${file}:${line}`);
  const widest = Math.max(...places.map(({ length }) => length));
  return [
    paint('strong', 'onceover demo: what a review costs the second time'),
    wrap(SCRIPTED, width),
    [
      wrap('A branch adds a shopping cart, a receipt and a page about them. Two mistakes are in it:', width),
      ...planted.map(({ code }, i) => `  ${places[i]?.padEnd(widest)}  ${paint('bad', code)}`),
    ].join('\n'),
    wrap('It has to pass two reviews: code, by two reviewers, and docs, by one.', width),
  ].join('\n\n');
}

const SCRIPTED =
  'These are real runs of "onceover run", in a temporary repository. The reviewers are scripted, so no model, key or network ' +
  'is needed: each knows one mistake, and looks for it in the diff that it is sent.';

const ACTS: readonly { readonly before: string; readonly why: string }[] = [
  {
    before: 'the change is new',
    why: 'nobody has looked yet, so all three are asked, each about its whole part.',
  },
  {
    before: 'F1 is mended, F2 is not',
    why:
      'one line of code has changed, so the reviewers of code are sent that line, in the session that they had. The page has ' +
      'not changed. F2 is still there, and only who reported it can close it.',
  },
  {
    before: 'F2 is mended too',
    why: 'careful has passed, so it rests while exact, whose finding was open, looks at what changed.',
  },
  {
    before: 'nothing has changed',
    why: 'what is there is byte for byte what was passed, so nobody is asked.',
  },
];

/** One run: what came before it, who was asked and who was not, what came of it, and why. */
export function tellDemoRun(number: number, outcome: RunOutcome, given: DemoLooks): string {
  const looks = fitDemo(given);
  const { paint, width } = looks;
  const act = ACTS[number - 1];
  const [result = ''] = tellResult(outcome);
  return [
    `\n${paint('strong', `Run ${number}: ${act?.before}`)}`,
    tellDemoSlots(outcome, looks),
    [
      paint(outcome.exitCode === 0 ? 'good' : 'bad', wrap(`  ${result}`, width)),
      wrap(`  Why: ${act?.why}`, width, 'Why: '.length),
    ].join('\n'),
  ].join('\n\n');
}

/** What it all cost, beside what it would have cost; why the pass can be trusted; what to do next. */
export function tellDemoEnd(outcome: DemoOutcome, given: DemoLooks): string {
  const looks = fitDemo(given);
  const { width, paint } = looks;
  if (outcome.strayed !== null) {
    const said = `Run ${outcome.strayed} is not what the demo was made to show, so what it says of it is not true.`;
    return `\n${paint('broken', wrap(said, width))}\nPlease report it, with what "onceover demo --json" prints.`;
  }
  return [
    `\n${paint('strong', 'What was saved')}`,
    demoTable(outcome, looks),
    demoPicture(outcome, looks),
    tellSum(outcome, looks),
    [paint('strong', 'Why the pass can be trusted'), ...TRUST.map((one) => wrap(`  - ${one}`, width, 2))].join('\n'),
    tellNext(outcome, looks),
  ].join('\n\n');
}

const TRUST = [
  'Run 2 did not pass: half a fix is no fix, and a finding stays open until its reviewer has seen it mended.',
  'Run 3 passed: of each review, somebody has looked at what is there now; who rests is named in every report.',
  'Run 4 asked nobody because nothing had changed. Change one byte, and somebody looks again.',
];

function tellSum({ cost, shared }: DemoOutcome, { width, paint }: DemoLooks): string {
  const paid = paidTokens(cost.paid);
  const { pass, slot, session, prefix } = cost.spared;
  const spared = pass.tokens + slot.tokens + session.tokens + prefix.tokens;
  const looks = cost.paid.looks + pass.looks + slot.looks;
  const share = Math.round((100 * spared) / (paid + spared));
  const told = `Of ${looks} looks, ${cost.paid.looks} were asked for. Paid: ${tokensOf(paid)} tokens. Not paid: about ${tokensOf(spared)}, ${share} % of the whole, if a look that is spared counts as much as that reviewer's last one.`;
  const alike = `Not counted is what both reviewers of code were sent alike, the first ${tokensOf(shared.tokens)} tokens: were they one agent, such as Claude Code, the second would have had them from its provider's cache.`;
  return [
    paint('good', wrap(`  ${told}`, width)),
    ...(shared.looks === 0 ? [] : [paint('quiet', wrap(`  ${alike}`, width))]),
    paint('quiet', wrap(`  ${ESTIMATE}`, width)),
  ].join('\n');
}

const ESTIMATE =
  'Tokens are estimated: four characters each of what was really sent and said. A model also reads files, and its own ' +
  'session again at a tenth of the price or so; "onceover cost" shows what yours used.';

function tellNext({ folder }: DemoOutcome, { paint, width }: DemoLooks): string {
  if (folder === null) {
    return [
      `${paint('strong', 'In your own repository:')}  npx onceover init, then npx onceover run`,
      `${paint('strong', 'To look around in this:')}  npx onceover demo --keep`,
    ].join('\n');
  }
  return [
    paint('strong', 'The repository is kept, to look around in:'),
    `  cd ${shellWord(folder)}`,
    ...AROUND.map(([command, what]) => `  ${command.padEnd(42)}${paint('quiet', what)}`),
    wrap('Put a mistake back into src/cart.ts, and run it again. In the end, remove the folder.', width),
  ].join('\n');
}

const AROUND = [
  ['npx onceover status', 'what holds, and who rests'],
  ['npx onceover explain F2', 'a finding, and how it was closed'],
  ['npx onceover explain code@2 --prompt', 'exactly what was sent and said'],
  ['npx onceover cost', 'what was paid, and what was not'],
] as const;
