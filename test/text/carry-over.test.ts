import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { LeftOverKind } from '../../src/domain/carry-over.ts';
import { tellLeftOver, tellOthers } from '../../src/text/carry-over.ts';

const prompt = '.onceover/reviews/a.md' as RepoPath;

const KINDS: {
  readonly [Kind in LeftOverKind['kind']]: readonly (readonly [Extract<LeftOverKind, { kind: Kind }>, RegExp])[];
} = {
  settings: [[{ kind: 'settings', keys: ['chat', 'a.b'] }, /nothing here like chat, a\.b$/]],
  agent: [[{ kind: 'agent', name: 'cursor' }, /cursor is no agent that onceover knows; .* under "agent"$/]],
  model: [[{ kind: 'model', name: 'a', model: 'gpt-9' }, /a asks for the model gpt-9: here .* under "agent"$/]],
  'own-text': [
    [
      { kind: 'own-text', name: 'a', standsIn: true },
      /the text of a is the tool's own, .*; our code-quality review stands in/,
    ],
    [{ kind: 'own-text', name: 'a', standsIn: false }, /the text of a is the tool's own, .*; write a prompt/],
    [{ kind: 'own-text', name: null, standsIn: true }, /by rules of its own; our code-quality review stands in/],
  ],
  skill: [[{ kind: 'skill', name: 'a', skill: 's' }, /judged by the skill s, .*; write a prompt/]],
  'prompt-file': [
    [
      { kind: 'prompt-file', name: 'a', path: 'x.md', why: 'missing' },
      /the text of a is in x\.md, which does not exist$/,
    ],
  ],
  empty: [[{ kind: 'empty', name: 'a b' }, /"a b" says nothing$/]],
  'not-in-use': [
    [{ kind: 'not-in-use', name: 'a', prompt: null }, /a is not in use$/],
    [
      { kind: 'not-in-use', name: 'a', prompt },
      /a is not in use; its text is in \.onceover\/reviews\/a\.md, and no gate/,
    ],
  ],
  'undefined-gate': [[{ kind: 'undefined-gate', name: 'a', gate: 'check' }, /there is no check a$/]],
  path: [
    [{ kind: 'path', path: 'x', said: 'is odd', prompts: [] }, /x is odd$/],
    [
      { kind: 'path', path: 'x', said: 'is odd', prompts: [prompt] },
      /x is odd; the text is in .*a\.md: add a gate for it$/,
    ],
  ],
  exclude: [[{ kind: 'exclude', glob: 'x', said: 'is odd' }, /x is odd, so it is not left out$/]],
  only: [[{ kind: 'only', glob: 'src/**' }, /that only "src\/\*\*" is reviewed .*; narrow their paths$/]],
  'one-place': [
    [{ kind: 'one-place', name: 'a', where: 'ci' }, /a runs in CI only; here/],
    [{ kind: 'one-place', name: 'a', where: 'here' }, /a runs outside of CI only; here/],
  ],
  'warns-only': [[{ kind: 'warns-only', name: 'a' }, /a only warns there; .*"fail_on"/]],
  placeholder: [[{ kind: 'placeholder', name: 'a', placeholder: '{{X}}' }, /\{\{X\}\} in a is not filled in/]],
  tone: [[{ kind: 'tone' }, /add it to a prompt/]],
  'stop-hook': [[{ kind: 'stop-hook' }, /"onceover init --hook claude"$/]],
};

test.each(Object.values(KINDS).flat())('%j is told with its place, in one line', (what, said) => {
  const text = tellLeftOver({ file: 'a b.yml', line: 2, column: 3, what });
  expect(text).toMatch(/^"a b\.yml":2:3: [^\n]+$/);
  expect(text).toMatch(said);
});

test('a line for each tool that is found', () => {
  expect(tellOthers(['gauntlet', 'coderabbit']).split('\n')).toEqual([
    expect.stringMatching(/^agent gauntlet is set up here: "onceover init --from gauntlet" /),
    expect.stringMatching(/^CodeRabbit is set up here: "onceover init --from coderabbit" /),
  ]);
});
