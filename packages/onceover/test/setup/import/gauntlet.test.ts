import { carriedWell, problemsOf, STAND_IN } from '@onceover/testing/carried.ts';
import { describe, expect, test } from 'vitest';

const CONFIG = '.gauntlet/config.yml';

const WHOLE = {
  [CONFIG]: `base_branch: origin/develop
log_dir: gauntlet_logs
allow_parallel: true
max_retries: 5
rerun_new_issue_threshold: high
cli:
  default_preference:
    - codex
    - github-copilot
    - claude
  adapters:
    codex:
      allow_tool_use: false
      thinking_budget: low
    claude:
      model: claude-sonnet-5-5
  check_usage_limit: true
stop_hook:
  enabled: true
entry_points:
  - path: "."
    checks:
      - build
      - types:
          command: npx tsc --noEmit
          timeout: 90.5
    reviews:
      - code-quality
  - path: src
    exclude:
      - "**/*.snap"
    checks:
      - test
      - lint
    reviews:
      - architecture
      - security:
          builtin: security
  - path: packages/*
    checks: [test, nowhere]
    reviews: [architecture]
  - path: packages/api
    checks: [test]
  - path: package.json
    checks: [test]
`,
  '.gauntlet/checks/build.yml': 'command: npm run build\nworking_directory: .\nparallel: true\nrun_in_ci: true\n',
  '.gauntlet/checks/lint.yaml':
    'name: lint\ncommand: "npx eslint . || exit 1"\nworking_directory: "my app"\nrun_locally: false\n',
  '.gauntlet/checks/test.yml': 'command: |\n  npm ci\n  npm test\ntimeout: 300\nfail_fast: true\n',
  '.gauntlet/checks/unused.yml': 'command: "true"\n',
  '.gauntlet/reviews/architecture.md': `---
cli_preference:
  - gemini
  - cursor
num_reviews: 2
timeout: 120
model: gemini-9
---

# Architecture

Layers do not skip. {{CONTEXT}}
`,
  '.gauntlet/reviews/code-quality.yml': 'builtin: code-quality\nnum_reviews: 3\n',
  '.gauntlet/reviews/spare.md': 'Not in use.\n',
  '.gauntlet/ci.yml': 'runtimes: { bun: { version: latest } }\n',
};

test('imports a whole folder: entries, checks in their folders, reviews word for word, and a list of the rest', async () => {
  const { text, prompts, left } = await carriedWell('gauntlet', WHOLE);
  expect(text).toMatchInlineSnapshot(`
    "# The checks and reviews that a change has to pass. "onceover run" runs them. Imported from .gauntlet.
    version: 1
    base: origin/develop
    agents:
      - codex
      - claude
    agent:
      claude:
        model: claude-sonnet-5-5
    max_retries: 5
    rerun_new_issue_threshold: high
    unchanged_gates: rest

    gates:
      - path: .
        checks:
          build:
            run: npm run build
          types:
            run: npx tsc --noEmit
            timeout: 91
        reviews:
          code-quality:
            prompt: .onceover/reviews/code-quality.md
            num_reviews: 3
      - path: src
        exclude:
          - "**/*.snap"
        checks:
          test:
            run: |-
              cd src || exit
              npm ci
              npm test
            timeout: 300
          lint:
            run: |-
              cd 'my app' || exit
              npx eslint . || exit 1
        reviews:
          architecture:
            prompt: .onceover/reviews/architecture.md
            num_reviews: 2
            agents:
              - gemini
            timeout: 120
      - path: packages/*
        checks:
          test:
            run: |-
              cd "$ONCEOVER_ENTRY" || exit
              npm ci
              npm test
            timeout: 300
        reviews:
          architecture:
            prompt: .onceover/reviews/architecture.md
            num_reviews: 2
            agents:
              - gemini
            timeout: 120
      - path: packages/api
        checks:
          test-2:
            run: |-
              npm ci
              npm test
            timeout: 300
      - path: package.json
        checks:
          test:
            run: |-
              npm ci
              npm test
            timeout: 300
    "
  `);
  expect(prompts).toEqual({
    'code-quality.md': STAND_IN,
    'architecture.md': '# Architecture\n\nLayers do not skip. {{CONTEXT}}\n',
    'spare.md': 'Not in use.\n',
  });
  expect(left).toMatchInlineSnapshot(`
    [
      ".gauntlet/checks/build.yml:3:1: onceover has no setting like checks.parallel, checks.run_in_ci, checks.fail_fast, checks.run_locally, reviews.model, log_dir, allow_parallel, cli.adapters.codex.allow_tool_use, cli.adapters.codex.thinking_budget, cli.check_usage_limit, stop_hook",
      ".gauntlet/checks/unused.yml:1:1: unused is not in use",
      ".gauntlet/config.yml:7:3: onceover does not know the agent github-copilot; you can set its command under "agent"",
      ".gauntlet/config.yml:38:11: the text of security is part of the tool and not in this repository; write a prompt and use it in a review",
      ".gauntlet/config.yml:40:20: there is no check nowhere",
      ".gauntlet/reviews/architecture.md:2:1: {{CONTEXT}} in architecture is not replaced here",
      ".gauntlet/reviews/architecture.md:2:1: onceover does not know the agent cursor; you can set its command under "agent"",
      ".gauntlet/reviews/code-quality.yml:1:1: the text of code-quality is part of the tool and not in this repository; our code-quality review replaces it",
      ".gauntlet/reviews/spare.md:1:1: spare is not in use; its text is in .onceover/reviews/spare.md, which no review uses",
    ]
  `);
});

