import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { cleanEnvironment, repoWith } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const SCRIPTS = resolve(import.meta.dirname, '../../tools/review');

type Answer = {
  readonly status: 'pass' | 'fail';
  readonly violations: readonly { readonly file: string; readonly line: number; readonly issue: string }[];
  readonly previous: readonly { readonly id: string; readonly state: string }[];
  readonly message: string;
};

/** Runs a script in a repository with these files. */
function look(script: string, files: Readonly<Record<string, string>>, prompt = ''): Answer {
  const { root } = repoWith(files);
  const env = cleanEnvironment(root);
  const end = spawnSync(process.execPath, [join(SCRIPTS, `${script}.mjs`)], {
    cwd: root,
    env,
    input: prompt,
    encoding: 'utf8',
  });
  expect([end.status, end.stderr]).toEqual([0, '']);
  return JSON.parse(end.stdout) as Answer;
}

const found = ({ violations }: Answer) => violations.map(({ file, line, issue }) => `${file}:${line} ${issue}`);

const PACKAGE = (more: string) => `{\n  "devDependencies": {\n    "yaml": "2.9.1"${more}\n  }\n}\n`;
const PROGRAM = `.option('--base <ref>', 'what')\n.addOption(new Option('--hidden').hideHelp())\n.option('--no-commit', 'what')\n`;
const SETTINGS = '{ "properties": { "agents": {}, "base": {} } }';
const TESTED = `import { check } from '../support/check.ts';\ntest('one', () => expect(1).toBe(1));\n`;
const SUPPORT = {
  'test/support/check.ts': 'export function check() {\n  expect(1).toBe(1);\n}\nexport const idle = () => {};\n',
};

const rows: readonly [title: string, script: string, files: Record<string, string>, issues: readonly string[]][] = [
  [
    'links to files, folders, headings and other places',
    'docs',
    {
      'README.md':
        '# A\n[one](docs/one.md), [its part](docs/one.md#what-is-it), [here](#a), [there](https://x.y/z), [all](docs/)\n',
      'docs/one.md': '# What is `it`?\n[back](../README.md)\n```\n[not](a-link.md)\n```\n',
      'ARCHITECTURE.md':
        '`packages/a/src/plan/phase-*`, `packages/a/`; `and/this` is elsewhere\n```\npackages/a -> x\n```\n',
      'packages/a/README.md': '`src/plan/slots.ts`, `test/` and `../b/src/git.ts`\n',
      'packages/a/src/plan/slots.ts': '',
      'packages/a/src/plan/phase-end.ts': '',
      'packages/a/test/slots.test.ts': '',
      'packages/b/src/git.ts': '',
    },
    [],
  ],
  [
    'links that lead nowhere, and files that are not there',
    'docs',
    {
      'README.md': '[one](docs/two.md) and [its part](docs/one.md#missing)\n',
      'docs/one.md': '# One\n',
      'ARCHITECTURE.md': 'see `packages/a/src/plan/slot` and `packages/a/src/git.ts`\n',
      'packages/a/DECISIONS.md': '```\nsrc/slots.ts -> ../b/src/git.ts\n```\n',
      'packages/a/src/plan/slots.ts': '',
      'packages/a/src/git.ts': '',
    },
    [
      'README.md:1 The link to docs/two.md points to a missing file.',
      'README.md:1 The link to docs/one.md#missing points to a missing heading.',
      'ARCHITECTURE.md:1 There is no packages/a/src/plan/slot.',
      'packages/a/DECISIONS.md:2 There is no src/slots.ts.',
      'packages/a/DECISIONS.md:2 There is no ../b/src/git.ts.',
    ],
  ],
  [
    'packages with a reason and an exact version',
    'dependencies',
    {
      'package.json': PACKAGE(',\n    "@types/node": "20.1.0",\n    "@types/yaml": "1.0.0"'),
      'packages/a/package.json': '{ "dependencies": { "@onceover/b": "0.1.0", "yaml": "2.9.1" } }\n',
      'docs/decisions/0015-dependencies.md': '| package | reason |\n|---|---|\n| `yaml` | positions of every node |\n',
    },
    [],
  ],
  [
    'packages without',
    'dependencies',
    {
      'package.json': PACKAGE(',\n    "@a/yaml-more": "1.0.0",\n    "zod": "^4.0.0"'),
      'packages/a/package.json': '{\n  "dependencies": { "hono": "4.0.0" }\n}\n',
      'docs/decisions/0015-dependencies.md':
        'The package `hono` is mentioned.\n\n| package | reason |\n|---|---|\n| `yaml` | nodes |\n| `zod` | schemas |\n| `yaml-more` | |\n',
    },
    [
      'package.json:4 docs/decisions/0015-dependencies.md does not say what @a/yaml-more is for.',
      'package.json:5 zod has no exact version.',
      'packages/a/package.json:2 docs/decisions/0015-dependencies.md does not say what hono is for.',
    ],
  ],
  [
    'settings, options and tools that a page names',
    'documented',
    {
      'README.md': '```yaml\nagents: [a]\n```\n`base` and `--base`, `--no-commit`, `start_run`\n',
      'packages/onceover/src/cli/define-daily.ts': PROGRAM,
      'schemas/onceover.yml.schema.json': SETTINGS,
      'packages/onceover/src/mcp/server.ts': "server.registerTool(\n  'start_run', {});\n",
    },
    [],
  ],
  [
    'settings, options and tools that none does',
    'documented',
    {
      'README.md': '`agents` and --base-line, start_run\n',
      'packages/onceover/src/cli/define-daily.ts': PROGRAM,
      'schemas/onceover.yml.schema.json': SETTINGS,
      'packages/onceover/src/mcp/server.ts': "server.registerTool('start_run', {});\n",
    },
    [
      'schemas/onceover.yml.schema.json:1 README.md and docs/ do not mention base.',
      'packages/onceover/src/cli/define-daily.ts:1 README.md and docs/ do not mention --base.',
      'packages/onceover/src/cli/define-daily.ts:3 README.md and docs/ do not mention --no-commit.',
      'packages/onceover/src/mcp/server.ts:1 README.md and docs/ do not mention start_run.',
    ],
  ],
  [
    'tests that assert, themselves or by what they call',
    'tests',
    {
      ...SUPPORT,
      'test/a/a.test.ts': `${TESTED}test.each([1])('two', () => check());\ntest('three', local);\nfunction local() {\n  throw new Error();\n}\n`,
      'test/a/b.test.ts': "test.todo('four');\nit('five', async () => {\n  fc.assert(1);\n}, 5);\n",
      'packages/a/test/a.test.ts': "import { check } from '@onceover/testing/check.ts';\ntest('six', () => check());\n",
    },
    [],
  ],
  [
    'tests that assert nothing',
    'tests',
    {
      ...SUPPORT,
      'test/a/a.test.ts': `${TESTED}test('two', () => {\n  idle();\n});\ntest.each([1])('three', () => local());\nfunction local() {}\n`,
      'test/a/b.test.ts': "test('four', () => check());\n",
      'packages/a/test/a.test.ts': "import { idle } from '@onceover/testing/check.ts';\ntest('six', () => idle());\n",
    },
    [
      "packages/a/test/a.test.ts:2 The test 'six' asserts nothing.",
      "test/a/a.test.ts:3 The test 'two' asserts nothing.",
      "test/a/a.test.ts:6 The test 'three' asserts nothing.",
      "test/a/b.test.ts:1 The test 'four' asserts nothing.",
    ],
  ],
  [
    'code that can be read',
    'code',
    {
      'packages/a/src/a.ts':
        'try {\n  f();\n} catch {\n  // It is gone already.\n}\nconst a = [1] as const as readonly number[];\n',
    },
    [],
  ],
  [
    'code that swallows, forces, and takes too much',
    'code',
    {
      'packages/a/src/a.ts':
        'try {\n  f();\n} catch {}\nconst a = b as unknown as C;\n// TODO: later\nfunction g(a, b, c, d, e, f, g) {}\n',
      'packages/b/src/b.ts': `${'x();\n'.repeat(701)}`,
    },
    [
      'packages/a/src/a.ts:5 A banner or a TODO comment.',
      'packages/a/src/a.ts:3 The catch block ignores the error.',
      'packages/a/src/a.ts:4 A double cast forces the type.',
      'packages/a/src/a.ts:6 The function has more than 6 parameters.',
      'packages/b/src/b.ts:1 The file has more than 700 lines.',
    ],
  ],
];

