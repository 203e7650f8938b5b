import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, '../../tools/review/voice.mjs');

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

/** The problems of all rows, found by one call: each call loads the TypeScript compiler. */
function problemsOfRows(): readonly string[] {
  const repo = repoWith(Object.fromEntries(rows.map(([, file, text], index) => [`${index}/${file}`, text])));
  const listed = execFileSync(process.execPath, [SCRIPT, '--list'], { cwd: repo.root, encoding: 'utf8' });
  return listed.trim().split('\n').slice(0, -1);
}

let listed: readonly string[] | null = null;

test.each(rows.map((row, index) => [...row, index] as const))('%s', (_title, _file, _text, found, index) => {
  listed ??= problemsOfRows();
  const own = listed.filter((line) => line.startsWith(`${index}/`));
  if (found === null) expect(own).toEqual([]);
  else expect(own.join('\n')).toMatch(found);
});
