import { fencedBlocks } from '@onceover/base/kernel/escape';
import type { CostDocument } from '@onceover/gates/cost/json-schema';
import type { RunOutcome } from '@onceover/gates/result/types';
import shop from './shop.md';

type Mistake = { readonly pattern: RegExp; readonly issue: string; readonly fix: string; readonly priority: string };

/** The mistake that each scripted reviewer finds, by the reviewer's name. Any other reviewer finds none. */
export const MISTAKES: ReadonlyMap<string, Mistake> = new Map(
  Object.entries({
    careful: {
      pattern: /\.reduce\(\((\w+), (\w+)\) => \1 \+ \2\)/,
      issue: 'An empty cart throws: reduce has no initial value.',
      fix: 'Pass 0 as the second argument of reduce.',
      priority: 'high',
    },
    exact: {
      pattern: /\.toFixed\([01]?\)/,
      issue: 'Prices lose their cents: $9.99 is shown as $10.0.',
      fix: 'Show two digits: toFixed(2).',
      priority: 'medium',
    },
  }),
);

export type DemoFile = { readonly path: string; readonly text: string };

/** The files in `shop.md`. Each is a code block whose label is a language and a path. */
const FILES: readonly DemoFile[] = fencedBlocks(shop).map(({ label, text }) => ({
  path: label.slice(label.indexOf(' ') + 1),
  text,
}));

/** The files that the demo's branch adds; the others are on the base branch. */
const CHANGE = ['src/cart.ts', 'src/receipt.ts', 'docs/cart.md'];

/**
 * Returns the files on the base branch. `reviewer` is the command to which the name of a scripted reviewer is added.
 */
export function filesBefore(reviewer: readonly string[]): readonly DemoFile[] {
  const commandOf = (name: string) => JSON.stringify([...reviewer, name]);
  return FILES.filter(({ path }) => !CHANGE.includes(path)).map(({ path, text }) => ({
    path,
    text: text.replace(/(?<=command: )\{(\w+)\}/g, (_, name: string) => commandOf(name)),
  }));
}

/** Returns a file of the change in which `mistake` is replaced by `fix`. */
function fixedFile(path: string, mistake: string, fix: string): DemoFile {
  const text = FILES.find((file) => file.path === path)?.text ?? '';
  return { path, text: text.replace(mistake, fix) };
}

/** One run of the demo: the files to write before it, the expected result, and the explanation of that result. */
export type DemoAct = {
  readonly title: string;
  readonly writes: readonly DemoFile[];
  readonly exitCode: 0 | 1;
  /** The expected state of each reviewer, in the form that `slotState` returns. */
  readonly slots: readonly string[];
  readonly why: string;
};

/** The four runs of the demo: with two mistakes, after the first fix, after the second fix, and without a change. */
export const STORY: readonly DemoAct[] = [
  {
    title: 'the change is new',
    writes: FILES.filter(({ path }) => CHANGE.includes(path)),
    exitCode: 1,
    slots: ['fail fresh', 'fail fresh', 'pass fresh'],
    why: 'no reviewer has seen this change, so all three review all of it.',
  },
  {
    title: 'F1 is fixed, F2 is not',
    writes: [fixedFile('src/cart.ts', 'sum + cents)', 'sum + cents, 0)')],
    exitCode: 1,
    slots: ['pass resumed', 'fail resumed', 'holds'],
    why:
      'one line of code changed, so both reviewers of "code" resume their sessions and read only that line. The page ' +
      'is unchanged. F2 stays open until the reviewer that found it sees the fix.',
  },
  {
    title: 'F2 is fixed too',
    writes: [fixedFile('src/receipt.ts', 'toFixed(1)', 'toFixed(2)')],
    exitCode: 0,
    slots: ['rests', 'pass resumed', 'holds'],
    why: '"careful" has passed, so it is skipped. "exact" had an open finding, so it reviews the fix.',
  },
  {
    title: 'nothing has changed',
    writes: [],
    exitCode: 0,
    slots: ['rests', 'holds', 'holds'],
    why: 'the files are exactly those that passed, so no reviewer runs.',
  },
];

export type DemoOutcome = {
  readonly runs: readonly RunOutcome[];
  /** The number of the run that did not have the planned result; null if all had it. */
  readonly strayed: number | null;
  readonly cost: CostDocument;
  /**
   * Sessions whose prompt begins like an earlier one of the same run: their number, and the tokens of these beginnings.
   */
  readonly shared: { readonly looks: number; readonly tokens: number };
  /** The folder of the repository; null if it was removed. */
  readonly folder: string | null;
  /** The command that starts onceover, without arguments. */
  readonly program: string;
  readonly durationMs: number;
};
