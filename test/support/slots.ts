import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { type GateRepo, gateRepo } from './gates.ts';

export const GATE = 'review:src:code-quality';

/** Returns one review of `src` by scripted agents of these names, a slot each. */
export function slotRepo(agents: readonly string[], options: Parameters<typeof gateRepo>[0] = {}): GateRepo {
  return gateRepo({ agents, numReviews: agents.length, ...options });
}

/** A record as a person or another tool writes it: only the fields that every tool's records have. */
export function handRecord(status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass', more: object = {}): object {
  const violation = { file: 'src/a.ts', line: 2, issue: 'b is odd', fix: '', priority: 'high', status: 'new' };
  const violations = status === 'fail' ? [violation] : [];
  return { adapter: 'codex', timestamp: '2026-03-01T12:00:00.000Z', status, rawOutput: '', violations, ...more };
}

/** Writes records by hand under the exact names of their files: by status, as a whole, or any other text. */
export function given(repo: GateRepo, records: Readonly<Record<string, string | object>>): void {
  for (const [name, record] of Object.entries(records)) {
    const adapter = /_([^_]+)@/.exec(name)?.[1] ?? 'codex';
    const isStatus = record === 'pass' || record === 'fail' || record === 'error';
    repo.writeRecord(name, isStatus ? handRecord(record, { adapter }) : record);
  }
}

/** Returns the result of each slot of a gate, as `@1 skipped_prior_pass 2`; the number is the iteration of its pass. */
export function slotsIn({ gates }: Pick<RunDocument, 'gates'>, gate = GATE): readonly string[] {
  const slots = gates.find(({ id }) => id === gate)?.slots ?? [];
  return slots.map(
    ({ slot, status, pass_iteration: passed }) => `@${slot} ${status}${passed === null ? '' : ` ${passed}`}`,
  );
}

/** Returns the names of the called agents since the calls were last cleared. */
export function asked(repo: GateRepo): readonly string[] {
  return repo
    .calls()
    .map(({ name }) => name)
    .sort();
}

/** Returns the lines that say that a slot is skipped, or that it runs as the last resort. */
export function slotLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.includes('Skipping @') || line.includes('safety latch'));
}

export const skipLine = (slot: number, iteration: number) =>
  `Skipping @${slot}: previously passed in iteration ${iteration} (num_reviews > 1)`;

export const LATCH_LINE = 'Running @1: safety latch (all slots previously passed)';

/** Returns the change after another edit. */
export function edit(repo: GateRepo, number: number): void {
  repo.write('src/a.ts', `export const a = 1;\nexport const b = ${number};\n`);
}

/** Replaces words in the settings. */
export function configure(repo: GateRepo, from: string, to: string): void {
  const before = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  if (!before.includes(from)) throw new Error(`the settings do not say ${from}`);
  repo.write('onceover.yml', before.replaceAll(from, to));
}

/** Makes an agent's command a missing one; returns a function that undoes this. */
export function stopAgent(repo: GateRepo, name: string): () => void {
  const there = `${name}: { command: [node,`;
  const gone = `${name}: { command: [no-such-program,`;
  configure(repo, there, gone);
  return () => configure(repo, gone, there);
}
