import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { InstructionsDocument } from '@onceover/gates/rules/json';
import { CLI, type CliEnd, type CliOptions, onceover, onceoverJson } from '@onceover/testing/cli.ts';
import {
  cleanEnvironment,
  emptyRepo,
  repoWith,
  ruleText,
  type TestRepo,
  temporaryFolder,
} from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const FOLDER = '.deepwork/tmp/review_instructions';
const MISSING = createHash('sha256').update('MISSING').digest('hex').slice(0, 12);

const ask = (repo: TestRepo, args: readonly string[] = []) =>
  onceoverJson<InstructionsDocument>(repo.root, ['instructions', ...args]);

/** A failure is two sentences on stderr, nothing on stdout, and no stack trace. */
function expectFailure(end: CliEnd, code: number, message: RegExp, next: RegExp): void {
  const lines = end.stderr.trimEnd().split('\n');
  expect
    .soft([end.code, end.stdout, lines[0], lines.at(-1)])
    .toEqual([code, '', expect.stringMatching(message), expect.stringMatching(next)]);
  expect.soft(end.stderr).not.toMatch(/^ +at /m);
}

describe('no repository to look at', () => {
  test('not a git repository: exit 3', async () => {
    const folder = temporaryFolder();
    const end = await onceover(folder, ['instructions']);
    expectFailure(end, 3, new RegExp(`^onceover: ${folder} is not in a git repository`), /git init/);
  });

  test('a bare repository: exit 3', async () => {
    const folder = temporaryFolder();
    execFileSync('git', ['init', '-q', '--bare', folder]);
    expectFailure(await onceover(folder, ['rules']), 3, /has no working tree/, /working tree/);
  });

  test('no git: exit 3', async () => {
    const end = await onceover(repoWith({}).root, ['instructions'], { env: { PATH: temporaryFolder() } });
    expectFailure(end, 3, /^onceover: git was not found/, /Install git/);
  });

  test('an index that git cannot read: exit 3, never "nothing changed"', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    writeFileSync(join(repo.root, '.git/index'), 'broken');
    expectFailure(
      await onceover(repo.root, ['instructions']),
      3,
      /^onceover: A git command failed/,
      /error that git reports/,
    );
  });

  test('a working directory that is gone: exit 3', () => {
    const folder = temporaryFolder();
    const env = { ...cleanEnvironment(folder), NODE: process.execPath, CLI };
    const end = spawnSync('sh', ['-c', 'mkdir x && cd x && rmdir ../x && "$NODE" "$CLI" rules'], { cwd: folder, env });
    const cliEnd = { code: end.status, stdout: end.stdout.toString(), stderr: end.stderr.toString() };
    expectFailure(cliEnd, 3, /^onceover: /, /\S/);
  });
});

describe('the base', () => {
  const rows: [string[], Record<string, string>, RegExp][] = [
    [['--base', 'nope'], {}, /^onceover: The base "nope" is not a branch, tag or commit/],
    [[], { 'onceover.yml': 'base: nope' }, /^onceover: The base "nope" is not a branch, tag or commit/],
    [['--base=--output=pwned'], {}, /^onceover: The base "--output=pwned" is not/],
    [['--base', ''], {}, /^onceover: The base "" is not/],
  ];
  test('unknown, empty or an option in disguise: exit 2', async () => {
    await Promise.all(
      rows.map(async ([args, settings, message]) => {
        const repo = repoWith({ '.deepreview': ruleText('check'), ...settings });
        const end = await onceover(repo.root, ['instructions', ...args]);
        expectFailure(end, 2, message, /--base or "base" in onceover\.yml/);
        expect.soft(existsSync(join(repo.root, 'pwned'))).toBe(false);
      }),
    );
  });

  test('none to be found: exit 2', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    repo.git('branch', '-D', 'main');
    const end = await onceover(repo.root, ['instructions']);
    expectFailure(end, 2, /no base branch to compare with \(tried origin\/HEAD, .*master/, /--base/);
  });

  test('without a commit in common: exit 2', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    repo.git('checkout', '-q', '--orphan', 'alone');
    repo.commit();
    expectFailure(
      await onceover(repo.root, ['instructions']),
      2,
      /HEAD and main have no common commit/,
      /Choose a base/,
    );
  });

  test('beyond a shallow clone: exit 3', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    repo.git('commit', '-q', '--allow-empty', '-m', 'more');
    const clone = join(dirname(repo.root), 'clone');
    repo.git('clone', '-q', '--depth=1', '--no-single-branch', `file://${repo.root}`, clone);
    const end = await onceover(clone, ['instructions', '--base', 'origin/main']);
    expectFailure(end, 3, /shallow clone/, /fetch --unshallow/);
  });
});