const carriedGauntlet = (config: string, files: Readonly<Record<string, string | null>> = {}) =>
  carriedWell('gauntlet', { [CONFIG]: config, ...files });

const MINIMAL = 'entry_points: [{ path: src, reviews: [a] }]\n';

test('prefers the newer name of the folder', async () => {
  const { settings, left } = await carriedWell('gauntlet', {
    [CONFIG]: MINIMAL,
    '.validator/config.yml': 'entry_points: [{ path: lib, reviews: [a] }]\n',
    '.validator/reviews/a.md': 'New.\n',
    '.gauntlet/reviews/a.md': 'Old.\n',
  });
  expect([settings.gates.map(({ path }) => path), left]).toEqual([['lib'], []]);
});

describe('checks', () => {
  const run = async (check: string, path = 'src') => {
    const entry = JSON.stringify({ entry_points: [{ path, checks: ['it'] }] });
    const { settings } = await carriedGauntlet(entry, { '.gauntlet/checks/it.yml': check });
    return settings.gates[0]?.checks;
  };

  test.each([
    ['in the folder of the entry point', 'command: go test', 'src', 'cd src || exit\ngo test'],
    ['in the root, where the entry point is all', 'command: go test', '.', 'go test'],
    ['in the root, where the entry point is a file', 'command: go test', 'go.mod', 'go test'],
    ['in the root, where the entry point is a glob', 'command: go test', 'src/**/*.go', 'go test'],
    ['in each folder', 'command: go test', 'packages/*', 'cd "$ONCEOVER_ENTRY" || exit\ngo test'],
    ['in the root, as it says', 'command: go test\nworking_directory: .', 'src', 'go test'],
    ['in another folder', 'command: go test\nworking_directory: a/b', 'src', 'cd a/b || exit\ngo test'],
    [
      'in a folder with a strange name',
      `command: go test\nworking_directory: "it's"`,
      'src',
      "cd 'it'\\''s' || exit\ngo test",
    ],
    [
      'in a folder that looks like an option',
      'command: go test\nworking_directory: -x',
      'src',
      'cd ./-x || exit\ngo test',
    ],
    [
      'in the entry point, as it says',
      'command: go test\nworking_directory: entrypoint',
      'src',
      'cd src || exit\ngo test',
    ],
    [
      'with what a shell would take apart',
      'command: "a || b; c"\nworking_directory: x',
      '.',
      'cd x || exit\na || b; c',
    ],
    ['in several lines', 'command: |\n  a\n\n    b\n', '.', 'a\n\n  b'],
    ['with quotes, braces and a comment', 'command: \'echo "{a,b}" # c\'', '.', 'echo "{a,b}" # c'],
    ['that is a number', 'command: "5"', '.', '5'],
  ])('imports a check that runs %s', async (_title, check, path, command) => {
    expect(await run(check, path)).toEqual({ it: { run: command, timeoutSeconds: null } });
  });

  test.each([
    [0, null],
    [-5, null],
    [0.2, 1],
    [12.5, 13],
    [1e9, 86_400],
  ])('imports a timeout of %d', async (timeout, seconds) => {
    expect(await run(`command: x\ntimeout: ${timeout}`, '.')).toEqual({ it: { run: 'x', timeoutSeconds: seconds } });
  });

  test('takes the name from the file, and replaces special characters in it', async () => {
    const { settings } = await carriedGauntlet('entry_points: [{ path: ., checks: ["Unit tests!", "true"] }]', {
      '.gauntlet/checks/a.yml': 'name: Unit tests!\ncommand: x\n',
      '.gauntlet/checks/true.yml': 'command: y\n',
    });
    expect(Object.keys(settings.gates[0]?.checks ?? {})).toEqual(['Unit-tests', 'true']);
  });
});

