import { carriedWell, problemsOf } from '@onceover/testing/carried.ts';
import { expect, test } from 'vitest';

const CHECK = '.continue/checks/migration-safety.md';

test('imports each check as a review of everything, word for word', async () => {
  const { text, prompts, left } = await carriedWell('continue', {
    [CHECK]: `---
name: Migration Safety
description: Flag destructive database migrations
model: anthropic/claude-sonnet-4-5
---

Look at migrations in the change.

Fail if one of them has:

- a table that is dropped
`,
    '.continue/checks/Docs Freshness.md':
      '---\nname: Docs\ndescription: "Docs say what the code does: always"\n---\nDocs first.',
    '.continue/checks/bare.md': 'No front matter.\n',
    '.continue/checks/short.md': '---\nname: Short\ndescription: No secrets in the code.\n---\n',
    '.continue/checks/empty.md': '',
    '.continue/checks/notes.txt': 'not a check',
    '.agents/checks/bare.md': 'Another one of that name.\n',
    '.agents/checks/tools.md': '---\nname: Tools\ndescription: x\ntools: [Bash]\n---\nWith tools.\n',
  });
  expect(text).toMatchInlineSnapshot(`
    "# The checks and reviews that a change has to pass. "onceover run" runs them. Imported from .continue/checks, .agents/checks.
    # agents: [claude, codex]   # none was found: see "onceover doctor"
    # agent:                    # or a command: prompt on stdin, JSON on stdout
    #   house: { command: [./tools/reviewer.sh] }
    version: 1
    unchanged_gates: rest

    gates:
      - path: .
        reviews:
          Docs-Freshness:
            prompt: .onceover/reviews/Docs-Freshness.md
          bare:
            prompt: .onceover/reviews/bare.md
          migration-safety:
            prompt: .onceover/reviews/migration-safety.md
          short:
            prompt: .onceover/reviews/short.md
          bare-2:
            prompt: .onceover/reviews/bare-2.md
          tools:
            prompt: .onceover/reviews/tools.md
    "
  `);
  expect(prompts).toEqual({
    'Docs-Freshness.md': 'Docs first.\n',
    'bare.md': 'No front matter.\n',
    'bare-2.md': 'Another one of that name.\n',
    'tools.md': 'With tools.\n',
    'migration-safety.md':
      'Look at migrations in the change.\n\nFail if one of them has:\n\n- a table that is dropped\n',
    'short.md': 'No secrets in the code.\n',
  });
  expect(left).toMatchInlineSnapshot(`
    [
      ".continue/checks/empty.md:1:1: empty has no text",
      ".continue/checks/migration-safety.md:4:1: onceover has no setting like model, tools",
    ]
  `);
});

test('imports a check that both folders have only once', async () => {
  const files = { [CHECK]: 'Look.\n', '.agents/checks/migration-safety.md': 'Look.\n' };
  const { settings } = await carriedWell('continue', files);
  expect(settings.gates.map(({ reviews }) => Object.keys(reviews))).toEqual([['migration-safety']]);
});

test.each([
  ['invalid YAML', '---\nname: [\n---\nx\n', [`${CHECK}:3:1 syntax`]],
  ['no end', '---\nname: x\n', [`${CHECK}:1:1 syntax`]],
  ['a name that is a list', '---\nname:\n  - a\n---\nx\n', [`${CHECK}:3:3 wrong-type`]],
  ['front matter that is a list', '---\n- a\n---\nx\n', [`${CHECK}:2:1 wrong-type`]],
])('reports the position of front matter with %s', async (_title, text, problems) => {
  expect(await problemsOf('continue', { [CHECK]: text })).toEqual(problems);
});
