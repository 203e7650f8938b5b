import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { failing, PASS } from '@onceover/testing/gates.ts';
import { alone, BAD, command, configure, expectOpen, OBJECTION, objected, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Findings that disappear without a fix');

const FIXED = 'export const a = 1;\nexport const b = 3;\n';
const said = (state: string) => ({ ...PASS, previous: [{ id: 'F1', state, why: 'I say so' }] });

way('No one edits a file, and the reviewer does not mention its finding again.', async () => {
  const repo = await objected();
  await expectOpen(repo);
  await expectOpen(repo);
  expect(repo.calls()).toHaveLength(3);
});

way('No one edits a file, and the reviewer says that its finding is fixed.', async () => {
  const repo = await objected();
  repo.answers('one', said('fixed'));
  await expectOpen(repo);
});

way('Someone edits another file of the same gate, and the reviewer does not mention its finding.', async () => {
  const repo = await objected();
  repo.write('src/other.ts', 'export const other = 1;\n');
  await expectOpen(repo);
});

way('Someone edits only a file that belongs to another gate.', async () => {
  const review = '{ prompt: .onceover/reviews/code-quality.md }';
  const gates = `  - path: src\n    reviews: { own: ${review} }\n  - path: lib\n    reviews: { own: ${review} }`;
  const repo = await objected({ gates });
  repo.write('lib/b.ts', 'export const c = 1;\n');
  await expectOpen(repo);
  expect(repo.calls()).toHaveLength(3);
});

way(
  'Someone changes only the mode of the file with the finding, and the reviewer does not mention the finding.',
  async () => {
    const repo = await objected();
    chmodSync(join(repo.root, 'src/a.ts'), 0o755);
    await expectOpen(repo);
  },
);

way('The reviewer passes the change and says in the same answer that its finding is still open.', async () => {
  const repo = await objected();
  repo.write('src/a.ts', FIXED);
  repo.answers('one', said('open'));
  await expectOpen(repo);
});

way(
  'The reviewer says that its finding is still open, and its next answer does not mention the finding, although no one edited a file.',
  async () => {
    const repo = await objected();
    repo.write('src/a.ts', `${FIXED}// more\n`);
    repo.answers('one', said('open'));
    expect((await repo.document()).code).toBe(1);
    await expectOpen(repo);
  },
);

way(
  'The reviewer says that its finding is still open, and its next answer says that the finding is fixed, although no one edited a file.',
  async () => {
    const repo = await objected();
    repo.write('src/a.ts', `${FIXED}// more\n`);
    repo.answers('one', said('open'), said('fixed'));
    expect((await repo.document()).code).toBe(1);
    await expectOpen(repo);
  },
);

way('One answer of the reviewer says that a finding is fixed, and also that the same finding is open.', async () => {
  const repo = await objected();
  repo.write('src/a.ts', FIXED);
  repo.answers('one', { ...PASS, previous: [...said('fixed').previous, ...said('open').previous] });
  await expectOpen(repo);
});

way(
  'The reviewer reports its finding again, with a priority below the setting `rerun_new_issue_threshold`.',
  async () => {
    const repo = await objected({ more: 'rerun_new_issue_threshold: high' });
    repo.write('src/a.ts', `${BAD}\n`);
    repo.answers('one', failing('src/a.ts', BAD, { priority: 'low' }));
    await expectOpen(repo);
  },
);

way('Someone raises the setting `fail_on` above the priority of an open finding.', async () => {
  const repo = await objected();
  configure(repo, { more: 'fail_on: critical\nrerun_new_issue_threshold: critical' });
  await expectOpen(repo);
});

way(
  'Someone raises the setting `fail_on` above the priority of an open finding, and the reviewer reports the finding again.',
  async () => {
    const repo = await objected();
    configure(repo, { more: 'fail_on: critical\nrerun_new_issue_threshold: critical' });
    repo.write('src/a.ts', `${BAD}\n`);
    repo.answers('one', OBJECTION);
    await expectOpen(repo);
  },
);

way(
  'A finding was only a warning, and someone lowers the setting `fail_on` to the priority of this finding.',
  async () => {
    const repo = alone({ more: 'fail_on: critical' });
    repo.answers('one', OBJECTION);
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed_with_warnings' });
    configure(repo);
    await expectOpen(repo);
  },
);

way(
  'A finding was only a warning, and someone lowers the setting `fail_on` to its priority, but not the setting `rerun_new_issue_threshold`.',
  async () => {
    const spared = 'rerun_new_issue_threshold: critical';
    const repo = alone({ more: `fail_on: critical\n${spared}` });
    repo.answers('one', OBJECTION);
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed_with_warnings' });
    configure(repo, { more: spared });
    await expectOpen(repo);
  },
);

way('The reviewer gives a problem a priority that does not exist.', async () => {
  const repo = alone({ more: 'fail_on: critical' });
  repo.answers('one', failing('src/a.ts', BAD, { priority: 'minor' }));
  await expectOpen(repo);
});

way('The reviewer passes the change and reports a problem in it.', async () => {
  const repo = alone();
  repo.answers('one', { ...OBJECTION, status: 'pass' });
  await expectOpen(repo);
});

way('The reviewer fails the change and reports no problem.', async () => {
  const repo = alone();
  repo.answers('one', { status: 'fail', violations: [], message: 'I do not like it.' });
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, findings: [{ issue: 'I do not like it.', state: 'open', file: null }] });
});