describe('reviews', () => {
  const REVIEW = '.gauntlet/reviews/a.md';

  test.each([
    ['a text without front matter', { [REVIEW]: 'Look.\n' }, 'Look.\n', /^$/],
    [
      'line breaks of Windows',
      { [REVIEW]: '---\r\nnum_reviews: 1\r\n---\r\nOne.\r\n\r\nTwo.\r\n' },
      'One.\r\n\r\nTwo.\r\n',
      /^$/,
    ],
    [
      'a text elsewhere',
      { [REVIEW]: '---\nprompt_file: prompts/x.md\n---\n', '.gauntlet/prompts/x.md': 'There.' },
      'There.\n',
      /^$/,
    ],
    [
      'a text outside',
      { [REVIEW]: '---\nprompt_file: ../../x.md\n---\nHere.\n' },
      'Here.\n',
      /is outside the repository/,
    ],
    [
      'a text at an absolute path',
      { [REVIEW]: '---\nprompt_file: /etc/passwd\n---\n' },
      null,
      /is outside the repository/,
    ],
    ['a text that is not there', { [REVIEW]: '---\nprompt_file: x.md\n---\n' }, null, /x\.md, which does not exist/],
    [
      'a text that cannot be read',
      { [REVIEW]: '---\nprompt_file: x.md\n---\n', '.gauntlet/x.md': null },
      null,
      /cannot be read/,
    ],
    [
      'a text that is empty',
      { [REVIEW]: '---\nprompt_file: x.md\n---\n', '.gauntlet/x.md': ' \n' },
      null,
      /has no text/,
    ],
    ['a skill', { [REVIEW]: '---\nskill_name: reviewer\n---\n' }, null, /no setting like reviews\.skill_name/],
    ['no text', { [REVIEW]: '---\nnum_reviews: 2\n---\n\n' }, null, /a has no text/],
    [
      'a built-in text that ours replaces',
      { '.gauntlet/reviews/a.yml': 'builtin: all-reviewers\n' },
      STAND_IN,
      /our code-quality review replaces it/,
    ],
    [
      'a built-in text that ours cannot replace',
      { '.gauntlet/reviews/a.yml': 'builtin: task-compliance\n' },
      null,
      /write a prompt/,
    ],
    [
      'one that is switched off',
      { [REVIEW]: '---\nenabled: false\n---\nLater.\n' },
      'Later.\n',
      /not in use; its text is in/,
    ],
    [
      'one for CI alone',
      { [REVIEW]: '---\nrun_locally: false\n---\nOnly there.\n' },
      'Only there.\n',
      /no setting like reviews\.run_locally/,
    ],
  ])('imports %s', async (_title, files, prompt, why) => {
    const { prompts, left, settings } = await carriedGauntlet(MINIMAL, files);
    expect(Object.values(prompts)).toEqual(prompt === null ? [] : [prompt]);
    expect(left.join('\n')).toMatch(why);
    const isGate = prompt !== null && !left.join().includes('not in use');
    expect(settings.gates).toHaveLength(isGate ? 1 : 0);
  });

  test.each([
    [0, 1],
    [1.6, 2],
    [99, 20],
  ])('imports %d reviewers', async (wish, numReviews) => {
    const { settings } = await carriedGauntlet(MINIMAL, { [REVIEW]: `---\nnum_reviews: ${wish}\n---\nLook.\n` });
    expect(settings.gates[0]?.reviews['a']?.numReviews).toBe(numReviews);
  });

  test('imports the agents that onceover knows, and no list if it knows none of them', async () => {
    const { settings, left } = await carriedGauntlet(
      'cli: { default_preference: [cursor] }\nentry_points: [{ path: ., reviews: [a, b] }]',
      {
        [REVIEW]: '---\ncli_preference: [cursor, opencode, codex, codex]\n---\nOne.\n',
        '.gauntlet/reviews/b.md': '---\ncli_preference: [cursor]\n---\nTwo.\n',
      },
    );
    const { a, b } = settings.gates[0]?.reviews ?? {};
    expect([settings.agents, a?.agents, b?.agents]).toEqual([null, ['opencode', 'codex'], null]);
    expect(left.filter((line) => line.includes('cursor'))).toHaveLength(1);
  });
});

