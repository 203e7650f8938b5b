import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { repoWith } from '../support/repo.ts';

const SCRIPT = resolve(import.meta.dirname, '../../tools/review/voice.mjs');

/** Returns the problems that the script lists in a repository with this file. */
function problems(file: string, text: string): readonly string[] {
  const repo = repoWith({ [file]: text });
  const lines = execFileSync(process.execPath, [SCRIPT, '--list'], { cwd: repo.root, encoding: 'utf8' })
    .trim()
    .split('\n');
  return lines.slice(0, -1);
}

const rows: readonly [title: string, file: string, text: string, found: RegExp | null][] = [
  ['a banned word in a comment', 'src/a.ts', '// Fixes what nobody mended.\n', /a\.ts:1 Banned: "mended"/],
  ['a banned word in a sentence for people', 'src/a.ts', "const a = 'Ask whoever wrote it.';\n", /Banned: "whoever"/],
  [
    'a banned word in the middle of a template',
    'src/a.ts',
    `const a = \`\${1} is told to \${2}\`;\n`,
    /Banned: "told"/,
  ],
  ['a banned word on a page', 'docs/a.md', 'Run it anew.\n', /a\.md:1 Banned: "anew"/],
  [
    'a comment that begins with a relative clause',
    'src/a.ts',
    '/** What is shown. */\nconst a = 1;\n',
    /relative clause/,
  ],
  ['a plain comment', 'src/a.ts', '/** Returns the reviewers to run. */\nconst a = 1;\n', null],
  ['a second line that begins like a relative clause', 'src/a.ts', '// The agent\n// that runs.\n', null],
  ['a value without a space', 'src/a.ts', "const kind = 'told';\n", null],
  ['a code block of a page', 'docs/a.md', '```\nmend\n```\n', null],
  ['a golden file', 'test/golden/a.md', 'Run it anew.\n', null],
];

test.each(rows)('%s', (_title, file, text, found) => {
  const listed = problems(file, text);
  if (found === null) expect(listed).toEqual([]);
  else expect(listed.join('\n')).toMatch(found);
});