test('a broken onceover.yml: exit 2 with its place', async () => {
  const rows: [string, RegExp][] = [
    ['base: main\ncache: [strict\n', /^onceover: onceover\.yml:\d+:\d+: not valid YAML/],
    ['base: main\ncahce: strict\n', /^onceover: onceover\.yml:2:1: unknown key "cahce"; did you mean "cache"/],
    ['cache: none\n', /^onceover: onceover\.yml:1:8: "cache" must be one of content, strict/],
    ['timeout: soon\n', /^onceover: onceover\.yml:1:10: "timeout" must be a (?:whole )?number/],
    ['log_dir: ../logs\n', /^onceover: onceover\.yml:1:10: "log_dir" must be a path inside/],
    ['- a\n', /^onceover: onceover\.yml:1:1: .*must be a map/],
    [`base: ${'['.repeat(5000)}${']'.repeat(5000)}`, /^onceover: onceover\.yml:1:\d+: /],
  ];
  await Promise.all(
    rows.map(async ([text, message]) => {
      const repo = repoWith({ '.deepreview': ruleText('check'), 'onceover.yml': text });
      expectFailure(await onceover(repo.root, ['instructions']), 2, message, /^No gate ran\. Fix the configuration/);
    }),
  );
});

describe('a broken .deepreview: exit 0, a warning with its place, the other rules stay', () => {
  const rule = (from: string, to: string) => ruleText('bad').replace(from, to);
  const rows: [string | Uint8Array, RegExp][] = [
    ['bad: [', /:1:\d+: not valid YAML.*all rules in this file are skipped/],
    ['a: 1\n---\nb: 2\n', /:2:1: not valid YAML/],
    [`${ruleText('bad')}${ruleText('bad')}`, /:8:1: not valid YAML: the key bad is a duplicate/],
    [`a: &a [x, x]\n${aliases()}`, /:\d+:\d+: not valid YAML.*alias/],
    ['- bad\n', /:1:1: .*must be a map from rule names to rules/],
    [ruleText('bad rule'), /:1:1: rule name "bad rule" may contain only letters/],
    ['bad: 3\n', /:1:6: "bad" must be a map/],
    [rule('  review:', '  reviews: 1\n  review:'), /:5:3: unknown key "reviews"; did you mean "review"/],
    [rule('  description: Checks bad.\n', ''), /:1:1: "bad\.description" is missing/],
    [rule('Checks bad.', 'x'.repeat(257)), /:2:16: "bad\.description" must have at most 256 char/],
    [rule('["**/*.py"]', '[]'), /:4:14: "bad\.match\.include" must have at least 1 entr/],
    [rule('["**/*.py"]', '"**"'), /:4:14: "bad\.match\.include" must be a list/],
    [rule('**/*.py', 'a[b'), /:4:15: the glob "a\[b" has a "\[" without "\]"/],
    [rule('**/*.py', '../*'), /:4:15: the glob "\.\.\/\*" reaches above its folder/],
    [rule('individual', 'each'), /:6:15: "bad\.review\.strategy" must be one of individual,/],
    [rule('Look closely.', '" "'), /:7:19: the instructions are empty/],
    [rule('Look closely.', '{file: no.md}'), /:7:26: no\.md does not exist/],
    [rule('Look closely.', '{file: ../../x}'), /:7:26: \.\.\/\.\.\/x is outside the rep/],
    [rule('Look closely.', '{file: .}'), /:7:26: \. is not a plain file/],
    [`${ruleText('bad')}    reference_files: [{path: ../../x}]\n`, /:8:30: \.\.\/\.\.\/x is out/],
    [Buffer.from([0x61, 0xff, 0x0a]), /:1:1: .*is not UTF-8 text/],
    [`# ${'x'.repeat(1024 * 1024)}\n${ruleText('bad')}`, /:1:1: .*is larger than 1 MiB/],
  ];

  test('each kind, all in one repository', async () => {
    const repo = repoWith({ '.deepreview': ruleText('good') });
    for (const [i, [text]] of rows.entries()) {
      repo.write(`r${i}/.deepreview`, text);
      repo.write(`r${i}/a.py`, '');
    }
    const end = await onceover(repo.root, ['instructions', '--json']);
    const { tasks, warnings } = JSON.parse(end.stdout) as InstructionsDocument;
    expect([end.code, tasks.map((task) => task.rule)]).toEqual([0, rows.map(() => 'good')]);
    for (const [i, [, message]] of rows.entries()) {
      const warning = warnings.find((text) => text.startsWith(`r${i}/`));
      expect.soft(warning).toMatch(new RegExp(`^r${i}/\\.deepreview${message.source}`, 's'));
      expect.soft(end.stderr).toContain(`Warning: ${warning}\n`);
    }
  });

  test('a broken cache of parsed files is read again', async () => {
    const repo = repoWith({ '.deepreview': ruleText('good') });
    repo.write('a.py', '');
    await ask(repo);
    const cacheFile = join(repo.root, '.git/onceover/parsed.json');
    const text = readFileSync(cacheFile, 'utf8');
    const [, json = ''] = text.split('\n');
    const files = Object.keys((JSON.parse(json) as { files: object }).files).map((key) => [key, null]);
    const brokenJson = JSON.stringify({ ...(JSON.parse(json) as object), files: Object.fromEntries(files) });
    const withSum = `${createHash('sha256').update(brokenJson).digest('hex')}\n${brokenJson}`;
    for (const content of [
      text.slice(0, -20),
      '{}',
      brokenJson,
      withSum,
      text.replace('"rules":[', '"rules":[],"x":['),
    ]) {
      writeFileSync(cacheFile, content);
      expect((await ask(repo)).tasks).toHaveLength(1);
    }
  });
});

