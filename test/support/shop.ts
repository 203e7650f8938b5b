import { dirname, join, resolve } from 'node:path';
import { openLedger } from '@onceover/agents/ledger/store';
import { onceover } from './cli.ts';
import { failing, type GateRepo, gateRepo, type ScriptedAnswer, waive } from './gates.ts';
import { ledgerRun, ledgerSlot } from './ledger-samples.ts';

const AGENT = resolve(import.meta.dirname, 'agent.mjs');

const AGENTS = ['careful', 'exact', 'guard', 'writer'];

const settings = (folder: string) => `fail_on: medium
agents: [careful, exact]
agent:
${AGENTS.map((name) => `  ${name}: { command: [node, ${AGENT}, ${name}, ${folder}], resume: true }`).join('\n')}
gates:
  - path: src
    checks:
      types: { run: "echo Checked 14 files, no errors." }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }
      security: { prompt: .onceover/reviews/security.md, agents: [guard] }
  - path: docs
    reviews:
      docs: { prompt: .onceover/reviews/docs.md, agents: [writer] }
`;

const CART = `import type { Item } from './item.ts';

/** Returns the price of all items in cents. */
export function total(items: readonly Item[]): number {
  return items.map(({ cents }) => cents).reduce((sum, cents) => sum + cents);
}

/** Returns the items without those of this name. */
export function remove(items: readonly Item[], name: string): readonly Item[] {
  return items.filter((item) => item.name !== name);
}

export function describe(items: readonly Item[]): string {
  return items.map(({ name, cents }) => \`\${name}: \${cents / 100}\`).join('\\n');
}
`;

const RECEIPT = `import { readFileSync } from 'node:fs';

/** Returns a stored receipt. */
export function readReceipt(id: string): string {
  return readFileSync(\`/var/receipts/\${id}.txt\`, 'utf8');
}
`;

const usage = (input: number, cached: number, output: number) => ({
  ...{ input_tokens: input, cached_input_tokens: cached, cache_write_tokens: 0, output_tokens: output },
  cost_usd: (input * 3 + cached * 0.3 + output * 15) / 1e6,
});

const EMPTY = failing('src/cart.ts', 'reduce((sum, cents) => sum + cents)', {
  line: 5,
  issue: 'For an empty cart, reduce has no first value and throws a TypeError. The page of an empty cart fails.',
  fix: 'Pass 0 as the second argument of reduce.',
});

const CENTS = failing('src/cart.ts', 'cents / 100', {
  ...{ line: 14, issue: 'A price of 10 cents is shown as 0.1.', priority: 'low' },
});

const UNSAFE = failing('src/receipt.ts', 'readFileSync(`/var/receipts/$' + '{id}.txt`', {
  line: 5,
  issue: 'The id comes from the address of the page. An id such as "../../etc/passwd" reads a file of another folder.',
  fix: 'Accept only letters and digits in the id.',
  priority: 'critical',
});

const LIMIT = failing('docs/cart.md', 'A cart has no limit.', {
  ...{ line: 3, issue: 'The page does not say how many items a cart can have.', priority: 'medium' },
});

/** Returns one answer with the findings of all, its tokens and its session. */
function answer(session: string, used: object, ...found: readonly ScriptedAnswer[]): ScriptedAnswer {
  const violations = found.flatMap((one) => one.violations ?? []);
  return { status: violations.length === 0 ? 'pass' : 'fail', violations, session_id: session, usage: used };
}

export type Shop = GateRepo & {
  /** Writes the page of a command to a file, and returns the path. */
  report(name: string, ...command: readonly string[]): Promise<string>;
};

/**
 * A shop with a change on branch `cart` after two runs: the first finding is fixed, one is waived, a critical one is
 * open, and the reviewer that passed has not seen the fix. The ledger has runs of the weeks before.
 */
