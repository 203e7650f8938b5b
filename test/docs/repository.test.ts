import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const REPOSITORY = 'OWNER/onceover';

test('package.json names one repository for its source, page and issues', () => {
  const manifest: unknown = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: `git+https://github.com/${REPOSITORY}.git` },
    homepage: `https://github.com/${REPOSITORY}#readme`,
    bugs: `https://github.com/${REPOSITORY}/issues`,
  });
});

test('the files that name the repository are known, so that publishing is one replacement', () => {
  const args = [
    'grep',
    '-lI',
    '-e',
    'OWNER/',
    '-e',
    '@OWNER',
    '--',
    '.',
    ':!test',
    ':(exclude,glob)packages/*/test/**',
    ':!CONTRIBUTING.md',
  ];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  expect(files).toEqual([
    '.github/CODEOWNERS',
    'docs/ci.md',
    'docs/pull-requests.md',
    'package.json',
    'plugins/onceover/README.md',
  ]);
});