test('what cannot be a review id: exit 2, nothing created', async () => {
  const rows: [string, RegExp][] = [
    ['', /"" is not a review id: it is empty/],
    [' \t', /it is empty/],
    ['..', /"\.\." is not a review id: it contains "\.\."/],
    ['a/../b', /it contains "\.\."/],
    ['/abs', /"\/abs" is not a review id: it starts with "\/"/],
    ['a/b', /it contains "\/"/],
    ['x'.repeat(300), /"x{119}…" is not a review id: it is longer than a file name/],
    ['ä'.repeat(150), /it is longer than a file name/],
  ];
  const repo = repoWith({});
  const before = readdirSync(repo.root, { recursive: true });
  await Promise.all(
    rows.map(async ([id, message]) =>
      expectFailure(await onceover(repo.root, ['pass', '--', id]), 2, message, /^Pass the review_id exactly/),
    ),
  );
  expect(readdirSync(repo.root, { recursive: true })).toEqual(before);
});

describe('something else in the place of what is ours', () => {
  const id = `check--a.py--${createHash('sha256').update('').digest('hex').slice(0, 12)}`;

  function repoWithOutside(): { repo: TestRepo; outside: string } {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    repo.write('a.py', '');
    const outside = join(dirname(repo.root), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), 'precious');
    return { repo, outside };
  }

  test.each([
    ['marker a symlink to a file', `${id}.passed`, 'precious', ['pass', id]],
    ['marker a symlink to nothing', `${id}.passed`, 'new', ['pass', id]],
    ['marker a symlink to a folder', `${id}.passed`, '.', ['pass', id]],
    ['instruction file a symlink to a file', `${id}.md`, 'precious', ['instructions']],
    ['instruction file a symlink to nothing', `${id}.md`, 'new', ['instructions']],
  ])('%s: exit 3, nothing outside touched', async (_, name, target, args) => {
    const { repo, outside } = repoWithOutside();
    mkdirSync(join(repo.root, FOLDER), { recursive: true });
    symlinkSync(join(outside, target), join(repo.root, FOLDER, name));
    expectFailure(
      await onceover(repo.root, args),
      3,
      /is a symlink, and onceover writes only to/,
      /^Move the file or folder away/,
    );
    expectUntouched(outside);
  });

  test.each([
    ['pass', `${id}.passed`],
    ['instructions', `${id}.md`],
  ])('a folder where %s would write: exit 3', async (command, name) => {
    const { repo } = repoWithOutside();
    mkdirSync(join(repo.root, FOLDER, name), { recursive: true });
    const end = await onceover(repo.root, command === 'pass' ? ['pass', id] : ['instructions']);
    expectFailure(
      end,
      3,
      new RegExp(`${name} is a folder, and onceover writes only to`),
      /^Move the file or folder away/,
    );
  });

  const folders = ['.deepwork', '.deepwork/tmp', FOLDER, '.git/onceover'];
  test.each(folders)('%s a symlink: exit 3, nothing outside touched', async (folder) => {
    const { repo, outside } = repoWithOutside();
    mkdirSync(dirname(join(repo.root, folder)), { recursive: true });
    symlinkSync(outside, join(repo.root, folder));
    const ends = [await onceover(repo.root, ['instructions'])];
    // A review that is not in the records needs nothing from the folder in .git.
    if (!folder.startsWith('.git')) ends.push(await onceover(repo.root, ['pass', id]));
    for (const end of ends)
      expectFailure(end, 3, new RegExp(`${folder}.* is a symlink`), /^Move the file or folder away/);
    expectUntouched(outside);
  });

  test('.deepwork/tmp a file: exit 3', async () => {
    const { repo } = repoWithOutside();
    repo.write('.deepwork/tmp', 'mine');
    expectFailure(await onceover(repo.root, ['pass', id]), 3, /tmp is a file/, /^Move the file or folder away/);
    expect(readFileSync(join(repo.root, '.deepwork/tmp'), 'utf8')).toBe('mine');
  });

  function expectUntouched(outside: string): void {
    expect(readdirSync(outside)).toEqual(['precious']);
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('precious');
  }
});