test.each(rows)('%s', (_, script, files, issues) => {
  const answer = look(script, files);
  expect([answer.status, found(answer)]).toEqual([issues.length === 0 ? 'pass' : 'fail', issues]);
  expect(answer.message).toMatch(/^Checked by a script, /);
});

describe('as a reviewer', () => {
  const FILES = {
    'test/a.test.ts': "test('one', () => {});\n",
    'test/b.test.ts': "test('two', () => {});\n",
    'test/c.test.ts': "test('three', () => {});\n",
  };
  const block = (id: string, file: string, issue: string) =>
    `\`\`\`\nid: ${id}\nplace: ${file}:1\nissue: ${issue}\n\`\`\`\n`;

  test('it reports problems in the reviewed files, and answers earlier findings', () => {
    const prompt = `diff --git a/test/a.test.ts b/test/a.test.ts\n+x\n\n## Earlier findings\n\n${block('F1', 'test/b.test.ts', "The test 'two' asserts nothing.")}\n${block('F2', 'test/b.test.ts', "The test 'old' asserts nothing.")}\nAnswer.\n`;
    const answer = look('tests', FILES, prompt);
    expect(found(answer)).toEqual(["test/a.test.ts:1 The test 'one' asserts nothing."]);
    expect(answer.previous).toMatchObject([
      { id: 'F1', state: 'open' },
      { id: 'F2', state: 'fixed' },
    ]);
    expect(answer.status).toBe('fail');
  });

  test('it does not report declined findings again', () => {
    const prompt = `diff --git a/test/a.test.ts b/test/a.test.ts\n\n## Declined findings\n\n${block('F1', 'test/a.test.ts', "The test 'one' asserts nothing.")}`;
    expect(look('tests', FILES, prompt)).toMatchObject({ status: 'pass', violations: [], previous: [] });
  });
});
