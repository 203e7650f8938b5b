import { expect } from 'vitest';
import { type GateRepo, gateRepo, PASS } from '../../support/gates.ts';
import { ruleText } from '../../support/repo.ts';
import { configure, OBJECTION, waysUnder } from '../../support/ways.ts';

const way = waysUnder('A reviewer that goes on where it left off');

const KEPT = { ...PASS, session_id: 'kept' };
const FIXED = 'export const a = 1;\nexport const b = 3;\n';

/** A repository whose reviewer `two` has passed everything, and is asked in the same session when something changes. */
async function seen(
  options: NonNullable<Parameters<typeof gateRepo>[0]>,
  change: (repo: GateRepo) => void = () => {},
): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['two'], numReviews: 1, ...options });
  change(repo);
  repo.answers('two', KEPT, KEPT);
  expect((await repo.run()).code).toBe(0);
  repo.forget();
  return repo;
}

/** What the reviewer is shown before the run may pass. */
async function shown(repo: GateRepo): Promise<string> {
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls()).toHaveLength(1);
  return repo.calls()[0]?.prompt ?? '';
}

const review = '{ prompt: .onceover/reviews/code-quality.md }';
const excluding = (path: string) => `  - path: src\n    exclude: [${path}]\n    reviews: { code-quality: ${review} }`;

way('It is shown what has changed since, and nothing else.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('+export const b = 3;');
  expect(repo.calls()[0]?.session).toBe('kept');
});

way('The prompt is edited together with the code.', async () => {
  const repo = await seen({});
  repo.write('.onceover/reviews/code-quality.md', 'Look elsewhere.\n');
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('Look elsewhere.');
});

const RULE = ruleText('own', { include: ['src/a.ts'], strategy: 'matches_together' });

way('The instructions of a rule are edited together with the code.', async () => {
  const repo = await seen({ gates: '  []', files: { '.deepreview': RULE } });
  repo.write('.deepreview', RULE.replace('Look closely.', 'Look elsewhere.'));
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('Look elsewhere.');
});

way('The gate covers a file that it did not cover before.', async () => {
  const repo = await seen({ gates: excluding('src/b.ts') }, (one) => one.write('src/b.ts', 'evil\n'));
  configure(repo, { agents: ['two'], gates: excluding('src/none.ts') });
  expect(await shown(repo)).toContain('+evil');
});

way('The rule matches a file that it did not match before.', async () => {
  const repo = await seen({ gates: '  []', files: { '.deepreview': RULE } }, (one) => one.write('src/b.ts', 'evil\n'));
  repo.write('.deepreview', RULE.replace('src/a.ts', 'src/**'));
  expect(await shown(repo)).toContain('+evil');
});

/** The base goes on, and is merged without anything of it. */
function mergeNothing(repo: GateRepo): void {
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('src/theirs.ts', 'export const theirs = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-s', 'ours', '-m', 'ours', 'main');
}

way('A merge keeps nothing of what the base has got since.', async () => {
  const repo = await seen({});
  mergeNothing(repo);
  expect(await shown(repo)).toContain('-export const theirs = 1;');
});

const BASE = { 'src/b.ts': 'as it was\n' };
const taken = (repo: GateRepo) => repo.write('src/b.ts', 'mended\n');

way('A file in the folder of the gate is put back as it was.', async () => {
  const repo = await seen({ files: BASE }, taken);
  repo.write('src/b.ts', 'as it was\n');
  expect(await shown(repo)).toContain('-mended');
});

way('A file that matches the glob of the gate is put back as it was.', async () => {
  const gates = `  - path: "src/**"\n    reviews: { code-quality: ${review} }`;
  const repo = await seen({ gates, files: BASE }, taken);
  repo.write('src/b.ts', 'as it was\n');
  expect(await shown(repo)).toContain('-mended');
});

way('A file that matches a rule is put back as it was.', async () => {
  const rule = RULE.replace('src/a.ts', 'src/**');
  const repo = await seen({ gates: '  []', files: { ...BASE, '.deepreview': rule } }, taken);
  repo.write('src/b.ts', 'as it was\n');
  expect(await shown(repo)).toContain('-mended');
});

way('It answers from another conversation: it is asked anew, with everything.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  repo.answers('two', { ...PASS, session_id: 'another' }, OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls().map(({ session }) => session)).toEqual(['kept', null]);
  expect(repo.calls()[1]?.prompt).toContain('Look for what is wrong.');
});

way('It cannot go on: it is asked anew, with everything.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  repo.answers('two', { $exit: 1 }, OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls().map(({ session }) => session)).toEqual(['kept', null]);
});

way('It can neither go on nor begin anew.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  repo.answers('two', { $exit: 1 }, { $exit: 1 });
  expect((await repo.run()).code).toBe(3);
});

way('What it saw is no longer known.', async () => {
  const repo = await seen({});
  const refs = repo.git('for-each-ref', '--format=%(refname)').split('\n');
  for (const ref of refs.filter((one) => one.includes('/onceover/'))) repo.git('update-ref', '-d', ref);
  repo.git('gc', '-q', '--prune=now');
  repo.write('src/a.ts', FIXED);
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()[0]?.prompt).toContain('Look for what is wrong.');
});
