import { failing, type GateRepo, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { inTerminal } from '@onceover/testing/person.ts';
import { alone, BAD, command, objected, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Several reviewers of the same code, and repeated reviews');

const LINES = ['export const a = 1;', BAD, 'export const c = 3;'];
const CONVERGENCE = 'convergence: { unchanged_code: must_fix_only, ratchet: true }';
const nit = (code: string, priority: string) => failing('src/a.ts', code, { priority });
const about = (state: string) => [{ id: 'F1', state, why: 'I say so' }];

/** Creates a repository in which two reviewers report the same line, as F1 and F2. */
async function twice(priorities: readonly [string, string]): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['one', 'two'], numReviews: 2 });
  repo.answers('one', nit(BAD, priorities[0]));
  repo.answers('two', nit(BAD, priorities[1]));
  expect((await repo.document()).code).toBe(1);
  return repo;
}

const openIds = ({ findings }: Awaited<ReturnType<GateRepo['document']>>) =>
  findings.filter(({ state }) => state === 'open' || state === 'fixed_claimed').map(({ id }) => id);

way('Two reviewers report the same line, and only one of them confirms the fix.', async () => {
  const repo = await twice(['high', 'high']);
  repo.write('src/a.ts', `${LINES.join('\n').replace('b = 2', 'b = 3')}\n`);
  const findings = (await repo.document(['--dry-run'])).findings;
  const second = findings.find(({ slot }) => slot === 2)?.id ?? '';
  repo.answers('one', PASS);
  repo.answers('two', { ...PASS, previous: [{ id: second, state: 'open', why: 'not yet' }] });
  const run = await repo.document();
  expect([run.code, openIds(run)]).toEqual([1, [second]]);
});

way('Two reviewers report the same line, and someone waives the less severe finding.', async () => {
  const repo = await twice(['low', 'critical']);
  const { findings } = await repo.document(['--dry-run']);
  const [low, critical] = ['low', 'critical'].map((one) => findings.find(({ priority }) => priority === one)?.id ?? '');
  expect((await inTerminal(repo, ['resolve', low ?? '', '--skip', 'fine'])).code).toBe(0);
  const run = await repo.document();
  expect([run.code, openIds(run)]).toEqual([1, [critical]]);
});

way('Someone waives a finding, and then another reviewer reports the same line.', async () => {
  const repo = gateRepo({ agents: ['one', 'two'], numReviews: 2 });
  repo.answers('one', nit(BAD, 'high'));
  repo.answers('two', PASS, nit(BAD, 'high'));
  expect((await repo.document()).code).toBe(1);
  expect((await inTerminal(repo, ['resolve', 'F1', '--skip', 'fine'])).code).toBe(0);
  const run = await repo.document(['--fresh']);
  expect([run.code, openIds(run)]).toEqual([1, ['F2']]);
});

/** Lets the reviewer close F1 and report the same line again, three times. */
async function contested(): Promise<GateRepo> {
  const repo = await objected();
  for (let flip = 1; flip <= 3; flip++) {
    repo.answers('one', { ...PASS, previous: about('withdrawn') });
    expect((await repo.document(['--fresh'])).code).toBe(0);
    repo.answers('one', failing('src/a.ts', BAD, { line: 2 }));
    expect((await repo.document(['--fresh'])).code).toBe(1);
  }
  return repo;
}

way(
  'A reviewer closes its finding and reports the same line again three times, and then withdraws the finding.',
  async () => {
    const repo = await contested();
    repo.answers('one', { ...PASS, previous: about('withdrawn') });
    const run = await repo.document(['--fresh']);
    expect(run).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open', contested: true }] });
    expect((await command(repo, 'status')).stdout).toContain('Contested: reviewer 1');
    // A person decides.
    expect((await inTerminal(repo, ['resolve', 'F1', '--skip', 'fine'])).code).toBe(0);
    expect((await repo.run()).code).toBe(0);
  },
);

way(
  'A reviewer has closed and reported the same finding three times. An agent marks the finding as fixed, and the reviewer confirms the fix.',
  async () => {
    const repo = await contested();
    expect((await command(repo, 'resolve', 'F1', '--fixed')).code).toBe(0);
    repo.write('src/a.ts', `${LINES.join('\n').replace('b = 2', 'b = 3')}\n`);
    repo.answers('one', { ...PASS, previous: about('fixed') });
    const run = await repo.document();
    expect([run.code, openIds(run)]).toEqual([1, ['F1']]);
  },
);

/** Creates a repository with convergence, after a review with one finding on `BAD`. */
async function converging(): Promise<GateRepo> {
  const repo = alone({ more: CONVERGENCE });
  repo.write('src/a.ts', `${LINES.join('\n')}\n`);
  repo.answers('one', nit(BAD, 'high'));
  expect((await repo.document()).code).toBe(1);
  repo.write('src/a.ts', `${LINES.join('\n').replace('b = 2', 'b = 20')}\n`);
  return repo;
}

way(
  'With the setting `convergence`, a later review reports a critical problem on lines that are unchanged since an earlier review.',
  async () => {
    const repo = await converging();
    repo.answers('one', { ...nit('export const c = 3;', 'critical'), previous: about('fixed') });
    expect((await repo.document()).code).toBe(1);
  },
);

way('With the setting `convergence`, a later review reports a problem of low priority on a changed line.', async () => {
  const repo = await converging();
  repo.answers('one', { ...nit('export const b = 20;', 'low'), previous: about('fixed') });
  expect((await repo.document()).code).toBe(1);
});

way(
  'With the setting `convergence`, a later review does not mention its finding and reports a problem on an unchanged line.',
  async () => {
    const repo = await converging();
    repo.answers('one', nit('export const c = 3;', 'low'));
    expect((await repo.document()).code).toBe(1);
  },
);

way(
  'With the setting `convergence`, someone edits the stored result of the earlier review, so that it names the current code.',
  async () => {
    const repo = await converging();
    repo.git('add', '-A');
    const tree = repo.git('write-tree').trim();
    const [name = ''] = repo.records().filter((one) => one.endsWith('.1.json'));
    const record = repo.record(name);
    expect(record['snapshot']).toMatch(/^[0-9a-f]{40}$/);
    repo.writeRecord(name, { ...record, snapshot: tree });
    repo.answers('one', { ...nit('export const b = 20;', 'low'), previous: about('fixed') });
    expect((await repo.document()).code).toBe(1);
  },
);
