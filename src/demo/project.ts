import type { CostDocument } from '../cost/json-schema.ts';
import type { RunOutcome } from '../gates/run-types.ts';

type Mistake = { readonly pattern: RegExp; readonly issue: string; readonly fix: string; readonly priority: string };

/** The mistake that each scripted reviewer knows. A reviewer with another name knows none. */
export const MISTAKES: ReadonlyMap<string, Mistake> = new Map([
  [
    'careful',
    {
      pattern: /\.reduce\(\((\w+), (\w+)\) => \1 \+ \2\)/,
      issue: 'An empty cart throws: reduce has no initial value.',
      fix: 'Pass 0 as the second argument of reduce.',
      priority: 'high',
    },
  ],
  [
    'exact',
    {
      pattern: /\.toFixed\([01]?\)/,
      issue: 'Prices lose their cents: $9.99 is shown as $10.0.',
      fix: 'Show two digits: toFixed(2).',
      priority: 'medium',
    },
  ],
]);

export type DemoFile = { readonly path: string; readonly text: string };

/** The planted mistakes, wrong and right. */
const SUM = { wrong: '.reduce((sum, cents) => sum + cents)', right: '.reduce((sum, cents) => sum + cents, 0)' };

const DIGITS = { wrong: 'toFixed(1)', right: 'toFixed(2)' };

const CART = 'src/cart.ts';

const RECEIPT = 'src/receipt.ts';

/** Returns the files of the base branch; `reviewer` is the command of a scripted reviewer without its name. */
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
    { path: 'src/article.ts', text: ARTICLE },
    { path: 'docs/articles.md', text: '# Articles\n\nAn article has a name and a price in cents.\n' },
    { path: '.onceover/reviews/code.md', text: CODE_REVIEW },
    { path: '.onceover/reviews/docs.md', text: DOCS_REVIEW },
    { path: 'onceover.yml', text: settings },
  ];
}

const ARTICLE = `/** Something to buy. */
export type Article = { readonly name: string; readonly cents: number };
`;

const CODE_REVIEW = `# Code

Look for wrong results: a case that the code does not handle, an empty list, a
wrong price. Name the input and the wrong outcome. Leave out matters of taste.
`;

const DOCS_REVIEW = `# Docs

Check that the pages match the code, and that a newcomer can follow them.
`;

const cart = (sum: string) => `import type { Article } from './article.ts';

export type Line = { readonly article: Article; readonly count: number };

/** A cart is never changed: \`add\` returns a new one. */
export type Cart = readonly Line[];

/** Adds an article, or raises the count of one that is in the cart. */
export function add(cart: Cart, article: Article, count = 1): Cart {
  if (count < 1) throw new RangeError('add at least one');
  const line = cart.find((one) => one.article.name === article.name);
  if (line === undefined) return [...cart, { article, count }];
  return cart.map((one) => (one === line ? { article, count: one.count + count } : one));
}

/** Returns the price of everything in the cart, in cents. */
export function total(cart: Cart): number {
  return cart.map(({ article, count }) => article.cents * count)${sum};
}
`;

const receipt = (digits: string) => `import { type Cart, total } from './cart.ts';

export function price(cents: number): string {
  return \`$\${(cents / 100).${digits}}\`;
}

/** Returns the receipt: one row per line of the cart, and the sum below. */
export function receipt(cart: Cart): string {
  const rows = cart.map(({ article, count }) => \`\${count} x \${article.name}: \${price(article.cents * count)}\`);
  return [...rows, \`Total: \${price(total(cart))}\`].join('\\n');
}
`;

const PAGE = `# The cart

A cart is a list of lines, each with an article and a count. It is never
changed: \`add\` returns a new cart.

- \`add(cart, article, count)\` adds an article or raises its count.
- \`total(cart)\` returns the price of everything, in cents.
- \`receipt(cart)\` returns the receipt for the customer.

Prices are whole cents. Only the receipt shows them with a decimal point.
`;

/** The change under review, with two mistakes. */
export const CHANGE: readonly DemoFile[] = [
  { path: CART, text: cart(SUM.wrong) },
  { path: RECEIPT, text: receipt(DIGITS.wrong) },
  { path: 'docs/cart.md', text: PAGE },
];

export const FIRST_FIX: readonly DemoFile[] = [{ path: CART, text: cart(SUM.right) }];

export const SECOND_FIX: readonly DemoFile[] = [{ path: RECEIPT, text: receipt(DIGITS.right) }];

const planted = (file: string, text: string, code: string) => ({
  file,
  line: text.slice(0, text.indexOf(code)).split('\n').length,
  code,
});

/** The position and the code of each mistake. */
export const PLANTED = [
  planted(CART, cart(SUM.wrong), SUM.wrong),
  planted(RECEIPT, receipt(DIGITS.wrong), DIGITS.wrong),
];

/** The result of the demo. */
export type DemoOutcome = {
  readonly runs: readonly RunOutcome[];
  /** The number of the run that did not go as planned; null if all did. */
  readonly strayed: number | null;
  readonly cost: CostDocument;
  /** The tokens that several new sessions of one run were sent alike, at the start of their prompts. */
  readonly shared: { readonly looks: number; readonly tokens: number };
  /** The folder of the repository; null if it was removed. */
  readonly folder: string | null;
  /** The command that starts onceover, without arguments. */
  readonly program: string;
  readonly durationMs: number;
};
