import type { GateOutcome, RunOutcome, SlotOutcome, ToldFinding } from '../domain/run.ts';
import { totalTokens } from '../domain/usage.ts';
import type { BarStyle } from './bar.ts';
import type { Look, Paint } from './paint.ts';
import { tokensOf } from './tokens.ts';
import { cells, cut, padCells } from './width.ts';

/** How the demo is to look. */
export type DemoLooks = { readonly paint: Paint; readonly bars: BarStyle; readonly width: number };

const NARROWEST = 64;
const WIDEST = 96;

/** The looks within what it can be laid out for. */
export function fitDemo(looks: DemoLooks): DemoLooks {
  return { ...looks, width: Math.min(WIDEST, Math.max(NARROWEST, looks.width)) };
}

/** A reviewer as it stands after a run. */
export type Standing = {
  readonly review: string;
  readonly slot: SlotOutcome;
  readonly word: string;
  readonly look: Look;
  /** How it was asked, or that it was not. */
  readonly how: 'fresh' | 'resumed' | 'rests' | 'holds';
  readonly tokens: number;
};

/** All reviewers after a run, in the order of the settings. */
export function standings({ gates }: RunOutcome): readonly Standing[] {
  return gates.flatMap((gate) => gate.slots.map((slot) => standing(gate, slot)));
}

function standing({ id, status }: GateOutcome, slot: SlotOutcome): Standing {
  const review = id.split(':').at(-1) ?? id;
  const tokens = slot.usage === null ? 0 : totalTokens(slot.usage);
  if (slot.status === 'skipped_prior_pass') return { review, slot, word: 'rests', look: 'rests', how: 'rests', tokens };
  if (status === 'holds') return { review, slot, word: 'holds', look: 'good', how: 'holds', tokens };
  const how = slot.dispatch === 'resumed' ? 'resumed' : 'fresh';
  return slot.status === 'pass'
    ? { review, slot, word: 'pass', look: 'good', how, tokens }
    : { review, slot, word: slot.status.toUpperCase(), look: 'bad', how, tokens };
}

const WHY: Readonly<Record<Standing['how'], string>> = {
  fresh: 'asked: first look, sent all of it',
  resumed: 'asked again: sent what changed',
  rests: 'not asked: passed in run ',
  holds: 'not asked: unchanged since it passed',
};

/** A line for each reviewer, and below it what it found or closed. */
export function tellDemoSlots(outcome: RunOutcome, looks: DemoLooks): string {
  return standings(outcome)
    .flatMap((one) => [
      slotLine(one, looks),
      ...outcome.findings
        .filter(({ finding }) => finding.slot === one.slot.slot && finding.gate.endsWith(`:${one.review}`))
        .map((finding) => findingLine(finding, outcome.iteration, looks)),
    ])
    .join('\n');
}

function slotLine({ review, slot, word, look, how, tokens }: Standing, { paint, width }: DemoLooks): string {
  const who = `  ${padCells(`${review} @${slot.slot} ${slot.agent ?? ''}`, WHO)}`;
  const why = `${WHY[how]}${how === 'rests' ? slot.passIteration : ''}`;
  const used = `${tokensOf(tokens)} tokens`.padStart(width - cells(who) - WORD - cells(why));
  return `${who}${paint(look, padCells(word, WORD))}${why}${paint(tokens === 0 ? 'good' : 'quiet', used)}`;
}

const WHO = 18;
const WORD = 7;

function findingLine({ finding, state }: ToldFinding, iteration: number | null, { paint, width }: DemoLooks): string {
  const { id, file, line, since, issue } = finding;
  const place = `${file}:${line}`;
  if (state === 'closed') return paint('good', `      ${id} is closed: mended`);
  const told = since === iteration ? `${id} ${place}  ${issue}` : `${id} ${place}  still as it was`;
  return paint('bad', cut(`      ${told}`, width));
}