describe('files that are no plain files', () => {
  test('a FIFO, a dangling symlink and a symlink to a folder are hashed as MISSING [REVIEW-REQ-009.1.5]', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check'), 'was.py': 'plain' });
    rmSync(join(repo.root, 'was.py'));
    for (const name of ['was.py', 'pipe.py']) execFileSync('mkfifo', [join(repo.root, name)]);
    symlinkSync('nowhere', join(repo.root, 'dangling.py'));
    symlinkSync('.git', join(repo.root, 'folder.py'));
    const { tasks } = await ask(repo, ['pipe.py', 'was.py', 'dangling.py', 'folder.py']);
    expect(tasks.map((task) => task.review_id)).toEqual(
      ['dangling', 'folder', 'pipe', 'was'].map((name) => `check--${name}.py--${MISSING}`),
    );
    expect((await ask(repo)).tasks.flatMap((task) => task.files)).toEqual(['dangling.py', 'folder.py', 'was.py']);
  });

  test.each(['.deepreview', 'onceover.yml'])('a FIFO called %s holds nothing up', async (name) => {
    const repo = repoWith({ [name]: '', 'sub/.deepreview': ruleText('check') });
    rmSync(join(repo.root, name));
    execFileSync('mkfifo', [join(repo.root, name)]);
    const end = await onceover(repo.root, ['instructions'], { timeoutMs: 5000 });
    expect(end.code).toBe(name === '.deepreview' ? 0 : 2);
    expect(end.stderr).toMatch(new RegExp(`${name}:1:1: .*is not a plain file`));
  });

  test('a FIFO that git assumes unchanged does not block', async () => {
    const repo = repoWith({ '.deepreview': ruleText('check'), 'a.py': 'plain' });
    repo.git('update-index', '--assume-unchanged', 'a.py');
    rmSync(join(repo.root, 'a.py'));
    const pipe = join(repo.root, 'a.py');
    execFileSync('mkfifo', [pipe]);
    const end = await onceover(repo.root, ['instructions'], { timeoutMs: 3000 });
    // Opens the FIFO, so that a process that still waits for its other end can continue.
    closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
    expect(end.code).toBe(0);
  });

  test('what a symlink out of the repository points to is never read', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), 'description: top-secret-words');
    const referenceKeys = '    reference_files: [{path: ref.md}]\n';
    const repo = repoWith({ '.deepreview': ruleText('check', { more: referenceKeys }) });
    repo.write('in/.deepreview', ruleText('in').replace('Look closely.', '{file: named.md}'));
    mkdirSync(join(repo.root, 'out'));
    for (const name of ['a.py', 'ref.md', 'in/named.md', 'out/.deepreview']) {
      symlinkSync(join(folder, 'secret'), join(repo.root, name));
    }
    symlinkSync(folder, join(repo.root, 'way'));
    const end = await onceover(repo.root, ['instructions', '--json', 'a.py', 'in', 'way/secret.py', 'way/secret']);
    const { tasks, warnings } = JSON.parse(end.stdout) as InstructionsDocument;
    expect(tasks.map((task) => task.review_id)).toContain(`check--a.py--${MISSING}`);
    expect(warnings.join('\n')).toMatch(
      /in\/\.deepreview:7:26: named\.md is outside .*out\/\.deepreview:1:1: .*is outside/s,
    );
    symlinkSync(join(folder, 'secret'), join(repo.root, 'onceover.yml'));
    const outsideEnd = await onceover(repo.root, ['instructions']);
    expect([outsideEnd.code, outsideEnd.stderr]).toEqual([
      2,
      expect.stringMatching(/onceover\.yml:1:1: .*is outside the repository/),
    ]);
    for (const text of [end.stdout, end.stderr, outsideEnd.stderr, ...generatedTexts(repo)]) {
      expect(text).not.toContain('top-secret-words');
    }
  });

  test('what git keeps for itself is never shown to a reviewer', async () => {
    const referenceKeys = '    reference_files: [{path: .git/config}]\n';
    const repo = repoWith({ '.deepreview': ruleText('check', { include: ['**'], more: referenceKeys }) });
    repo.git('config', 'remote.origin.url', 'https://user:top-secret-words@example.invalid/');
    await ask(repo, ['x.py']);
    expect(generatedTexts(repo).join('')).toContain('.git/config');
    expectFailure(await onceover(repo.root, ['instructions', '.git/config']), 2, /\.git\/config is outside/, /inside/);
    for (const text of generatedTexts(repo)) expect(text).not.toContain('top-secret-words');
  });
});