way('The reviewer reports a problem in a file outside the change.', async () => {
  const repo = alone({ files: { 'src/old.ts': 'export const old = 1;\n' } });
  repo.answers('one', failing('src/old.ts', 'export const old = 1;'));
  expect((await repo.document()).findings).toMatchObject([{ mark: 'off-diff', state: 'open' }]);
  await expectOpen(repo);
});

way(
  'The reviewer reports a problem in a file outside the change, and then someone changes only the mode of this file.',
  async () => {
    const repo = alone({ files: { 'src/old.ts': 'export const old = 1;\n' } });
    repo.answers('one', failing('src/old.ts', 'export const old = 1;'));
    expect((await repo.document()).code).toBe(1);
    chmodSync(join(repo.root, 'src/old.ts'), 0o755);
    await expectOpen(repo);
  },
);

way('The reviewer writes the path of a problem as ./src/a.ts.', async () => {
  const repo = alone();
  repo.answers('one', failing('./src/a.ts', BAD));
  await expectOpen(repo);
  await expectOpen(repo);
});

way('The reviewer gives an absolute path for a problem.', async () => {
  const repo = alone();
  repo.answers('one', failing(join(repo.root, 'src/a.ts'), BAD));
  expect((await repo.document()).code).toBe(1);
  await expectOpen(repo);
});

way(
  'The reviewer writes the path of a problem with a diff prefix, with a line number, in backticks or without folders.',
  async () => {
    for (const name of ['b/src/a.ts', 'src/a.ts:2', '`src/a.ts`', 'a.ts', 'SRC/a.ts']) {
      const repo = alone();
      repo.answers('one', failing(name, BAD));
      expect((await repo.document()).findings).toMatchObject([{ file: 'src/a.ts', mark: null, state: 'open' }]);
      await expectOpen(repo);
    }
  },
);

way(
  'The reviewer reports a problem in a file that does not exist, and does not mention the problem again.',
  async () => {
    const repo = alone();
    repo.answers('one', failing('src/none.ts', BAD));
    expect((await repo.document()).code).toBe(1);
    await expectOpen(repo);
    repo.write('src/a.ts', FIXED);
    await expectOpen(repo);
    repo.answers('one', said('withdrawn'));
    expect((await repo.run()).code).toBe(0);
  },
);

way(
  'The reviewer fails the change without naming a file, and does not mention the problem in its next answer.',
  async () => {
    const repo = alone();
    repo.answers('one', { status: 'fail', violations: [], message: 'I do not like it.' });
    expect((await repo.document()).code).toBe(1);
    await expectOpen(repo);
  },
);

way('The reviewer passes the change and says that a finding with an unknown id is open.', async () => {
  const repo = alone();
  repo.answers('one', { ...PASS, previous: [{ id: 'F9', state: 'open', why: 'It loses data.' }] });
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ issue: 'F9 is still open: It loses data.' }] });
});

way(
  'Someone edits the file, and the reviewer says that its finding is open, but writes the id f1 instead of F1.',
  async () => {
    const repo = await objected();
    repo.write('src/a.ts', FIXED);
    repo.answers('one', { ...PASS, previous: [{ id: ' `f1`', state: 'open', why: 'Still there.' }] });
    await expectOpen(repo);
  },
);

way('The reviewer gives 0, a range, a line past the end of the file or nothing as the line of a problem.', async () => {
  const repo = alone();
  const violations = [0, '12-15', 4711, null].map((line) => ({
    file: 'src/a.ts',
    line,
    issue: `at ${line}`,
    priority: 'low',
  }));
  repo.answers('one', { status: 'fail', violations });
  expect((await repo.document()).findings.map(({ state }) => state)).toEqual(['open', 'open', 'open', 'open']);
  const again = await repo.document();
  expect(again.code).toBe(1);
  expect(again.findings).toHaveLength(4);
});

way('The reviewer quotes code that is not in the file.', async () => {
  const repo = alone();
  repo.answers('one', failing('src/a.ts', 'nowhere();'));
  expect((await repo.document()).findings).toMatchObject([{ mark: 'code-not-found', state: 'open' }]);
  await expectOpen(repo);
});

way('Someone marks the finding as fixed without editing a file.', async () => {
  const repo = await objected();
  expect((await command(repo, 'resolve', 'F1', '--fixed')).code).toBe(0);
  expect((await command(repo, 'status')).code).toBe(1);
  await expectOpen(repo);
});
