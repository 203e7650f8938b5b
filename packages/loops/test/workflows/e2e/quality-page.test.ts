import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CLI } from '@onceover/testing/cli.ts';
import { cleanEnvironment, repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../../docs/quality-gate.md'), 'utf8');
const EXAMPLE = /```js\n(.*?)```/s.exec(PAGE)?.[1] ?? '';

/** Answers like Claude Code; a file without a link fails. */
const CLAUDE = `#!${process.execPath}
const session_id = process.argv[process.argv.indexOf('--session-id') + 1];
const say = (event) => console.log(JSON.stringify({ session_id, ...event }));
if (process.argv[2] === '--version') console.log('2.1.325 (Claude Code)');
else {
  const input = require('node:fs').readFileSync(0, 'utf8');
  const passed = input.includes('report.md') || input.includes('https://');
  say({ type: 'system', subtype: 'init', model: 'm' });
  const structured_output = { passed, feedback: passed ? 'Good.' : 'No source is named.' };
  say({ type: 'result', subtype: 'success', is_error: false, result: '', structured_output, usage: { output_tokens: 5 } });
}
`;

test('the example on the page works', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'claude'), CLAUDE);
  chmodSync(join(folder, 'claude'), 0o755);
  const repo = repoWith({
    'report.md': 'All is well.\n',
    'pages/one.md': 'It is so (https://example.invalid).\n',
    'pages/two.md': 'Everybody knows.\n',
    'judge.mjs': EXAMPLE,
  });
  const packageFolder = join(repo.root, 'node_modules/onceover');
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, 'package.json'), '{"name":"onceover","type":"module","exports":"./index.mjs"}');
  const address = pathToFileURL(resolve(dirname(CLI), 'index.mjs')).href;
  writeFileSync(join(packageFolder, 'index.mjs'), `export * from ${JSON.stringify(address)};\n`);
  const env = cleanEnvironment(folder);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['judge.mjs'], {
    cwd: repo.root,
    env: { ...env, PATH: [folder, env['PATH']].join(delimiter) },
  });
  expect([stdout, stderr]).toEqual(['pages/two.md: No source is named.\n', '']);
});
