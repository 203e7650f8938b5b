import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { inTerminal } from '@onceover/testing/person.ts';
import { expect, test } from 'vitest';
import { findingSchema, resolvedSchema } from '../../../src/result/json-schema.ts';

const TWO = {
  status: 'fail',
  violations: ['a', 'b'].flatMap((name) => failing('src/a.ts', `export const ${name}`).violations ?? []),
} as const;

async function twoFindings(): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', TWO);
  expect((await repo.run()).code).toBe(1);
  return repo;
}

test('without a terminal, --skip is a proposal for several findings, and --confirm is refused', async () => {
  const repo = await twoFindings();
  const proposed = await onceover(repo.root, ['resolve', 'F1', 'f2', '--skip', 'they are meant so']);
  expect(proposed.code).toBe(0);
  expect(proposed.stdout).toContain('A waiver of F1 is proposed: they are meant so');
  expect(proposed.stdout).toContain('confirm the waiver in a terminal: onceover resolve F2 --confirm');
  const status = await onceover(repo.root, ['status']);
  expect(status.code).toBe(1);
  expect(status.stdout).toContain('Waiver proposed by an unknown program: they are meant so');
  expect(status.stdout).toContain('To accept the proposed waivers: onceover resolve F1 F2 --confirm');
  const confirmed = await onceover(repo.root, ['resolve', 'F1', '--confirm']);
  expect([confirmed.code, confirmed.stderr]).toEqual([
    3,
    expect.stringContaining('Only a person can confirm a waiver'),
  ]);
  expect((await repo.run()).code).toBe(1);
});

test('nothing is stored if one of several findings is unknown', async () => {
  const repo = await twoFindings();
  expect((await onceover(repo.root, ['resolve', 'F1', 'F9', '--skip', 'so'])).code).toBe(2);
  expect((await repo.document()).findings).toMatchObject([{ answer: null }, { answer: null }]);
});

test('--json prints one document: the finding, or the list of several', async () => {
  const repo = await twoFindings();
  const resolved = async (...ids: readonly string[]) =>
    JSON.parse((await onceover(repo.root, ['resolve', ...ids, '--fixed', '--json'])).stdout) as unknown;
  expect(findingSchema.strict().parse(await resolved('F2'))).toMatchObject({ id: 'F2', answer: 'fixed' });
  const { findings } = resolvedSchema.strict().parse(await resolved('F2', 'f1'));
  expect(findings).toMatchObject([
    { id: 'F2', answer: 'fixed' },
    { id: 'F1', answer: 'fixed' },
  ]);
});

test.runIf(process.platform === 'linux')('a person in a terminal confirms what an agent proposed', async () => {
  const repo = await twoFindings();
  const agent = { CLAUDECODE: '1' };
  expect((await inTerminal(repo, ['resolve', 'F1', 'F2', '--skip', 'meant'], agent)).text).toContain('is proposed');
  expect((await inTerminal(repo, ['resolve', 'F1', 'F2', '--confirm'], agent)).code).toBe(3);
  expect((await inTerminal(repo, ['resolve', 'F1', 'F2', '--confirm'], { ONCEOVER_ACTIVE: '1' })).code).toBe(3);
  expect((await inTerminal(repo, ['resolve', 'F1', 'F2', '--confirm'])).text).toContain('F2 is waived: meant');
  const run = await repo.document();
  expect(run.code).toBe(0);
  expect(run.findings).toMatchObject([
    { state: 'waived', by: { kind: 'person' }, proposed_by: { kind: 'agent', name: 'claude' } },
    { state: 'waived' },
  ]);
});

test('two reviewers about the same code: one finding is shown, and one command answers both', async () => {
  const repo = gateRepo({ agents: ['one', 'two'], numReviews: 2 });
  repo.answers('one', failing('src/a.ts', 'export const b', { issue: 'First words.' }));
  repo.answers('two', failing('src/a.ts', 'export const b', { issue: 'Other words.' }));
  const run = await repo.run();
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('1 open finding\n');
  expect(run.stdout).toContain('F1, F2 high');
  expect(run.stdout).toContain('Also reported as F2, high');
  expect(run.stdout).toContain('Failed: 1 open finding in 1 gate');
  const { findings } = await repo.document(['--dry-run']);
  expect(findings).toMatchObject([{ same_code: ['F2'] }, { same_code: ['F1'] }]);
  const waived = await inTerminal(repo, ['resolve', 'F1', '--skip', 'fine']);
  expect(waived.text).toContain('F2 is waived too');
  expect((await onceover(repo.root, ['status'])).code).toBe(0);
});
