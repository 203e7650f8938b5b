/** A file of the demo's project. */
export type DemoFile = { readonly path: string; readonly text: string };

/** What the planted mistakes are, right and wrong. */
const SUM = { wrong: '.reduce((sum, cents) => sum + cents)', right: '.reduce((sum, cents) => sum + cents, 0)' };
const DIGITS = { wrong: 'toFixed(1)', right: 'toFixed(2)' };

const CART = 'src/cart.ts';
const RECEIPT = 'src/receipt.ts';

/** What is there before the change; `reviewer` is the command of a scripted reviewer, its name to be added. */
export function filesBefore(reviewer: readonly string[]): readonly DemoFile[] {
  return [
    { path: 'README.md', text: '# A shop\n\nWhat the demo of onceover plays with. Everything in it may be changed.\n' },
    { path: 'src/article.ts', text: ARTICLE },
    { path: 'docs/articles.md', text: '# Articles\n\nAn article has a name and a price in cents.\n' },
    { path: '.onceover/reviews/code.md', text: CODE_REVIEW },
    { path: '.onceover/reviews/docs.md', text: DOCS_REVIEW },
    { path: 'onceover.yml', text: settings(reviewer) },
  ];
}

/** The change under review: a cart, its receipt, and a page about it. Two mistakes are in it. */
export const CHANGE: readonly DemoFile[] = [
  { path: CART, text: cart(SUM.wrong) },
  { path: RECEIPT, text: receipt(DIGITS.wrong) },
  { path: 'docs/cart.md', text: page() },
];

/** The first mistake mended. */
export const FIRST_FIX: readonly DemoFile[] = [{ path: CART, text: cart(SUM.right) }];

/** The second one, too. */
export const SECOND_FIX: readonly DemoFile[] = [{ path: RECEIPT, text: receipt(DIGITS.right) }];

/** Where the mistakes are: with the code that is wrong. */
export const PLANTED: readonly { readonly file: string; readonly line: number; readonly code: string }[] = [
  planted(CART, cart(SUM.wrong), SUM.wrong),
  planted(RECEIPT, receipt(DIGITS.wrong), DIGITS.wrong),
];

function planted(file: string, text: string, code: string) {
  return { file, line: text.slice(0, text.indexOf(code)).split('\n').length, code };
}

function settings(reviewer: readonly string[]): string {
  const agent = (name: string) => `  ${name}: { command: ${JSON.stringify([...reviewer, name])}, resume: true }`;
  return `# The reviewers are scripted: each knows one mistake, and looks for it in the diff that it is sent.
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
}

const ARTICLE = `/** Something to buy. */
export type Article = { readonly name: string; readonly cents: number };
`;

const CODE_REVIEW = `# Code

Look for what gives wrong results in use: a case that nobody thought of, an empty list, a price that is not what it
should be. Say which input leads to which wrong outcome. Leave out matters of taste.
`;

const DOCS_REVIEW = `# Docs

Check that the pages say what the code does, and that somebody new can follow them.
`;

function cart(sum: string): string {
  return `import type { Article } from './article.ts';

/** So many of an article. */
export type Line = { readonly article: Article; readonly count: number };

/** A cart; it is never changed, there is always a new one. */
export type Cart = readonly Line[];

/** Puts so many of an article into the cart; one that is there already is counted up. */
export function add(cart: Cart, article: Article, count = 1): Cart {
  if (count < 1) throw new RangeError('at least one has to be added');
  const there = cart.find((line) => line.article.name === article.name);
  if (there === undefined) return [...cart, { article, count }];
  return cart.map((line) => (line === there ? { article, count: line.count + count } : line));
}

/** Takes so many of an article out of the cart; those that are not there cannot be taken out. */
export function remove(cart: Cart, article: Article, count = 1): Cart {
  return cart
    .map((line) => (line.article.name === article.name ? { ...line, count: line.count - count } : line))
    .filter((line) => line.count > 0);
}

/** How many things are in the cart. */
export function size(cart: Cart): number {
  let things = 0;
  for (const { count } of cart) things += count;
  return things;
}

/** What everything in the cart costs, in cents. */
export function total(cart: Cart): number {
  return cart.map(({ article, count }) => article.cents * count)${sum};
}
`;
}

function receipt(digits: string): string {
  return `import { type Cart, type Line, total } from './cart.ts';

const WIDTH = 32;

/** A price as people read it. */
export function price(cents: number): string {
  return \`$\${(cents / 100).${digits}}\`;
}

/** The receipt for a cart: a row for each line, and the sum below. */
export function receipt(cart: Cart): string {
  return [...cart.map(row), '-'.repeat(WIDTH), sides('Total', price(total(cart)))].join('\\n');
}

function row({ article, count }: Line): string {
  return sides(\`\${count} x \${article.name}\`, price(article.cents * count));
}

function sides(left: string, right: string): string {
  return \`\${left}\${' '.repeat(Math.max(1, WIDTH - left.length - right.length))}\${right}\`;
}
`;
}

function page(): string {
  return `# The cart

A cart is a list of lines, each with an article and how many of it. It is never changed: \`add\` and \`remove\` give back a
new one, so that a page may keep the old one and show what is different.

- \`add(cart, article, count)\` puts so many into the cart. Adding an article twice counts its line up.
- \`remove(cart, article, count)\` takes so many out. A line with nothing left is gone.
- \`size(cart)\` tells how many things are in it.
- \`total(cart)\` tells what all of it costs, in cents.
- \`receipt(cart)\` is what the customer gets to see: a row for each line, and the sum below.

Prices are whole cents everywhere. Only the receipt shows them with a point.
`;
}
