import { carriedWell, problemsOf, STAND_IN } from '@onceover/testing/carried.ts';
import { describe, expect, test } from 'vitest';

const FILE = '.coderabbit.yaml';
const carry = (text: string, differs: Parameters<typeof carriedWell>[2] = {}) =>
  carriedWell('coderabbit', { [FILE]: text }, differs);

const WHOLE = `# yaml-language-server: $schema=https://coderabbit.ai/integrations/schema.v2.json
language: en-US
tone_instructions: Be brief, and kind.
early_access: false
reviews:
  profile: chill
  high_level_summary: true
  poem: false
  path_filters:
    - "!dist/**"
    - "!**/*.snap"
    - src/**
  path_instructions:
    - path: "src/controllers/**"
      instructions: |
        - Every route checks who is asking.
        - No query is built from "text".

          Indented, and kept so.
    - path: "**/*.{test,spec}.ts"
      instructions: "Tests fail when the code is wrong."
    - path: src/*
      instructions: Only the files themselves.
    - path: /docs/**/*
      instructions: Say what the code does.
    - path: "**"
      instructions: For everything.
  pre_merge_checks:
    docstrings: { mode: warning, threshold: 80 }
    custom_checks:
      - name: Breaking Changes
        mode: error
        instructions: Public names stay, or the change log says so.
      - name: Style
        mode: warning
        instructions: As the style guide says.
      - name: Later
        mode: off
        instructions: Not yet.
  tools:
    shellcheck: { enabled: true }
chat:
  auto_reply: true
`;

test('imports a whole file: one entry per path, one review per text, and a list of the rest', async () => {
  const { text, prompts, left } = await carry(WHOLE, { toolWritten: ['package-lock.json'] });
  expect(text).toMatchInlineSnapshot(`
    "# The checks and reviews that a change has to pass. "onceover run" runs them. Imported from .coderabbit.yaml.
    # agents: [claude, codex]   # none was found: see "onceover doctor"
    # agent:                    # or a command: prompt on stdin, JSON on stdout
    #   house: { command: [./tools/reviewer.sh] }
    version: 1
    unchanged_gates: rest

    gates:
      - path: .
        exclude:
          - package-lock.json
          - dist/**
          - "**/*.snap"
        reviews:
          code-quality:
            prompt: .onceover/reviews/code-quality.md
          breaking-changes:
            prompt: .onceover/reviews/breaking-changes.md
          style:
            prompt: .onceover/reviews/style.md
      - path: src/controllers
        exclude:
          - dist/**
          - "**/*.snap"
        reviews:
          src-controllers:
            prompt: .onceover/reviews/src-controllers.md
      - path: "**/*.{test,spec}.ts"
        exclude:
          - dist/**
          - "**/*.snap"
        reviews:
          test-spec.ts:
            prompt: .onceover/reviews/test-spec.ts.md
      - path: src/?*
        exclude:
          - dist/**
          - "**/*.snap"
        reviews:
          src:
            prompt: .onceover/reviews/src.md
      - path: docs
        exclude:
          - dist/**
          - "**/*.snap"
        reviews:
          docs:
            prompt: .onceover/reviews/docs.md
      - path: .
        exclude:
          - package-lock.json
          - dist/**
          - "**/*.snap"
        reviews:
          everything:
            prompt: .onceover/reviews/everything.md
    "
  `);
  expect(prompts).toEqual({
    'code-quality.md': STAND_IN,
    'breaking-changes.md': 'Public names stay, or the change log says so.\n',
    'style.md': 'As the style guide says.\n',
    'src-controllers.md':
      '- Every route checks who is asking.\n- No query is built from "text".\n\n  Indented, and kept so.\n',
    'test-spec.ts.md': 'Tests fail when the code is wrong.\n',
    'src.md': 'Only the files themselves.\n',
    'docs.md': 'Say what the code does.\n',
    'everything.md': 'For everything.\n',
    'later.md': 'Not yet.\n',
  });
  expect(left).toMatchInlineSnapshot(`
    [
      ".coderabbit.yaml:1:1: it also reviews everything by built-in rules; our code-quality review replaces them",
      ".coderabbit.yaml:2:1: onceover has no setting like language, tone_instructions, early_access, reviews.profile, reviews.high_level_summary, reviews.poem, reviews.pre_merge_checks.docstrings, reviews.tools, chat",
      ".coderabbit.yaml:12:7: onceover cannot limit all reviews to "src/**" at once; change the path of each",
      ".coderabbit.yaml:34:9: Style only warns there; here its findings block ("fail_on" sets from which priority on)",
      ".coderabbit.yaml:37:9: later is not in use; its text is in .onceover/reviews/later.md, which no review uses",
    ]
  `);
});

