import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { InstructionsDocument } from '@onceover/gates/rules/json';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import { CLI, type CliOptions, onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { emptyRepo, repoWith, ruleText, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const readText = (repo: TestRepo, name: string) => readFileSync(join(repo.root, name), 'utf8');
const ENTRY = { command: process.execPath, args: [realpathSync(CLI), 'mcp'] };

const PROMPT = '.onceover/reviews/code-quality.md';

/** An environment in which only git and these agents are on PATH. */
function withAgents(...names: readonly string[]): CliOptions {
  const bin = temporaryFolder();
  symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(bin, 'git'));
  for (const name of names) {
    writeFileSync(join(bin, name), '#!/bin/sh\nexit 1\n');
    chmodSync(join(bin, name), 0o755);
  }
  return { env: { PATH: bin } };
}

function settingsOf(repo: TestRepo) {
  const result = parseSettings(readText(repo, 'onceover.yml'));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.settings;
}

describe('init', () => {
  test('writes checks and a review that fit the project, and shows them in full', async () => {
    const repo = repoWith({
      'package.json': '{"scripts": {"lint": "eslint .", "test": "vitest"}}',
      'package-lock.json': '{}',
      'src/a.ts': '',
    });
    const end = await onceover(repo.root, ['init'], withAgents('codex', 'claude'));
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(settingsOf(repo)).toMatchObject({ agents: ['claude', 'codex'], unchangedGates: 'rest' });
    expect(settingsOf(repo).gates).toMatchObject([
      {
        path: '.',
        exclude: [],
        checks: {
          lint: { run: 'npm run lint', timeoutSeconds: 300 },
          test: { run: 'CI=true npm run test', timeoutSeconds: 900 },
        },
      },
      {
        path: '.',
        exclude: ['package-lock.json'],
        reviews: { 'code-quality': { prompt: PROMPT, numReviews: 1 } },
      },
    ]);
    const settings = readText(repo, 'onceover.yml').trimEnd();
    expect(end.stdout).toContain(`Wrote onceover.yml:\n\n${settings.replace(/^(?=.)/gm, '  ')}\n\nWrote ${PROMPT} (`);
    expect(end.stdout).toMatch(
      /\n\nNext: commit these files\. .*\nThen: "node \S+ run" .*\nThen: "node \S+ prove" .*\n$/,
    );
    expect(repo.git('status', '--porcelain', '-uall')).toBe(`?? ${PROMPT}\n?? onceover.yml\n`);
  });

  test('sets up an empty repository, without an agent if none is found', async () => {
    const repo = emptyRepo();
    const end = await onceover(repo.root, ['init'], withAgents());
    expect([end.code, settingsOf(repo).agents]).toEqual([0, null]);
    expect(settingsOf(repo).gates).toMatchObject([{ path: '.', exclude: [], checks: {} }]);
    expect(end.stdout).toMatch(
      /^Next: install an agent.*"node \S+ doctor".*\nThen: commit these files\..*\nThen: "node \S+ run"/m,
    );
  });

  test('leaves everything byte for byte the second time, and says so', async () => {
    const repo = repoWith({ 'go.mod': 'module x\n' });
    await onceover(repo.root, ['init'], withAgents('claude'));
    const before = [PROMPT, 'onceover.yml'].map((name) => readText(repo, name));
    repo.write('package.json', '{"scripts": {"test": "jest"}}');
    const end = await onceover(repo.root, ['init', '--json'], withAgents());
    expect(JSON.parse(end.stdout)).toEqual({
      files: [PROMPT, 'onceover.yml'].map((path) => ({ path, did: 'left', ignored: false })),
    });
    expect([PROMPT, 'onceover.yml'].map((name) => readText(repo, name))).toEqual(before);
  });

  test('writes nothing if the settings have gates', async () => {
    const text = 'gates: [{ path: src, checks: { mine: { run: ./mine } } }]\n';
    const repo = repoWith({ 'onceover.yml': text });
    const end = await onceover(repo.root, ['init', '--json'], withAgents('claude'));
    expect(JSON.parse(end.stdout)).toEqual({ files: [{ path: 'onceover.yml', did: 'left', ignored: false }] });
    expect([readText(repo, 'onceover.yml'), readdirSync(repo.root)]).toEqual([text, ['.git', 'onceover.yml']]);
  });

  test('leaves settings without gates byte for byte, and proposes lines that fit them', async () => {
    const repo = repoWith({ 'onceover.yml': 'cache: strict\n', Makefile: 'test:\n\t./run\n' });
    const end = await onceover(repo.root, ['init'], withAgents('claude'));
    expect([end.code, readText(repo, 'onceover.yml')]).toEqual([0, 'cache: strict\n']);
    expect(existsSync(join(repo.root, PROMPT))).toBe(true);
    const [, proposal = ''] = /Add these lines to it:\n\n((?: .*\n)+)/.exec(end.stdout) ?? [];
    repo.write('onceover.yml', `cache: strict\n${proposal.replace(/^ {2}/gm, '')}`);
    expect(settingsOf(repo)).toMatchObject({ cache: 'strict', gates: [{ checks: { test: { run: 'make test' } } }] });
  });

  test('leaves an existing prompt unchanged', async () => {
    const repo = repoWith({ [PROMPT]: 'mine' });
    const end = await onceover(repo.root, ['init', '--json']);
    expect(JSON.parse(end.stdout)).toEqual({
      files: [
        { path: PROMPT, did: 'left', ignored: false },
        { path: 'onceover.yml', did: 'written', ignored: false },
      ],
    });
    expect(readText(repo, PROMPT)).toBe('mine');
  });

  test.each<[string, (repo: TestRepo) => void, RegExp]>([
    [
      'a symlink to a folder outside',
      ({ root }) => symlinkSync(dirname(root), join(root, '.onceover')),
      /symlink|outside/,
    ],
    ['a symlink to a folder inside', ({ root }) => symlinkSync('lib', join(root, '.onceover')), /symlink/],
    ['a symlink to nothing', ({ root }) => symlinkSync('gone', join(root, '.onceover')), /symlink/],
    ['a file', (repo) => repo.write('.onceover', ''), /\.onceover/],
  ])('exits with 3 and writes nothing if .onceover is %s', async (_, prepare, message) => {
    const repo = repoWith({ 'lib/a.py': '' });
    prepare(repo);
    const before = repo.git('status', '--porcelain', '-uall');
    const end = await onceover(repo.root, ['init']);
    expect([end.code, end.stdout, end.stderr]).toEqual([3, '', expect.stringMatching(message)]);
    expect(repo.git('status', '--porcelain', '-uall')).toBe(before);
    // The home folder has the cache of compiled code.
    expect(readdirSync(dirname(repo.root)).filter((name) => name !== '.cache')).toEqual(['repo']);
  });

  test('exits with 2 and writes nothing if onceover.yml is broken', async () => {
    const repo = repoWith({ 'onceover.yml': 'gatez: []\n' });
    expect((await onceover(repo.root, ['init'])).code).toBe(2);
    expect(readdirSync(repo.root)).toEqual(['.git', 'onceover.yml']);
  });

  test.each<[string, (path: string) => void]>([
    ['a folder', (path) => mkdirSync(path)],
    ['a symlink that leaves', (path) => symlinkSync('/etc/hostname', path)],
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['binary', (path) => writeFileSync(path, Buffer.from([0x7b, 0, 0xff]))],
    ['huge', (path) => writeFileSync(path, `{"scripts": {"test": "${'x'.repeat(5 * 1024 * 1024)}"}}`)],
    ['no JSON', (path) => writeFileSync(path, '{"scripts": {')],
  ])('ignores a package.json that is %s', async (_, prepare) => {
    const repo = repoWith({ 'go.mod': 'module x\n' });
    prepare(join(repo.root, 'package.json'));
    const end = await onceover(repo.root, ['init']);
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(Object.keys(settingsOf(repo).gates[0]?.checks ?? {})).toEqual(['lint', 'test']);
  });

  test('does not exclude a deleted lockfile', async () => {
    const repo = repoWith({ 'package.json': '{"scripts": {"test": "jest"}}', 'yarn.lock': '', 'go.sum': '' });
    repo.git('rm', '-q', '--cached', 'go.sum');
    execFileSync('rm', [join(repo.root, 'yarn.lock')]);
    await onceover(repo.root, ['init']);
    expect(settingsOf(repo).gates).toMatchObject([
      { exclude: [], checks: { test: { run: 'npm run test' } } },
      { exclude: ['go.sum'] },
    ]);
  });

  test('sets up rules and the MCP server without gates, unless gates are requested', async () => {
    const repo = repoWith({ 'a.py': '' });
    await onceover(repo.root, ['init', '--rules']);
    expect(readdirSync(repo.root).sort()).toEqual(['.deepreview', '.git', 'a.py']);
    const end = await onceover(repo.root, ['init', '--gates', '--rules', '--mcp', 'claude', '--json']);
    expect(
      (JSON.parse(end.stdout) as { files: { path: string; did: string }[] }).files.map(({ path, did }) => [path, did]),
    ).toEqual([
      [PROMPT, 'written'],
      ['onceover.yml', 'written'],
      ['.deepreview', 'left'],
      ['.mcp.json', 'written'],
    ]);
  });

  test('reads and writes at the root from a subfolder', async () => {
    const repo = repoWith({ 'lib/package.json': '{"scripts": {"test": "jest"}}', 'go.mod': 'module x\n' });
    await onceover(join(repo.root, 'lib'), ['init']);
    expect(settingsOf(repo).gates[0]?.checks).toMatchObject({ test: { run: 'go test ./...' } });
    expect(readdirSync(join(repo.root, 'lib'))).toEqual(['package.json']);
  });

  test('says that git ignores a written file', async () => {
    const repo = repoWith({ '.gitignore': '.onceover/\n' });
    const end = await onceover(repo.root, ['init']);
    expect(end.stdout).toContain(`git ignores ${PROMPT}, so your team will not get it.`);
    expect(end.stdout).not.toContain('git ignores onceover.yml');
  });
});

describe('init --rules', () => {
  test('requests reviews for changed code, its test and a document', async () => {
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
        expect.soft(end.stdout).toMatch(/^Wrote \.deepreview:.*Next: "node \S+ instructions"/s);
        repo.commit('rules');
        for (const name of [code, testFile, 'README.md']) repo.write(name, 'new');
        const { tasks, warnings } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions']);
        const files = Object.fromEntries(tasks.map((task) => [task.rule, task.files]));
        expect.soft(warnings).toEqual([]);
        expect
          .soft(files)
          .toMatchObject({ code: [code], tests: expect.arrayContaining([testFile]), docs: ['README.md'] });
        const instructions = readText(repo, tasks.find((task) => task.rule === 'code')?.instruction_file ?? '');
        expect.soft(instructions).toContain(hint);
      }),
    );
  });

  test('writes one rule for all files if no language is known', async () => {
    const repo = repoWith({ 'data.xyz': 'old' });
    await onceover(repo.root, ['init', '--rules']);
    repo.write('data.xyz', 'new');
    const { tasks } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions', 'data.xyz']);
    expect(tasks.map((task) => [task.rule, task.files])).toEqual([['code', ['data.xyz']]]);
  });

  test('requests a review of the whole change for a build file', async () => {
    const repo = repoWith({ '.github/workflows/ci.yml': 'old', 'a.py': 'old' });
    await onceover(repo.root, ['init', '--rules']);
    repo.commit('rules');
    repo.write('.github/workflows/ci.yml', 'new');
    repo.write('a.py', 'new');
    const { tasks } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions', '--base', 'HEAD']);
    const whole = tasks.find((task) => task.rule === 'build-and-ci');
    expect(whole?.files).toEqual(['.github/workflows/ci.yml', 'a.py']);
  });

  test('leaves existing rules unchanged', async () => {
    const repo = repoWith({ '.deepreview': ruleText('mine') });
    const end = await onceover(repo.root, ['init', '--rules', '--json']);
    expect([end.code, JSON.parse(end.stdout)]).toEqual([
      0,
      { files: [{ path: '.deepreview', did: 'left', ignored: false }] },
    ]);
    expect(readText(repo, '.deepreview')).toBe(ruleText('mine'));
  });

  test('writes to the root from a subfolder', async () => {
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
  ])('refuses a .deepreview that is a symlink to %s', async (_, target) => {
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

  test('says that git ignores the rules, so that they are never read', async () => {
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
    expect(JSON.parse(readText(repo, '.mcp.json'))).toEqual({ mcpServers: { onceover: ENTRY } });
  });

  test('extends .mcp.json and keeps other servers and keys', async () => {
    const otherServer = { command: 'other', args: ['--x'], env: { A: '1' } };
    const repo = repoWith({
      '.mcp.json': JSON.stringify({ first: [1, null], mcpServers: { other: otherServer }, last: { deep: {} } }),
    });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude', '--json']);
    expect(JSON.parse(end.stdout)).toEqual({ files: [{ path: '.mcp.json', did: 'extended', ignored: false }] });
    const now = JSON.parse(readText(repo, '.mcp.json')) as object;
    expect(now).toEqual({ first: [1, null], mcpServers: { other: otherServer, onceover: ENTRY }, last: { deep: {} } });
    expect(Object.keys(now)).toEqual(['first', 'mcpServers', 'last']);
  });

  test('leaves an existing entry byte for byte', async () => {
    const text = '{"mcpServers":\t{"onceover": {"command": "mine"}} }';
    const repo = repoWith({ '.mcp.json': text });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude', '--json']);
    expect(JSON.parse(end.stdout)).toEqual({ files: [{ path: '.mcp.json', did: 'left', ignored: false }] });
    expect(readText(repo, '.mcp.json')).toBe(text);
  });

  test.each([
    ['invalid JSON', '{ "mcpServers": {', /^onceover: \.mcp\.json is not valid JSON/],
    ['a list', '[]', /it does not contain an object/],
    ['servers that are not an object', '{"mcpServers": []}', /"mcpServers" is not an object/],
  ])('exits with 2 and leaves a broken .mcp.json unchanged (%s)', async (_, text, message) => {
    const repo = repoWith({ '.mcp.json': text });
    const end = await onceover(repo.root, ['init', '--mcp', 'claude']);
    expect([end.code, end.stdout, end.stderr]).toEqual([2, '', expect.stringMatching(message)]);
    expect(end.stderr).toContain('Fix the file and run again.');
    expect(readText(repo, '.mcp.json')).toBe(text);
  });

  test('writes nothing else if .mcp.json is broken', async () => {
    const repo = repoWith({ '.mcp.json': '{', 'a.py': '' });
    expect((await onceover(repo.root, ['init', '--rules', '--mcp', 'claude'])).code).toBe(2);
    expect(existsSync(join(repo.root, '.deepreview'))).toBe(false);
  });
});