export async function shopRepo(): Promise<Shop> {
  const repo = gateRepo({
    name: 'shop',
    files: { 'src/item.ts': 'export type Item = { name: string; cents: number };\n', 'docs/cart.md': '# The cart\n' },
  });
  const folder = dirname(repo.root);
  repo.git('checkout', '-q', '--', 'src/a.ts');
  repo.git('checkout', '-q', 'main');
  repo.write('onceover.yml', settings(join(folder, 'agents')));
  repo.write('.onceover/reviews/code-quality.md', 'Look for mistakes that a user of the shop would notice.\n');
  repo.write('.onceover/reviews/security.md', 'Look for input that the code does not check.\n');
  repo.write('.onceover/reviews/docs.md', 'Compare the docs with the code.\n');
  repo.commit('Add reviews');
  repo.git('checkout', '-q', '-b', 'cart');
  await writePast(repo.root);

  repo.write('src/cart.ts', CART);
  repo.write('src/receipt.ts', RECEIPT);
  repo.write('docs/cart.md', '# The cart\n\nA cart has no limit.\n');
  repo.write('package.json', '{ "name": "shop" }\n');
  repo.answers('careful', answer('c', usage(18_400, 0, 640), EMPTY, CENTS));
  repo.answers('exact', answer('e', usage(18_100, 0, 120)));
  repo.answers('guard', answer('g', usage(17_900, 6_100, 410), UNSAFE));
  repo.answers('writer', answer('w', usage(9_200, 6_100, 220), LIMIT));
  await repo.run();
  await waive(repo, await findingAt(repo, 'docs/cart.md'), 'The limit is part of the next change.');
  repo.write('src/cart.ts', CART.replace('sum + cents)', 'sum + cents, 0)'));
  const fixed = [{ id: await findingAt(repo, 'src/cart.ts'), state: 'fixed', why: 'reduce starts with 0' }];
  repo.answers('careful', { ...answer('c', usage(2_300, 18_900, 90), CENTS), previous: fixed });
  repo.answers('guard', { ...answer('g', usage(1_900, 17_900, 180), UNSAFE) });
  return {
    ...repo,
    async report(name, ...command) {
      const file = join(folder, `${name}.html`);
      await onceover(repo.root, [...command, '--report', `html=${file}`]);
      return file;
    },
  };
}

/** Returns the id of the open finding in a file. */
export async function findingAt(repo: GateRepo, file: string): Promise<string> {
  const { findings } = await repo.document(['--dry-run']);
  return findings.find((one) => one.file === file && one.state === 'open')?.id ?? '';
}

const DAY_MS = 24 * 3600 * 1000;

/** Adds runs of the five weeks before to the ledger. */
async function writePast(root: string): Promise<void> {
  const ledger = openLedger(join(root, '.git'));
  for (let day = 36; day > 0; day--) {
    if (day % 7 < 2) continue;
    for (let n = 0; n < 1 + (day % 3); n++) {
      const at = new Date(Date.now() - day * DAY_MS + n * 3_600_000).toISOString();
      const isPass = (day + n) % 3 !== 0;
      const paid = 12_000 + ((day * 7919 + n * 104_729) % 16_000);
      await ledger.add(
        ledgerRun({
          ...{ at, branch: `refs/heads/${day > 20 ? 'stock' : 'receipts'}`, iteration: n + 1 },
          ...(isPass ? {} : ({ status: 'failed', exitCode: 1 } as const)),
          slots: [1, 2].map((slot) =>
            ledgerSlot({
              ...{ slot, agent: AGENTS[slot - 1] ?? '', status: isPass ? 'pass' : 'fail', durationMs: paid / 2 },
              dispatch: n > 0 ? 'resumed' : 'fresh',
              usage: {
                ...{ inputTokens: paid, cachedInputTokens: paid / 2, cacheWriteTokens: 0, outputTokens: 400 },
                costUsd: slot === 2 && day % 4 === 0 ? null : (paid * 3) / 1e6,
              },
            }),
          ),
          spared: [
            { gate: 'review:src:security', lever: 'pass', looks: 1, tokens: 9_000 + n * 4_000 },
            { gate: 'review:src:code-quality', lever: 'session', looks: 1, tokens: n * 7_000 },
          ],
        }),
      );
    }
  }
}