test('renames checks that would have the same id, and imports the same check once', async () => {
  const checks = { '.gauntlet/checks/t.yml': 'command: x\nworking_directory: .\n' };
  const entries = [
    { path: 'packages/*' },
    { path: 'packages/api' },
    { path: './packages/api/', exclude: ['*.md'] },
    { path: 'packages/api/src' },
    { path: './packages/api' },
  ];
  const { settings } = await carriedGauntlet(
    JSON.stringify({ entry_points: entries.map((entry) => ({ ...entry, checks: ['t', 't'] })) }),
    checks,
  );
  expect(settings.gates.map(({ path, checks: checkSettings }) => [path, ...Object.keys(checkSettings)])).toEqual([
    ['packages/*', 't'],
    ['packages/api', 't-2'],
    ['./packages/api/', 't-3'],
    ['packages/api/src', 't'],
  ]);
});

describe('broken files', () => {
  test.each([
    ['invalid YAML', { [CONFIG]: 'entry_points: [\n' }, [`${CONFIG}:2:1 syntax`]],
    ['no entry points', { [CONFIG]: 'cli: {}\n' }, [`${CONFIG}:1:1 missing-key`]],
    ['an entry point without a path', { [CONFIG]: 'entry_points:\n  - checks: [a]\n' }, [`${CONFIG}:2:5 missing-key`]],
    [
      'a check that is a number',
      { [CONFIG]: 'entry_points:\n  - { path: a, checks: [5] }\n' },
      [`${CONFIG}:2:25 bad-value`],
    ],
    [
      'an inline check with two names',
      { [CONFIG]: 'entry_points:\n  - path: a\n    checks:\n      - { a: { command: x }, b: { command: y } }\n' },
      [`${CONFIG}:4:9 bad-value`],
    ],
    [
      'an inline check without a command',
      { [CONFIG]: 'entry_points:\n  - path: a\n    checks:\n      - a: { timeout: 5 }\n' },
      [`${CONFIG}:4:9 missing-key`],
    ],
    [
      'a check and a review, each in its file',
      {
        [CONFIG]: MINIMAL,
        '.gauntlet/checks/x.yml': 'timeout: soon\ncommand: x\n',
        '.gauntlet/reviews/a.md': '---\nnum_reviews: two\n---\nx\n',
      },
      ['.gauntlet/checks/x.yml:1:10 wrong-type', '.gauntlet/reviews/a.md:2:14 wrong-type'],
    ],
    [
      'front matter without an end',
      { [CONFIG]: MINIMAL, '.gauntlet/reviews/a.md': '---\nx: 1\n' },
      ['.gauntlet/reviews/a.md:1:1 syntax'],
    ],
  ])('reports the position of %s', async (_title, files, problems) => {
    expect(await problemsOf('gauntlet', files as Record<string, string>)).toEqual(problems);
  });
});
