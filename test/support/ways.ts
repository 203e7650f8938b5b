import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type CliEnd, type CliOptions, onceover } from './cli.ts';
import { failing, type GateRepo, gateRepo, gateSettings } from './gates.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/no-false-pass.md');

/** Returns the lists of docs/no-false-pass.md by heading. */
export function promisedWays(): ReadonlyMap<string, readonly string[]> {
  const ways = new Map<string, string[]>();
  let own: string[] = [];
  for (const line of readFileSync(PAGE, 'utf8').split('\n')) {
    if (line.startsWith('## ')) {
      own = [];
      ways.set(line.slice(3), own);
    } else if (line.startsWith('- ')) own.push(line.slice(2));
  }
  return ways;
}

type Body = () => Promise<void>;
type Way = ((title: string, body: Body, timeout?: number) => void) & {
  fails(title: string, body: Body): void;
  /** For a way that damages files, or a ref, which a clone with a store for teams does not use. */
  inFiles(title: string, body: Body): void;
};

/** Whether these tests use a store for teams instead of files. */
export const HAS_STORE = process.env['ONCEOVER_TEST_TEAM'] === '1';

/** Returns a function that adds tests for one heading. A list item without a test, or a test without an item, fails. */
export function waysUnder(heading: string): Way {
  const tried: string[] = [];
  const way = (title: string, body: Body, timeout?: number) => {
    tried.push(title);
    test(title, body, timeout);
  };
  test(`the page lists what is tried here: ${heading}`, () => {
    expect(tried).toEqual(promisedWays().get(heading));
  });
  return Object.assign(way, {
    fails(title: string, body: Body) {
      tried.push(title);
      test.fails(title, body);
    },
    inFiles(title: string, body: Body) {
      tried.push(title);
      test.skipIf(HAS_STORE)(title, body);
    },
  });
}

type Options = NonNullable<Parameters<typeof gateRepo>[0]>;

/** Creates a repository with one reviewer, `one`, and no other agent. */
export function alone(options: Options = {}): GateRepo {
  return gateRepo({ agents: ['one'], numReviews: 1, ...options });
}

/** The line of src/a.ts that reviewers report. */
export const BAD = 'export const b = 2;';
export const OBJECTION = failing('src/a.ts', BAD, { line: 2 });

/** Creates the same repository after its reviewer has failed src/a.ts. From then on, the reviewer passes everything. */
export async function objected(options: Options = {}): Promise<GateRepo> {
  const repo = alone(options);
  repo.answers('one', OBJECTION);
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open' }] });
  return repo;
}

/** Creates the same repository after everything has passed. From then on, the reviewer fails everything. */
export async function passed(options: Options = {}): Promise<GateRepo> {
  const repo = alone(options);
  expect((await repo.run()).code).toBe(0);
  repo.forget();
  const no = { status: 'fail', violations: [{ file: '', line: null, issue: 'no', priority: 'high' }] } as const;
  repo.answers('one', ...Array.from({ length: 9 }, () => no));
  return repo;
}

/** Expects that the finding F1 is open, in `run` and in `status`. */
export async function expectOpen(repo: GateRepo, args: readonly string[] = []): Promise<void> {
  const run = await repo.document(args);
  expect(run).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open' }] });
  expect((await onceover(repo.root, ['status'])).code).toBe(1);
}

/** Expects that the current content does not pass until the reviewer has run, and that its verdict counts. */
export async function expectAsked(repo: GateRepo, options: CliOptions = {}): Promise<void> {
  expect((await onceover(repo.root, ['status'], options)).code).toBe(1);
  const run = await repo.run([], options);
  expect(repo.calls().map(({ name }) => name)).toEqual(['one']);
  expect(run.code).toBe(1);
}

/** Writes other settings for the same reviewers. */
export function configure(repo: GateRepo, options: Options = {}): void {
  const folder = join(dirname(repo.root), 'agents');
  repo.write('onceover.yml', gateSettings(folder, { agents: ['one'], numReviews: 1, ...options }));
}

/** Runs a command of onceover in the repository. */
export function command(repo: GateRepo, ...args: readonly string[]): Promise<CliEnd> {
  return onceover(repo.root, args);
}
