import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { repoWith, ruleText, type TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/json.ts';
import type { InstructionsDocument, RulesDocument } from '../../../src/rules/json.ts';

const FOLDER = '.deepwork/tmp/review_instructions';

/** Creates a repository with changes in a.py and b.py, and one review per file. */
function changedRepo(more: Readonly<Record<string, string>> = {}): TestRepo {
  const repo = repoWith({ '.deepreview': ruleText('check'), ...more });
  repo.write('a.py', 'a = 1\n');
  repo.write('b.py', 'b = 1\n');
  return repo;
}

const ask = (repo: TestRepo) => onceoverJson<InstructionsDocument>(repo.root, ['instructions']);
const filesOf = (reviews: readonly { readonly files: string[] }[]) => reviews.flatMap((review) => review.files);

/** Returns the id of the only review of this file. */
async function idOf(repo: TestRepo, file: string): Promise<string> {
  const { tasks, skipped } = await ask(repo);
  const found = [...tasks, ...skipped].find((review) => review.files.length === 1 && review.files[0] === file);
  if (found === undefined) throw new Error(`no review of ${file}`);
  return found.review_id;
}

async function passReviewOf(repo: TestRepo, file: string): Promise<string> {
  const id = await idOf(repo, file);
  const end = await onceover(repo.root, ['pass', id]);
  expect([end.code, end.stdout]).toEqual([0, expect.stringContaining(id)]);
  return id;
}

function markByHand(repo: TestRepo, id: string): void {
  mkdirSync(join(repo.root, FOLDER), { recursive: true });
  writeFileSync(join(repo.root, FOLDER, `${id}.passed`), '');
}

describe('a pass', () => {
  test('skips exactly that review [REVIEW-REQ-009.0.1] [REVIEW-REQ-009.3.1] [REVIEW-REQ-009.3.2]', async () => {
    const repo = changedRepo();
    const id = await passReviewOf(repo, 'a.py');
    const { tasks, skipped } = await ask(repo);
    expect([filesOf(tasks), filesOf(skipped)]).toEqual([['b.py'], ['a.py']]);
    expect(skipped[0]?.why).toBe('unchanged-since-pass');
    expect(existsSync(join(repo.root, FOLDER, `${id}.md`))).toBe(false);
  });

  test('of every review leaves an empty list [REVIEW-REQ-009.3.3]', async () => {
    const repo = changedRepo();
    for (const file of ['a.py', 'b.py']) await passReviewOf(repo, file);
    const { tasks, skipped } = await ask(repo);
    expect([tasks, filesOf(skipped)]).toEqual([[], ['a.py', 'b.py']]);
    expect(readdirSync(join(repo.root, FOLDER)).filter((name) => name.endsWith('.md'))).toEqual([]);
  });

  test('does not count for different contents', async () => {
    const repo = changedRepo();
    await passReviewOf(repo, 'a.py');
    for (const content of ['a = 1\n\n', 'a = 2\n', 'a = 1', '', Buffer.from([0x61, 0xff])]) {
      repo.write('a.py', content);
      const { tasks, skipped } = await ask(repo);
      expect.soft([filesOf(tasks), skipped], JSON.stringify(content)).toEqual([['a.py', 'b.py'], []]);
    }
  });

  test('still counts after commands that do not change the contents [REVIEW-REQ-009.0.1]', async () => {
    const acts: [string, (repo: TestRepo) => void][] = [
      ['touching', (repo) => utimesSync(join(repo.root, 'a.py'), 1, 1)],
      ['changing and changing back', (repo) => ['x', 'a = 1\n'].map((content) => repo.write('a.py', content))],
      ['committing', (repo) => repo.commit()],
      ['amending', (repo) => repo.git('commit', '-q', '--amend', '-m', 'another message')],
      ['committing again', (repo) => [repo.git('reset', '-q', '--soft', 'main'), repo.commit('again')]],
      ['rebasing', rebase],
      ['renaming the branch', (repo) => repo.git('branch', '-m', 'other')],
    ];
    const repo = changedRepo();
    await passReviewOf(repo, 'a.py');
    for (const [title, act] of acts) {
      act(repo);
      const { tasks, skipped, warnings } = await ask(repo);
      expect.soft([filesOf(tasks), filesOf(skipped), warnings], title).toEqual([['b.py'], ['a.py'], []]);
    }
  });

  test('survives when old instructions are removed [REVIEW-REQ-009.5.1] [REVIEW-REQ-009.5.2]', async () => {
    const repo = changedRepo();
    const passed = await passReviewOf(repo, 'a.py');
    const stale = await idOf(repo, 'b.py');
    repo.write(`${FOLDER}/old--z.py--000000000000.md`, 'old');
    repo.write(`${FOLDER}/old--z.py--000000000000.passed`, '');
    repo.write(`${FOLDER}/notes.txt`, 'mine');
    repo.write('b.py', 'b = 2\n');
    for (let i = 0; i < 3; i++) await ask(repo);
    const now = await idOf(repo, 'b.py');
    expect(now).not.toBe(stale);
    expect(readdirSync(join(repo.root, FOLDER)).sort()).toEqual(
      [`${passed}.passed`, `${now}.md`, 'notes.txt', 'old--z.py--000000000000.passed'].sort(),
    );
  });

  test('does not change the list of rules [REVIEW-REQ-009.6.1]', async () => {
    const repo = changedRepo({ 'docs/.deepreview': ruleText('docs', { include: ['*.md'] }) });
    const lists = () =>
      Promise.all([[], ['a.py']].map((files) => onceoverJson<RulesDocument>(repo.root, ['rules', ...files])));
    const before = await lists();
    for (const file of ['a.py', 'b.py']) await passReviewOf(repo, file);
    expect(await lists()).toEqual(before);
    expect(before.map(({ rules }) => rules.map((rule) => rule.name))).toEqual([['check', 'docs'], ['check']]);
  });
});

describe('a marker', () => {
  test('created by hand counts', async () => {
    const repo = changedRepo();
    markByHand(repo, await idOf(repo, 'a.py'));
    const { tasks, skipped, warnings } = await ask(repo);
    expect([filesOf(tasks), filesOf(skipped), warnings]).toEqual([['b.py'], ['a.py'], []]);
  });

  test('that git tracks counts, with a warning', async () => {
    const repo = changedRepo();
    const id = await idOf(repo, 'a.py');
    markByHand(repo, id);
    repo.git('add', '-f', `${FOLDER}/${id}.passed`);
    const { skipped, warnings } = await ask(repo);
    expect(filesOf(skipped)).toEqual(['a.py']);
    expect(warnings).toEqual([expect.stringContaining(`${id} counts as passed because its marker is committed`)]);
  });

  test('from an older rule text counts, with a warning', async () => {
    const repo = changedRepo();
    const id = await passReviewOf(repo, 'a.py');
    repo.write('.deepreview', ruleText('check').replace('Look closely.', 'Look twice.'));
    const { skipped, warnings } = await ask(repo);
    expect(filesOf(skipped)).toEqual(['a.py']);
    expect(warnings).toEqual([expect.stringContaining(`${id} passed under an older text of rule check`)]);
  });

  test.each<[string, (path: string) => void]>([
    ['a folder', (path) => mkdirSync(path)],
    ['a symlink', (path) => symlinkSync('/dev/null', path)],
  ])('that is %s does not count, with a warning', async (_, make) => {
    const repo = changedRepo();
    const id = await idOf(repo, 'a.py');
    make(join(repo.root, FOLDER, `${id}.passed`));
    const { tasks, warnings } = await ask(repo);
    expect(filesOf(tasks)).toEqual(['a.py', 'b.py']);
    expect(warnings).toEqual([expect.stringContaining(`${id}.passed is not a regular file`)]);
  });
});

describe('cache: strict', () => {
  const more = '    reference_files: [{path: ref.md}]\n    additional_context: {all_changed_filenames: true}\n';
  const strict = { 'onceover.yml': 'cache: strict\n', 'ref.md': 'good', '.deepreview': ruleText('check', { more }) };

  test('a pass counts if nothing changed, and after a commit', async () => {
    const repo = changedRepo(strict);
    await passReviewOf(repo, 'a.py');
    for (const act of [() => {}, () => repo.commit()]) {
      act();
      const { tasks, skipped } = await ask(repo);
      expect([filesOf(tasks), filesOf(skipped)]).toEqual([['b.py'], ['a.py']]);
    }
  });

  test.each<[string, (repo: TestRepo) => void]>([
    ['the rule text', (repo) => repo.write('.deepreview', strict['.deepreview'].replace('closely', 'twice'))],
    ['a reference file', (repo) => repo.write('ref.md', 'better')],
    ['the list of changed files', (repo) => repo.write('c.txt', '')],
  ])('a pass does not count after a change of %s', async (_, act) => {
    const repo = changedRepo(strict);
    await passReviewOf(repo, 'a.py');
    act(repo);
    const { tasks, skipped } = await ask(repo);
    expect([filesOf(tasks), skipped]).toEqual([['a.py', 'b.py'], []]);
  });

  test.each([
    ['content', []],
    ['strict', ['x-y.py']],
  ])('under %s, a pass of x/y.py and a file x-y.py of the same content: to do %j', async (cache, expected) => {
    const repo = repoWith({ '.deepreview': ruleText('check'), 'onceover.yml': `cache: ${cache}` });
    repo.write('x/y.py', 'same');
    const id = await passReviewOf(repo, 'x/y.py');
    renameSync(join(repo.root, 'x/y.py'), join(repo.root, 'x-y.py'));
    expect(await idOf(repo, 'x-y.py')).toBe(id);
    expect(filesOf((await ask(repo)).tasks)).toEqual(expected);
  });

  test('a marker created by hand does not count', async () => {
    const repo = changedRepo(strict);
    markByHand(repo, await idOf(repo, 'a.py'));
    const [{ tasks, skipped }, text] = [await ask(repo), await onceover(repo.root, ['instructions'])];
    expect([filesOf(tasks), skipped]).toEqual([['a.py', 'b.py'], []]);
    expect(text.stdout).toContain('it passed with a different rule text, path or context');
  });

  test('a new pass of the current review counts', async () => {
    const repo = changedRepo(strict);
    await passReviewOf(repo, 'a.py');
    repo.write('ref.md', 'better');
    await passReviewOf(repo, 'a.py');
    expect(filesOf((await ask(repo)).skipped)).toEqual(['a.py']);
  });
});

describe('explain', () => {
  const explain = (repo: TestRepo, id: string) => onceoverJson<ExplainDocument>(repo.root, ['explain', id]);

  test('a review that is to do, then skipped, then changed, then not needed', async () => {
    const repo = changedRepo();
    const id = await idOf(repo, 'a.py');
    const about = { review_id: id, rules: [{ name: 'check', defining_file: '.deepreview:1' }], files: ['a.py'] };
    expect(await explain(repo, id)).toMatchObject({ ...about, state: 'to-do', passed: false, current_review_id: id });
    await onceover(repo.root, ['pass', id]);
    expect(await explain(repo, id)).toMatchObject({ ...about, state: 'skipped', passed: true, passed_by: 'cli' });
    repo.write('a.py', 'a = 2\n');
    const now = await idOf(repo, 'a.py');
    expect(await explain(repo, id)).toMatchObject({ ...about, state: 'changed', passed: true, current_review_id: now });
    repo.git('clean', '-q', '-f', 'a.py');
    const gone = { review_id: id, state: 'not-asked-for', passed: true, current_review_id: null, files: [] };
    expect(await explain(repo, id)).toMatchObject(gone);
  });

  test('prints the same as text', async () => {
    const repo = changedRepo();
    const id = await idOf(repo, 'a.py');
    const before = await onceover(repo.root, ['explain', id]);
    expect(before.stdout).toMatch(/It has to be done: no reviewer has passed.*No pass is recorded/s);
    await onceover(repo.root, ['pass', id]);
    const after = await onceover(repo.root, ['explain', id]);
    expect(after.stdout).toMatch(
      /It is skipped: it already passed.*check \(\.deepreview:1\).*a\.py.*by "onceover pass"/s,
    );
  });

  test('a pass that cache: strict does not accept', async () => {
    const repo = changedRepo({ 'onceover.yml': 'cache: strict' });
    const id = await idOf(repo, 'a.py');
    markByHand(repo, id);
    const { state, why, passed } = await explain(repo, id);
    expect([state, passed, why]).toEqual(['to-do', true, expect.stringContaining('cache: strict')]);
  });

  test('changes nothing on disk', async () => {
    const repo = changedRepo();
    const id = await idOf(repo, 'a.py');
    repo.write('a.py', 'a = 2\n');
    await explain(repo, id);
    expect(readdirSync(join(repo.root, FOLDER))).toContain(`${id}.md`);
  });

  test('an unknown id: exit 2', async () => {
    const end = await onceover(changedRepo().root, ['explain', 'other--x.py--0123456789ab']);
    expect([end.code, end.stdout]).toEqual([2, '']);
    expect(end.stderr).toMatch(
      /"other--x\.py--0123456789ab" is not a gate, reviewer, finding or review id\.\nUse a gate/,
    );
  });
});

test('marks and skips a review of files with ".." in their names, and rejects any other id with ".." [REVIEW-REQ-009.0.1] [REVIEW-REQ-009.2.6]', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check', { include: ['**/*.tsx'] }) });
  repo.write('app/[...slug]/page.tsx', 'a');
  repo.write('app/[...id]/page.tsx', 'a');
  const { tasks, warnings } = await ask(repo);
  const [first, second] = tasks.map((task) => task.review_id);
  expect(warnings).toEqual([]);
  const rejected = await onceover(repo.root, ['pass', first?.replace(/.$/, 'x') ?? '']);
  expect([rejected.code, rejected.stderr]).toEqual([2, expect.stringContaining('it contains ".."')]);
  expect((await onceover(repo.root, ['pass', first ?? ''])).code).toBe(0);
  const after = await ask(repo);
  expect([after.tasks, after.skipped].map((list) => list.map(({ review_id }) => review_id))).toEqual([
    [second],
    [first],
  ]);
});

function rebase(repo: TestRepo): void {
  repo.git('checkout', '-q', 'main');
  repo.write('other.txt', 'other');
  repo.commit('on main');
  repo.git('checkout', '-q', 'work');
  repo.git('rebase', '-q', 'main');
}
