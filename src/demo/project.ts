import type { CostDocument } from '../cost/json-schema.ts';
import type { RunOutcome } from '../gates/run-types.ts';

type Mistake = { readonly pattern: RegExp; readonly issue: string; readonly fix: string; readonly priority: string };

const CARELESS: Mistake = {
  pattern: /\.reduce\(\((\w+), (\w+)\) => \1 \+ \2\)/,
  issue: 'An empty cart throws: reduce has no initial value.',
  fix: 'Pass 0 as the second argument of reduce.',
  priority: 'high',
};

const INEXACT: Mistake = {
  pattern: /\.toFixed\([01]?\)/,
  issue: 'Prices lose their cents: $9.99 is shown as $10.0.',
  fix: 'Show two digits: toFixed(2).',
  priority: 'medium',
};

/** The mistake that each scripted reviewer knows. A reviewer with another name knows none. */
export const MISTAKES: ReadonlyMap<string, Mistake> = new Map([
  ['careful', CARELESS],
  ['exact', INEXACT],
]);

export type DemoFile = { readonly path: string; readonly text: string };

/**
 * Returns the files of the base branch. `reviewer` is the command line of a scripted reviewer; the name of the reviewer
 * is appended to it.
 */
export function filesBefore(reviewer: readonly string[]): readonly DemoFile[] {
  const agent = (name: string) => `  ${name}: { command: ${JSON.stringify([...reviewer, name])}, resume: true }`;
  const settings = `# The reviewers are scripted: each knows one mistake and looks for it in the diff that it gets.
agents: [careful, exact]
agent:
${agent('careful')}
${agent('exact')}
unchanged_gates: rest
concurrency: 1
gates:
  - path: src
    reviews:
      code: { prompt: .onceover/reviews/code.md, num_reviews: 2 }
  - path: docs
    reviews:
      docs: { prompt: .onceover/reviews/docs.md }
`;
  return [
    { path: 'README.md', text: '# A shop\n\nThe demo project of onceover. You may change everything in it.\n' },
    { path: 'src/article.ts', text: 'export type Article = { readonly name: string; readonly cents: number };\n' },
    { path: '.onceover/reviews/code.md', text: CODE_REVIEW },
    { path: '.onceover/reviews/docs.md', text: '# Docs\n\nCheck that the pages match the code.\n' },
    { path: 'onceover.yml', text: settings },
  ];
}

const CODE_REVIEW = `# Code

Look for wrong results: a case that the code does not handle, an empty list, a
wrong price. Name the input and the wrong outcome. Leave out matters of taste.
`;

const cart = (sum: string): DemoFile => ({
  path: 'src/cart.ts',
  text: `import type { Article } from './article.ts';

export type Line = { readonly article: Article; readonly count: number };

/** A cart is never changed: \`add\` returns a new one. */
export type Cart = readonly Line[];

export function add(cart: Cart, article: Article, count = 1): Cart {
  if (count < 1) throw new RangeError('add at least one');
  return [...cart, { article, count }];
}

/** Returns the price of everything in the cart, in cents. */
export function total(cart: Cart): number {
  const prices = cart.map(({ article, count }) => article.cents * count);
  return prices.reduce(${sum});
}
`,
});

const receipt = (digits: string): DemoFile => ({
  path: 'src/receipt.ts',
  text: `import { type Cart, total } from './cart.ts';

export function price(cents: number): string {
  return \`$\${(cents / 100).${digits}}\`;
}

/** Returns the receipt: one row per line of the cart, and the sum below. */
export function receipt(cart: Cart): string {
  const rows = cart.map(({ article, count }) => \`\${count} x \${article.name}: \${price(article.cents * count)}\`);
  return [...rows, \`Total: \${price(total(cart))}\`].join('\\n');
}
`,
});

const PAGE = `# The cart

- \`add(cart, article, count)\` returns a cart with the article.
- \`total(cart)\` returns the price of everything, in cents.
- \`receipt(cart)\` returns the receipt for the customer.
`;

/** One run of the demo: the files to write before it, the expected result, and the reason for that result. */
export type DemoAct = {
  readonly title: string;
  readonly writes: readonly DemoFile[];
  readonly exitCode: 0 | 1;
  /** The expected state of each reviewer, as `slotState` returns it. */
  readonly slots: readonly string[];
  readonly why: string;
};

/** The four runs of the demo: on two mistakes, after the first fix, after the second fix, and without a change. */
export const STORY: readonly DemoAct[] = [
  {
    title: 'the change is new',
    writes: [cart('(sum, cents) => sum + cents'), receipt('toFixed(1)'), { path: 'docs/cart.md', text: PAGE }],
    exitCode: 1,
    slots: ['fail fresh', 'fail fresh', 'pass fresh'],
    why: 'no reviewer has seen this change, so all three review all of it.',
  },
  {
    title: 'F1 is fixed, F2 is not',
    writes: [cart('(sum, cents) => sum + cents, 0')],
    exitCode: 1,
    slots: ['pass resumed', 'fail resumed', 'holds'],
    why:
      'one line of code changed, so both reviewers of "code" resume their sessions and read only that line. The page ' +
      'is unchanged. F2 stays open until the reviewer that found it sees the fix.',
  },
  {
    title: 'F2 is fixed too',
    writes: [receipt('toFixed(2)')],
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
  /** The number of the run that did not have the planned result; null if all had. */
  readonly strayed: number | null;
  readonly cost: CostDocument;
  /**
   * The new sessions whose prompt has the same stable part as an earlier one of the run, and the tokens of that part.
   */
  readonly shared: { readonly looks: number; readonly tokens: number };
  /** The folder of the repository; null if it was removed. */
  readonly folder: string | null;
  /** The command that starts onceover, without arguments. */
  readonly program: string;
  readonly durationMs: number;
};
