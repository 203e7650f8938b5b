import { expect, test } from 'vitest';
import { modelFor } from '../../../src/phases/roles/types.ts';

test.each([
  ['no model is named', {}, null, {}, null],
  ['the built-in text names one', {}, null, { claude: 'opus' }, 'opus'],
  ['the settings override it', {}, 'sonnet', { claude: 'opus' }, 'sonnet'],
  ["the user's own role file overrides both", { claude: 'haiku' }, 'sonnet', { claude: 'opus' }, 'haiku'],
  ['a model of another agent does not apply', { codex: 'x' }, null, { gemini: 'y' }, null],
] as const)('the model: %s', (_title, models, set, usualModels, expected) => {
  expect(modelFor({ models, usualModels }, 'claude', set)).toBe(expected);
});