test.each([
  ['', 'no instructions'],
  ['reviews:\n', 'nothing under reviews'],
  ['reviews: { path_instructions: [], path_filters: null }\n', 'empty lists'],
  ['# only a comment\n', 'a comment'],
])('imports one review of everything from %j: %s', async (text) => {
  const { settings } = await carry(text);
  expect(settings.gates.map(({ path, reviews }) => [path, Object.keys(reviews)])).toEqual([['.', ['code-quality']]]);
});

test('finds the other name of the file', async () => {
  const text = 'reviews: { path_instructions: [{ path: a/**, instructions: Look. }] }';
  const { settings, text: settingsText } = await carriedWell('coderabbit', { '.coderabbit.yml': text });
  expect(settings.gates.map(({ path }) => path)).toEqual(['.', 'a']);
  expect(settingsText).toContain('Imported from .coderabbit.yml.');
});

describe('paths', () => {
  test.each([
    ['src/**', 'src'],
    ['src/**/*', 'src'],
    ['./src/**', 'src'],
    ['/src/**', 'src'],
    ['src/app.ts', 'src/app.ts'],
    ['src/', 'src/'],
    ['**', '.'],
    ['**/*', '.'],
    ['*', '?*'],
    ['packages/*', 'packages/?*'],
    ['packages/*/src/**', 'packages/*/src/**'],
    ['**/*.ts', '**/*.ts'],
    ['src/[id]/**', 'src/[id]/**'],
    ['a {b,c}/*.ts', 'a {b,c}/*.ts'],
  ])('%s becomes %s', async (glob, path) => {
    const { settings } = await carry(
      JSON.stringify({ reviews: { path_instructions: [{ path: glob, instructions: 'x' }] } }),
    );
    expect(settings.gates.map((entry) => entry.path)).toContain(path);
  });

  test.each([
    ['src/+(a|b)/**', /has a group/],
    ['!(src)/**', /has a group/],
    ['!src/**', /starts with "!"/],
    ['../other/**', /leads out/],
    ['src/{a', /./],
  ])('keeps the text of %s, which has no counterpart, without a review', async (glob, why) => {
    const { settings, prompts, left } = await carry(
      JSON.stringify({ reviews: { path_instructions: [{ path: glob, instructions: 'Mind the gap.' }] } }),
    );
    expect(settings.gates).toHaveLength(1);
    expect(Object.values(prompts)).toContain('Mind the gap.\n');
    expect(left.filter((line) => line.includes(JSON.stringify(glob).slice(1, -1)))).toEqual([
      expect.stringMatching(why),
    ]);
    expect(left.join('\n')).toContain('add a review for it');
  });

  test('reports a filter without a counterpart once, not once per entry', async () => {
    const { left } = await carry(
      'reviews:\n  path_filters: ["!@(a|b)/**"]\n  path_instructions:\n    - { path: a/**, instructions: x }\n    - { path: b/**, instructions: y }\n',
    );
    expect(left.filter((line) => line.includes('@(a|b)'))).toEqual([
      expect.stringMatching(/^\.coderabbit\.yaml:2:18: .* has a group .*, so it is not excluded$/),
    ]);
  });
});

