import type { Priority } from '@onceover/repo/config/settings';
import { expect, test } from 'vitest';
import { isBelow, moreSevere } from '../../src/findings/priority.ts';

const RISING: readonly Priority[] = ['low', 'medium', 'high', 'critical'];
const pairs = RISING.flatMap((a, i) => RISING.map((b, j) => ({ a, b, i, j })));

test.each(pairs)('$a beside $b', ({ a, b, i, j }) => {
  expect(isBelow(a, b)).toBe(i < j);
  expect(moreSevere(a, b)).toBe(RISING[Math.max(i, j)]);
});
