import { join } from 'node:path';
import type { Answer } from './model-sim/script.ts';
import { type AgentName, realAgent } from './real-person.ts';

/** One review by two reviewers. */
export const GATE = `  - path: src
    reviews:
      code: { prompt: .onceover/reviews/code.md, num_reviews: 2 }
`;

export const ONE_REVIEWER = GATE.replace('num_reviews: 2', 'num_reviews: 1');

/** The reviewed code: two files of a typical length with a mistake each. */
export const CHANGE = {
  cart: `${padding('cart')}export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum - line.price, 0);
}
`,
  tax: `${padding('tax')}export function taxed(amount: number, rate: number): number {
  return amount / rate;
}
`,
};

function padding(name: string): string {
  return Array.from(
    { length: 60 },
    (_, i) => `export const ${name}Label${i} = 'The label number ${i} of ${name}';\n`,
  ).join('');
}

/** The same files, fixed. */
export const MENDED = {
  cart: CHANGE.cart.replace('sum - line', 'sum + line'),
  tax: CHANGE.tax.replace('/ rate', '* rate'),
};

/** The findings about the mistakes. */
export const FINDINGS = {
  cart: finding('src/cart.ts', 'return lines.reduce((sum, line) => sum - line.price, 0);', 'The total goes down.'),
  tax: finding('src/tax.ts', 'return amount / rate;', 'The tax is divided.'),
};

/** Returns a call of the agent's tool that reads a file. */
export function reading(user: { readonly root: string }, who: AgentName): Extract<Answer, { kind: 'tools' }> {
  return { kind: 'tools', calls: [realAgent(who).read(join(user.root, 'src/cart.ts'))] };
}

function finding(file: string, code: string, issue: string) {
  return { file, line: 1, code, issue, fix: 'Fix it.', priority: 'high' } as const;
}

/** Returns an answer in the agent's schema: Codex has no optional fields. */
export function answering(
  who: AgentName,
  status: 'pass' | 'fail',
  violations: readonly ReturnType<typeof finding>[],
  previous: readonly { readonly id: string; readonly state: string; readonly why: string }[] = [],
): Extract<Answer, { kind: 'structured' }> {
  const more = who === 'codex' ? { message: null } : {};
  return { kind: 'structured', value: { status, violations, previous, ...more } };
}