test('init leaves everything byte for byte the second time, and says so', async () => {
  const repo = repoWith({ 'a.py': '', 'b.ts': '' });
  const args = ['init', '--rules', '--mcp', 'claude'];
  await onceover(repo.root, args);
  const before = ['.deepreview', '.mcp.json'].map((name) => readText(repo, name));
  repo.write('c.go', '');
  const end = await onceover(repo.root, args);
  expect(end.stdout).toMatch(/^\.deepreview already exists.*\.mcp\.json already exists/s);
  expect(['.deepreview', '.mcp.json'].map((name) => readText(repo, name))).toEqual(before);
});

test('init never edits the .gitignore of the user', async () => {
  const repo = repoWith({ '.gitignore': 'dist\n', 'a.py': '' });
  await onceover(repo.root, ['init', '--rules', '--mcp', 'claude']);
  repo.write('a.py', 'new');
  await onceover(repo.root, ['instructions']);
  await onceover(repo.root, ['pass', 'x']);
  expect(readText(repo, '.gitignore')).toBe('dist\n');
  expect(repo.git('status', '--porcelain', '-uall')).toBe(' M a.py\n?? .deepreview\n?? .mcp.json\n');
});

describe('init --hook', () => {
  const HOOKS = [
    { agent: 'claude', file: '.claude/settings.json', event: 'Stop' },
    { agent: 'codex', file: '.codex/hooks.json', event: 'Stop' },
    { agent: 'gemini', file: '.gemini/settings.json', event: 'AfterAgent' },
  ];

  test.each(HOOKS)('writes, shows and approves the hook of $agent once', async ({ agent, file, event }) => {
    const repo = repoWith({ 'onceover.yml': 'gates: [{ path: ., checks: { mine: { run: "true" } } }]\n', a: '' });
    const end = await onceover(repo.root, ['init', '--hook', agent], withAgents());
    expect([end.code, end.stderr]).toEqual([0, '']);
    const settings = JSON.parse(readText(repo, file)) as { hooks: Record<string, unknown> };
    expect(end.stdout).toContain(`Wrote ${file}:\n\n  ${JSON.stringify({ [event]: settings.hooks[event] })}\n\n`);
    expect(end.stdout).toContain('it may stop only when all checks and reviews pass');
    expect(end.stdout).toMatch(/"node \S+ hook snooze"/);
    expect(repo.git('status', '--porcelain', '-uall')).toBe(`?? ${file}\n`);

    const before = readText(repo, file);
    const again = await onceover(repo.root, ['init', '--hook', agent, '--json'], withAgents());
    expect(JSON.parse(again.stdout)).toEqual({ files: [{ path: file, did: 'left', ignored: false }] });
    expect(readText(repo, file)).toBe(before);

    // The hook runs without another approval.
    repo.write('a', 'changed');
    const hookEnd = await onceover(repo.root, ['hook', 'stop'], { input: '{}' });
    expect(hookEnd).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each(HOOKS)('keeps the settings and hooks of the user for $agent', async ({ agent, file, event }) => {
    const userSettings = {
      model: 'x',
      hooks: { [event]: [{ hooks: [{ type: 'command', command: './mine' }] }], Other: [] },
    };
    const repo = repoWith({ [file]: JSON.stringify(userSettings) });
    const end = await onceover(repo.root, ['init', '--hook', agent], withAgents());
    expect(end.stdout).toContain(`Added to ${file}:`);
    const settings = JSON.parse(readText(repo, file)) as typeof userSettings;
    expect(settings).toEqual({
      ...userSettings,
      hooks: { ...userSettings.hooks, [event]: [userSettings.hooks[event]?.[0], expect.anything()] },
    });
  });

  test.each(['{', '[]', '{"hooks": []}'])('leaves unreadable settings unchanged: %s', async (text) => {
    const repo = repoWith({ '.claude/settings.json': text });
    const end = await onceover(repo.root, ['init', '--hook', 'claude'], withAgents());
    expect([end.code, end.stdout, readText(repo, '.claude/settings.json')]).toEqual([2, '', text]);
    expect(end.stderr).toContain('.claude/settings.json');
  });

  test('does not write through a symlink', async () => {
    const repo = repoWith({ a: '' });
    symlinkSync(dirname(repo.root), join(repo.root, '.claude'));
    const end = await onceover(repo.root, ['init', '--hook', 'claude'], withAgents());
    expect([end.code === 0, end.stdout]).toEqual([false, '']);
    expect(existsSync(join(dirname(repo.root), 'settings.json'))).toBe(false);
  });

  test.each(['opencode', 'toString', ''])('rejects an agent without such a hook: %j', async (agent) => {
    const end = await onceover(repoWith({ a: '' }).root, ['init', '--hook', agent], withAgents());
    expect([end.code, end.stdout]).toEqual([2, '']);
    expect(end.stderr).toContain('"claude", "codex" and "gemini"');
  });
});
