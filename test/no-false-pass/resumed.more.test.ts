import { type GateRepo, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { BAD, configure, OBJECTION, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Resumed sessions that miss a change');

const KEPT = { ...PASS, session_id: 'kept' };
const FIXED = 'export const a = 1;\nexport const b = 3;\n';

/** Creates a repository whose reviewer `two` has passed everything and is resumed after a change. */
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

/** Returns the prompt that the reviewer gets before the run passes. */
async function shown(repo: GateRepo): Promise<string> {
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls()).toHaveLength(1);
  return repo.calls()[0]?.prompt ?? '';
}

const review = '{ prompt: .onceover/reviews/code-quality.md }';
const excluding = (path: string) => `  - path: src\n    exclude: [${path}]\n    reviews: { code-quality: ${review} }`;

way('Someone edits the code: onceover resumes the session of the reviewer and sends what changed.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('+export const b = 3;');
  expect(repo.calls()[0]?.session).toBe('kept');
});

way('Someone edits the prompt of the review together with the code.', async () => {
  const repo = await seen({});
  repo.write('.onceover/reviews/code-quality.md', 'Look elsewhere.\n');
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('Look elsewhere.');
});

const RULE = ruleText('own', { include: ['src/a.ts'], strategy: 'matches_together' });

way('Someone edits the instructions of a rule together with the code.', async () => {
  const repo = await seen({ gates: '  []', files: { '.deepreview': RULE } });
  repo.write('.deepreview', RULE.replace('Look closely.', 'Look elsewhere.'));
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('Look elsewhere.');
});

way('Someone changes the settings so that the gate reviews another file too.', async () => {
  const repo = await seen({ gates: excluding('src/b.ts') }, (one) => one.write('src/b.ts', 'evil\n'));
  configure(repo, { agents: ['two'], gates: excluding('src/none.ts') });
  expect(await shown(repo)).toContain('+evil');
});

way('Someone changes a rule so that it matches another file too.', async () => {
  const repo = await seen({ gates: '  []', files: { '.deepreview': RULE } }, (one) => one.write('src/b.ts', 'evil\n'));
  repo.write('.deepreview', RULE.replace('src/a.ts', 'src/**'));
  expect(await shown(repo)).toContain('+evil');
});

/** Adds a commit to the base and merges it without its changes. */
function mergeNothing(repo: GateRepo): void {
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('src/theirs.ts', 'export const theirs = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-s', 'ours', '-m', 'ours', 'main');
}

way('Someone merges the base branch, but drops everything that is new on the base branch.', async () => {
  const repo = await seen({});
  mergeNothing(repo);
  expect(await shown(repo)).toContain('-export const theirs = 1;');
});

const BASE = { 'src/b.ts': 'as it was\n' };
const taken = (repo: GateRepo) => repo.write('src/b.ts', 'mended\n');

way('Someone reverts a file in the folder of the gate, so that the file is no longer part of the change.', async () => {
  const repo = await seen({ files: BASE }, taken);
  repo.write('src/b.ts', 'as it was\n');
  expect(await shown(repo)).toContain('-mended');
});

way(
  'Someone reverts a file that matches the glob of the gate, so that the file is no longer part of the change.',
  async () => {
    const gates = `  - path: "src/**"\n    reviews: { code-quality: ${review} }`;
    const repo = await seen({ gates, files: BASE }, taken);
    repo.write('src/b.ts', 'as it was\n');
    expect(await shown(repo)).toContain('-mended');
  },
);

way('Someone reverts a file that a rule matches, so that the file is no longer part of the change.', async () => {
  const rule = RULE.replace('src/a.ts', 'src/**');
  const repo = await seen({ gates: '  []', files: { ...BASE, '.deepreview': rule } }, taken);
  repo.write('src/b.ts', 'as it was\n');
  expect(await shown(repo)).toContain('-mended');
});

way('Someone reverts a file and merges a newer base branch before the next run.', async () => {
  const repo = await seen({ files: BASE }, taken);
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('README.md', '# New\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-m', 'merged', 'main');
  repo.write('src/b.ts', 'as it was\n');
  const prompt = await shown(repo);
  expect(prompt).toContain('-mended');
  // The file of the base branch is not under review, but the reviewer may have opened it.
  const [underReview, others] = prompt.split('## Other changed files');
  expect(underReview).not.toContain('# New');
  expect(others).toContain('# New');
  expect(repo.calls()[0]?.session).toBe('kept');
});

way('The agent answers from another session: onceover starts a new session with the full prompt.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  repo.answers('two', { ...PASS, session_id: 'another' }, OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls().map(({ session }) => session)).toEqual(['kept', null]);
  expect(repo.calls()[1]?.prompt).toContain('Look for what is wrong.');
});

way('The agent cannot resume the session: onceover starts a new session with the full prompt.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  repo.answers('two', { $exit: 1 }, OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls().map(({ session }) => session)).toEqual(['kept', null]);
});

way('The agent cannot resume the session, and starting a new session fails too.', async () => {
  const repo = await seen({});
  repo.write('src/a.ts', FIXED);
  repo.answers('two', { $exit: 1 }, { $exit: 1 });
  expect((await repo.run()).code).toBe(3);
});

way('Someone deletes the stored copy of the code that the reviewer saw last.', async () => {
  const repo = await seen({});
  const refs = repo.git('for-each-ref', '--format=%(refname)').split('\n');
  for (const ref of refs.filter((one) => one.includes('/onceover/'))) repo.git('update-ref', '-d', ref);
  repo.git('gc', '-q', '--prune=now');
  repo.write('src/a.ts', FIXED);
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()[0]?.prompt).toContain('Look for what is wrong.');
});

const HELPER = 'lib/helper.ts';
const NEW_HELPER = 'export const half = (n: number) => n / 3;\n';
const withHelper = { files: { [HELPER]: 'export const half = (n: number) => n / 2;\n' } };

way('A file that the gate does not review changes together with the code.', async () => {
  const repo = await seen(withHelper);
  for (const text of [NEW_HELPER, NEW_HELPER.replace('3', '4')]) {
    repo.forget();
    repo.answers('two', KEPT);
    repo.write(HELPER, text);
    repo.write('src/a.ts', `${FIXED}// ${text}`);
    const prompt = await shown(repo);
    expect(repo.calls()[0]?.session).toBe('kept');
    expect(prompt).toContain(`+${text}`);
    expect(prompt).not.toContain('No other file that git tracks has changed.');
  }
  repo.forget();
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain('No other file that git tracks has changed.');
});

way('A rebase changes a file that the gate does not review.', async () => {
  const repo = await seen(withHelper);
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write(HELPER, NEW_HELPER);
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('rebase', '-q', 'main');
  repo.write('src/a.ts', `${BAD}\n${FIXED}`);
  expect(await shown(repo)).toContain(`+${NEW_HELPER}`);
  expect(repo.calls()[0]?.session).toBe('kept');
});

way('A long file that the gate does not review changes together with the code.', async () => {
  const repo = await seen(withHelper);
  repo.write(HELPER, `${NEW_HELPER}${'// A long comment.\n'.repeat(1000)}`);
  repo.write('src/a.ts', FIXED);
  expect(await shown(repo)).toContain(`- ${HELPER} (+1001 -1)`);
  expect(repo.calls()[0]?.session).toBe('kept');
});