test('wrong usage: exit 2 with a hint', async () => {
  const rows: [string[], RegExp, RegExp][] = [
    [['rulez'], /^onceover: Unknown command "rulez"\. Did you mean "rules"\?$/m, /"onceover --help"/],
    [
      ['instructions', '--bass', 'x'],
      /^onceover: Unknown option "--bass"\. Did you mean "--base"\?$/m,
      /"onceover instructions --help"/,
    ],
    [
      ['instructions', '--base'],
      /^onceover: Option "--base <ref>" argument missing\.$/m,
      /"onceover instructions --help"/,
    ],
    [['pass'], /^onceover: Missing required argument "review_id"\.$/m, /"onceover pass --help"/],
    [['pass', 'a', 'b'], /^onceover: Too many arguments for "pass"\./, /"onceover pass --help"/],
    [['explain'], /^onceover: Missing required argument "name"\.$/m, /"onceover explain --help"/],
    [['init', '--mcp', 'emacs'], /init --mcp supports the agent "claude", not "emacs"/, /"onceover init --help"/],
  ];
  const { root } = emptyRepo();
  await Promise.all(
    rows.map(async ([args, message, next]) => expectFailure(await onceover(root, args), 2, message, next)),
  );
});

test('no command: exit 0 with the help', async () => {
  const end = await onceover(emptyRepo().root, []);
  expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: onceover <command> /), stderr: '' });
});

