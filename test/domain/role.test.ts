import { expect, test } from 'vitest';
import { modelFor } from '../../src/domain/role.ts';

test.each([
  ['nobody names one', {}, null, {}, null],
  ['the built-in text does', {}, null, { claude: 'opus' }, 'opus'],
  ['the settings win over it', {}, 'sonnet', { claude: 'opus' }, 'sonnet'],
  ["the user's own text of the role wins over both", { claude: 'haiku' }, 'sonnet', { claude: 'opus' }, 'haiku'],
  ["another agent's model is none of this one's", { codex: 'x' }, null, { gemini: 'y' }, null],
] as const)('the model: %s', (_title, models, set, usualModels, expected) => {
  expect(modelFor({ models, usualModels }, 'claude', set)).toBe(expected);
});
