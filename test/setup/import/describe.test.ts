import { expect, test } from 'vitest';
import type { RepoPath } from '../../../src/kernel/ids.ts';
import { describeNotImported, describeOtherTools } from '../../../src/setup/import/describe.ts';
import type { NotImportedKind } from '../../../src/setup/import/types.ts';

const prompt = '.onceover/reviews/a.md' as RepoPath;

const KINDS: {
  readonly [Kind in NotImportedKind['kind']]: readonly (readonly [Extract<NotImportedKind, { kind: Kind }>, RegExp])[];
} = {
  settings: [[{ kind: 'settings', keys: ['chat', 'a.b'] }, /onceover has no setting like chat, a\.b$/]],
  agent: [[{ kind: 'agent', name: 'cursor' }, /does not know the agent cursor; .* under "agent"$/]],
  model: [[{ kind: 'model', name: 'a', model: 'gpt-9' }, /a uses the model gpt-9; here .* under "agent"$/]],
  'own-text': [
    [
      { kind: 'own-text', name: 'a', standsIn: true },
      /the text of a is part of the tool .*; our code-quality review replaces it$/,
    ],
    [{ kind: 'own-text', name: 'a', standsIn: false }, /the text of a is part of the tool .*; write a prompt/],
    [{ kind: 'own-text', name: null, standsIn: true }, /by built-in rules; our code-quality review replaces them$/],
  ],
  skill: [[{ kind: 'skill', name: 'a', skill: 's' }, /uses the skill s, .*; write a prompt/]],
  'prompt-file': [
    [
      { kind: 'prompt-file', name: 'a', path: 'x.md', why: 'missing' },
      /the text of a is in x\.md, which does not exist$/,
    ],
  ],
  empty: [[{ kind: 'empty', name: 'a b' }, /"a b" has no text$/]],
  'not-in-use': [
    [{ kind: 'not-in-use', name: 'a', prompt: null }, /a is not in use$/],
    [
      { kind: 'not-in-use', name: 'a', prompt },
      /a is not in use; its text is in \.onceover\/reviews\/a\.md, which no review uses$/,
    ],
  ],
  'undefined-gate': [[{ kind: 'undefined-gate', name: 'a', gate: 'check' }, /there is no check a$/]],
  path: [
    [{ kind: 'path', path: 'x', said: 'is odd', prompts: [] }, /x is odd$/],
    [
      { kind: 'path', path: 'x', said: 'is odd', prompts: [prompt] },
      /x is odd; its text is in .*a\.md: add a review for it$/,
    ],
  ],
  exclude: [[{ kind: 'exclude', glob: 'x', said: 'is odd' }, /x is odd, so it is not excluded$/]],
  only: [[{ kind: 'only', glob: 'src/**' }, /limit all reviews to "src\/\*\*" .*; change the path of each$/]],
  'one-place': [
    [{ kind: 'one-place', name: 'a', where: 'ci' }, /a runs in CI only; here/],
    [{ kind: 'one-place', name: 'a', where: 'here' }, /a runs outside of CI only; here/],
  ],
  'warns-only': [[{ kind: 'warns-only', name: 'a' }, /a only warns there; .*"fail_on"/]],
  placeholder: [[{ kind: 'placeholder', name: 'a', placeholder: '{{X}}' }, /\{\{X\}\} in a is not replaced here$/]],
  tone: [[{ kind: 'tone' }, /add it to a prompt/]],
  'stop-hook': [[{ kind: 'stop-hook' }, /"onceover init --hook claude"$/]],
};

test.each(Object.values(KINDS).flat())('describes %j with its position, on one line', (what, said) => {
  const text = describeNotImported({ file: 'a b.yml', line: 2, column: 3, what });
  expect(text).toMatch(/^"a b\.yml":2:3: [^\n]+$/);
  expect(text).toMatch(said);
});

test('has one line per tool that is found', () => {
  expect(describeOtherTools(['gauntlet', 'coderabbit']).split('\n')).toEqual([
    expect.stringMatching(/^agent gauntlet is set up here: "onceover init --from gauntlet" /),
    expect.stringMatching(/^CodeRabbit is set up here: "onceover init --from coderabbit" /),
  ]);
});
