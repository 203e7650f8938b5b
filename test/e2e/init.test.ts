import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InstructionsDocument } from '../../src/report/documents.ts';
import { onceover, onceoverJson } from '../support/cli.ts';
import { repoWith, ruleText, type TestRepo } from '../support/repo.ts';

const read = (repo: TestRepo, name: string) => readFileSync(join(repo.root, name), 'utf8');
const ENTRY = { command: 'npx', args: ['-y', 'onceover', 'mcp'] };

describe('init --rules', () => {
  test('a change of code, of its test and of a document asks for useful reviews', async () => {
    const rows: [string, string, string][] = [
      ['src/app.ts', 'src/app.test.ts', 'a promise not awaited'],
      ['app/main.py', 'tests/test_main.py', 'a mutable default argument'],
      ['main.go', 'main_test.go', 'a goroutine that cannot end'],
      ['src/lib.rs', 'tests/it.rs', 'unwrap or expect'],
      ['src/main/java/App.java', 'src/test/java/AppTest.java', 'equals without hashCode'],
      ['src/app.cpp', 'src/app_test.cpp', 'lifetimes and ownership'],
      ['bin/run.sh', 'test/run.bats', 'unquoted variables'],
    ];
    await Promise.all(
      rows.map(async ([code, testFile, hint]) => {
        const repo = repoWith({ [code]: 'old', [testFile]: 'old', 'README.md': 'old', LICENSE: 'old' });
        const end = await onceover(repo.root, ['init', '--rules']);
        expect.soft([end.code, end.stderr]).toEqual([0, '']);
        expect.soft(end.stdout).toMatch(/^Wrote \.deepreview:.*Next: "onceover instructions"/s);
        repo.commit('rules');
        for (const name of [code, testFile, 'README.md']) repo.write(name, 'new');
        const { tasks, warnings } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions']);
        const files = Object.fromEntries(tasks.map((task) => [task.rule, task.files]));
        expect.soft(warnings).toEqual([]);
        expect
          .soft(files)
          .toMatchObject({ code: [code], tests: expect.arrayContaining([testFile]), docs: ['README.md'] });
        const instructions = read(repo, tasks.find((task) => task.rule === 'code')?.instruction_file ?? '');
        expect.soft(instructions).toContain(hint);
      }),
    );
  });

  test('no language that it knows: one rule for every file', async () => {
    const repo = repoWith({ 'data.xyz': 'old' });
    await onceover(repo.root, ['init', '--rules']);
    repo.write('data.xyz', 'new');
    const { tasks } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions', 'data.xyz']);
    expect(tasks.map((task) => [task.rule, task.files])).toEqual([['code', ['data.xyz']]]);
  });

  test('a build file asks for a review of the whole change', async () => {
    const repo = repoWith({ '.github/workflows/ci.yml': 'old', 'a.py': 'old' });
    await onceover(repo.root, ['init', '--rules']);
    repo.commit('rules');
    repo.write('.github/workflows/ci.yml', 'new');
    repo.write('a.py', 'new');
    const { tasks } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions', '--base', 'HEAD']);
    const whole = tasks.find((task) => task.rule === 'build-and-ci');
    expect(whole?.files).toEqual(['.github/workflows/ci.yml', 'a.py']);
  });

  test('rules that are there are left alone', async () => {
    const repo = repoWith({ '.deepreview': ruleText('mine') });
    const end = await onceover(repo.root, ['init', '--rules', '--json']);
    expect([end.code, JSON.parse(end.stdout)]).toEqual([
      0,
      { files: [{ path: '.deepreview', did: 'left', ignored: false }] },
    ]);
    expect(read(repo, '.deepreview')).toBe(ruleText('mine'));
  });

  test('from a sub-folder it writes to the root', async () => {
    const repo = repoWith({ 'lib/a.py': '' });
    await onceover(join(repo.root, 'lib'), ['init', '--rules', '--mcp', 'claude']);
    expect([readdirSync(repo.root).sort(), readdirSync(join(repo.root, 'lib'))]).toEqual([
      ['.deepreview', '.git', '.mcp.json', 'lib'],
      ['a.py'],
    ]);
  });

  test.each([
    ['a file outside', 'rules'],
    ['nothing', 'gone'],
  ])('a .deepreview that is a symlink to %s is refused', async (_, target) => {
    const repo = repoWith({ 'a.py': '' });
    const outside = dirname(repo.root);
    writeFileSync(join(outside, 'rules'), 'outside');
    symlinkSync(join(outside, target), join(repo.root, '.deepreview'));
    const end = await onceover(repo.root, ['init', '--rules']);
    expect([end.code, end.stdout, end.stderr]).toEqual([
      3,
      '',
      expect.stringMatching(/^onceover: .*\.deepreview .*\n.+\n$/),
    ]);
    expect(readFileSync(join(outside, 'rules'), 'utf8')).toBe('outside');
    expect(existsSync(join(outside, 'gone'))).toBe(false);
  });

  test('says so where git is told to ignore the rules, which are then never read', async () => {
    const repo = repoWith({ '.gitignore': '.*\n', 'a.py': '' });
    const end = await onceover(repo.root, ['init', '--rules']);
    const sentences = end.stdout.replace(/^ .*$/gm, '') + end.stderr;
    expect([end.code, sentences]).toEqual([0, expect.stringMatching(/ignore/)]);
  });
});

