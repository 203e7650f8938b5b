import { onceoverJson } from '@onceover/testing/cli.ts';
import { repoWith, ruleText } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { InstructionsDocument, PassDocument } from '../../../src/rules/json.ts';

test('knows each of very many reviews when it is passed', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check') });
  for (let i = 0; i < 2050; i++) repo.write(`f${i}.py`, `${i}`);
  const ids = (await onceoverJson<InstructionsDocument>(repo.root, ['instructions'])).tasks.map(
    (task) => task.review_id,
  );
  expect(ids).toHaveLength(2050);
  const marked = await onceoverJson<PassDocument>(repo.root, ['pass', ids[0] ?? '']);
  expect(marked.instructions_known).toBe(true);
});
