import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { InstructionsDocument } from '@onceover/gates/rules/json';
import { onceoverJson } from '@onceover/testing/cli.ts';
import { repoWith, ruleText } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

test('a file of 2 GiB is hashed whole', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check') });
  repo.write('big.py', '');
  truncateSync(join(repo.root, 'big.py'), 2 ** 31);
  const { tasks } = await onceoverJson<InstructionsDocument>(repo.root, ['instructions'], { timeoutMs: 100_000 });
  expect(tasks.map((task) => task.review_id)).toEqual(['check--big.py--a7c744c13cc1']);
}, 120_000);