test('a failure with --json is a document on stdout and a sentence on stderr', async () => {
  const rows: [string, string[], number, CliOptions][] = [
    ['unknown-base', ['instructions', '--base', 'nope'], 2, {}],
    ['broken-config', ['rules'], 2, {}],
    ['bad-review-id', ['pass', '..'], 2, {}],
    ['unknown-subject', ['explain', 'nope--nope'], 2, {}],
    ['unknown-finding', ['resolve', 'F9', '--fixed'], 2, {}],
    ['unknown-gate', ['run', '--dry-run', '--gate', 'nope'], 2, {}],
    ['unknown-commit', ['run', '--dry-run', '--commit', 'nope'], 2, {}],
    ['unknown-base', ['run', '--dry-run', '--base', 'nope'], 2, {}],
    ['inside-a-run', ['run'], 3, { env: { ONCEOVER_ACTIVE: '1' } }],
    ['agreed-inside-a-run', ['trust'], 3, { env: { ONCEOVER_ACTIVE: '1' } }],
    ['agreed-inside-a-run', ['init', '--hook', 'claude'], 3, { env: { ONCEOVER_ACTIVE: '1' } }],
    ['wrong-usage', ['pass'], 2, {}],
    ['path-outside', ['instructions', '../x'], 2, {}],
    ['git-missing', ['instructions'], 3, { env: { PATH: '/nonexistent' } }],
  ];
  const [usableRepo, brokenRepo] = [
    repoWith({ '.deepreview': ruleText('check') }),
    repoWith({ 'onceover.yml': 'x: 1' }),
  ];
  await Promise.all(
    rows.map(async ([kind, args, code, options]) => {
      const end = await onceover(
        (kind === 'broken-config' ? brokenRepo : usableRepo).root,
        [...args, '--json'],
        options,
      );
      const { error } = JSON.parse(end.stdout) as { error: { kind: string; message: string; next: string } };
      expect.soft([end.code, error]).toEqual([code, { kind, message: expect.any(String), next: expect.any(String) }]);
      expect.soft(end.stderr).toBe(`onceover: ${error.message}\n${error.next}\n`);
    }),
  );
});

test('a list of very many names that do not exist is no failure', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check') });
  const names = Array.from({ length: 30_000 }, (_, i) => `${'long-name/'.repeat(10)}${i}.txt`);
  const end = await onceover(repo.root, ['instructions', '-'], { input: names.join('\n') });
  expect([end.code, end.stdout]).toEqual([0, 'Nothing to review: no rule matches the 30000 named files.\n']);
});

function aliases(): string {
  return Array.from({ length: 12 }, (_, i) => {
    const [before, name] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)];
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]\n`;
  }).join('');
}

/** The text of every file that the program wrote. */
function generatedTexts(repo: TestRepo): string[] {
  return ['.deepwork', '.git/onceover'].flatMap((folder) =>
    readdirSync(join(repo.root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(repo.root, folder, name))
      .filter((path) => lstatSync(path).isFile())
      .map((path) => readFileSync(path, 'utf8')),
  );
}
