import { rule } from '@onceover/testing/rules.ts';
import { expect, test } from 'vitest';
import { fileRubric, ruleRubric } from '../../../src/run/decide/gate-list.ts';

test('the rubric of a prompt file has its path, its text and a digest of the text', () => {
  expect(fileRubric('.onceover/reviews/a.md', 'Look.\n')).toEqual({
    source: '.onceover/reviews/a.md',
    text: 'Look.\n',
    digest: 'f91d30cbde8839c4b7c39807cc35f1fb381331bf4b6515a66974d9546461a3cb',
  });
});

test.each([
  ['another text', 'b.md', 'Look closely.', false],
  ['another line break', 'a.md', 'Look.', false],
  ['another path', 'b.md', 'Look.\n', true],
])('the digest depends only on the text: %s', (_title, source, text, same) => {
  expect(fileRubric(source, text).digest === fileRubric('a.md', 'Look.\n').digest).toBe(same);
});

test("a rule's rubric has its instructions, and the line that defines it", () => {
  const given = rule({ folder: 'sub', line: 7, instructions: 'Be kind.' });
  expect(ruleRubric(given)).toEqual(fileRubric('sub/.deepreview:7', 'Be kind.'));
  expect(ruleRubric(rule({ name: 'other', instructions: 'Be kind.' })).digest).toBe(ruleRubric(given).digest);
});