describe('init --mcp claude', () => {
  test('creates .mcp.json', async () => {
    const repo = repoWith({ 'a.py': '' });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude', '--json']);
    expect(JSON.parse(end.stdout)).toEqual({ files: [{ path: '.mcp.json', did: 'written', ignored: false }] });
    expect(JSON.parse(read(repo, '.mcp.json'))).toEqual({ mcpServers: { onceover: ENTRY } });
  });

  test('extends .mcp.json; other servers and keys stay', async () => {
    const other = { command: 'other', args: ['--x'], env: { A: '1' } };
    const repo = repoWith({
      '.mcp.json': JSON.stringify({ first: [1, null], mcpServers: { other }, last: { deep: {} } }),
    });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude', '--json']);
    expect(JSON.parse(end.stdout)).toEqual({ files: [{ path: '.mcp.json', did: 'extended', ignored: false }] });
    const now = JSON.parse(read(repo, '.mcp.json')) as object;
    expect(now).toEqual({ first: [1, null], mcpServers: { other, onceover: ENTRY }, last: { deep: {} } });
    expect(Object.keys(now)).toEqual(['first', 'mcpServers', 'last']);
  });

  test('leaves an entry of its own name byte for byte', async () => {
    const text = '{"mcpServers":\t{"onceover": {"command": "mine"}} }';
    const repo = repoWith({ '.mcp.json': text });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude', '--json']);
    expect(JSON.parse(end.stdout)).toEqual({ files: [{ path: '.mcp.json', did: 'left', ignored: false }] });
    expect(read(repo, '.mcp.json')).toBe(text);
  });

  test.each([
    ['no JSON', '{ "mcpServers": {', /^onceover: \.mcp\.json is not valid JSON/],
    ['a list', '[]', /it holds no object/],
    ['servers that are no object', '{"mcpServers": []}', /"mcpServers" is no object/],
  ])('a broken .mcp.json (%s): exit 2, file unchanged', async (_, text, what) => {
    const repo = repoWith({ '.mcp.json': text });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude']);
    expect([end.code, end.stdout, end.stderr]).toEqual([2, '', expect.stringMatching(what)]);
    expect(end.stderr).toContain('Mend the file and run again.');
    expect(read(repo, '.mcp.json')).toBe(text);
  });

  test('a broken .mcp.json stops init before it writes anything', async () => {
    const repo = repoWith({ '.mcp.json': '{', 'a.py': '' });
    expect((await onceover(repo.root, ['init', '--rules', '--mcp', 'claude'])).code).toBe(2);
    expect(existsSync(join(repo.root, '.deepreview'))).toBe(false);
  });
});

test('a second init leaves everything byte for byte, and says so', async () => {
  const repo = repoWith({ 'a.py': '', 'b.ts': '' });
  const all = ['init', '--rules', '--mcp', 'claude'];
  await onceover(repo.root, all);
  const before = ['.deepreview', '.mcp.json'].map((name) => read(repo, name));
  repo.write('c.go', '');
  const end = await onceover(repo.root, all);
  expect(end.stdout).toMatch(/^\.deepreview is there already.*\.mcp\.json is there already/s);
  expect(['.deepreview', '.mcp.json'].map((name) => read(repo, name))).toEqual(before);
});

test('init without a word what to set up: exit 2 with a hint, nothing written', async () => {
  const repo = repoWith({ 'a.py': '' });
  const end = await onceover(repo.root, ['init']);
  expect([end.code, end.stdout]).toEqual([2, '']);
  expect(end.stderr).toMatch(/init was not told what to set up\.\nUse --rules .*--mcp claude/);
  expect(readdirSync(repo.root).sort()).toEqual(['.git', 'a.py']);
});

test('the .gitignore of the user is never edited', async () => {
  const repo = repoWith({ '.gitignore': 'dist\n', 'a.py': '' });
  await onceover(repo.root, ['init', '--rules', '--mcp', 'claude']);
  repo.write('a.py', 'new');
  await onceover(repo.root, ['instructions']);
  await onceover(repo.root, ['pass', 'x']);
  expect(read(repo, '.gitignore')).toBe('dist\n');
  expect(repo.git('status', '--porcelain', '-uall')).toBe(' M a.py\n?? .deepreview\n?? .mcp.json\n');
});