describe('names', () => {
  const names = async (...paths: readonly string[]) => {
    const list = paths.map((path, i) => ({ path, instructions: `Text ${i}.` }));
    const { prompts } = await carry(JSON.stringify({ reviews: { path_instructions: list } }));
    return Object.keys(prompts).slice(1);
  };

  test.each([
    [
      ['src/a/**', 'src-a/**'],
      ['src-a.md', 'src-a-2.md'],
    ],
    [
      ['SRC/**', 'src/**'],
      ['SRC.md', 'src-2.md'],
    ],
    [
      ['src/**', 'src/**'],
      ['src.md', 'src-2.md'],
    ],
    [['code-quality/**'], ['code-quality-2.md']],
    [['données/été/**'], ['donnees-ete.md']],
    [
      ['日本/**', '中文/**'],
      ['review.md', 'review-2.md'],
    ],
    [['../../etc/passwd'], ['etc-passwd.md']],
    [['.github/**'], ['github.md']],
    [
      ['**/*.d.ts', '**/.*rc', 'a..b/**'],
      ['d.ts.md', 'rc.md', 'a.b.md'],
    ],
    [
      ['__proto__/**', 'constructor/**'],
      ['proto.md', 'constructor.md'],
    ],
    [['a/'.repeat(100)], [`${'a-'.repeat(29)}a.md`]],
  ])('turns %j into %j', async (paths, fileNames) => {
    expect(await names(...paths)).toEqual(fileNames);
  });

  test('reuses a prompt with the same name and text, and leaves one with another text unchanged', async () => {
    const text =
      'reviews: { path_instructions: [{ path: a/**, instructions: One. }, { path: b/**, instructions: Two. }] }';
    const there = new Map([
      ['a', 'One.\n'],
      ['b', 'Mine.\n'],
      ['b-2', null],
    ]);
    const fresh = await carry(text, { prompts: there });
    expect(Object.keys(fresh.prompts)).toEqual(['code-quality.md', 'a.md', 'b-3.md']);
    // A prompt that the settings use was imported before, and the user may have edited it.
    const again = await carry(text, { prompts: there, inUse: new Set(['b']) });
    expect(Object.keys(again.prompts)).toEqual(['code-quality.md', 'a.md', 'b.md']);
  });
});

describe('broken files', () => {
  test.each([
    ['invalid YAML', 'reviews: [\n', [`${FILE}:2:1 syntax`]],
    ['a list', '- a\n', [`${FILE}:1:1 wrong-type`]],
    ['reviews that are not a map', 'reviews: yes please\n', [`${FILE}:1:10 wrong-type`]],
    ['a path that is missing', 'reviews:\n  path_instructions:\n    - instructions: x\n', [`${FILE}:3:7 missing-key`]],
    [
      'a path that is a number',
      'reviews:\n  path_instructions:\n    - { path: 5, instructions: x }\n',
      [`${FILE}:3:15 wrong-type`],
    ],
    ['instructions that are missing', 'reviews:\n  path_instructions:\n    - path: a\n', [`${FILE}:3:7 missing-key`]],
    ['filters that are a text', 'reviews:\n  path_filters: "!dist/**"\n', [`${FILE}:2:17 wrong-type`]],
    ['the same key twice', 'reviews: {}\nreviews: {}\n', [`${FILE}:2:1 syntax`]],
    ['a NUL', 'reviews:\n  path_instructions:\n    - { path: a, instructions: "x\\0" }\n', [`${FILE}:3:32 bad-value`]],
    [
      'half a character',
      'reviews:\n  path_instructions:\n    - { path: a, instructions: "\\ud800" }\n',
      [`${FILE}:3:32 bad-value`],
    ],
  ])('reports the position of %s', async (_title, text, problems) => {
    expect(await problemsOf('coderabbit', { [FILE]: text })).toEqual(problems);
  });

  test('reports empty instructions, and makes no review of them', async () => {
    const { settings, left } = await carry('reviews: { path_instructions: [{ path: a/**, instructions: "  " }] }');
    expect(settings.gates).toHaveLength(1);
    expect(left).toContain(`${FILE}:1:60: "a/**" has no text`);
  });
});
