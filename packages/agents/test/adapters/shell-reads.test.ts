import { expect, test } from 'vitest';
import { filesShownBy } from '../../src/adapters/parse-output.ts';

test.each<[title: string, command: string, files: string[]]>([
  ['as Codex reports it', "/bin/bash -lc 'cat /repo/spec.md'", ['/repo/spec.md']],
  ['several files', "/bin/bash -lc 'cat a.md b.md'", ['a.md', 'b.md']],
  ['some lines, quoted in quotes', `/bin/bash -lc "sed -n '1,200p' docs/spec.md"`, ['1,200p', 'docs/spec.md']],
  ['after another command', "/bin/zsh -lc 'cd docs && cat spec.md'", ['spec.md']],
  ['through a pipe', "bash -c 'nl -ba spec.md | head -n 40'", ['spec.md', '40']],
  ['a name with a blank', `/bin/bash -lc "cat 'my spec.md'"`, ['my spec.md']],
  ['a blank behind a backslash', "/bin/bash -lc 'cat my\\ spec.md'", ['my spec.md']],
  ['two lines', "/bin/bash -lc 'cat a.md\ncat b.md'", ['a.md', 'b.md']],
  ['no shell around it', 'cat spec.md', ['spec.md']],
  ['the program by its path', "/bin/bash -lc '/usr/bin/head spec.md'", ['spec.md']],
  ['a list of names shows no file', "/bin/bash -lc 'ls docs; git status; wc -l spec.md; echo cat spec.md'", []],
  ['nothing', '', []],
  ['a quote that never ends', "/bin/bash -lc 'cat spec.md", []],
])('%s', (_, command, files) => {
  expect(filesShownBy(command)).toEqual(files);
});
