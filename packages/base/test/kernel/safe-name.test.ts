import { expect, test } from 'vitest';
import { safeName } from '../../src/kernel/paths.ts';

test.each([
  ['review:src:code-quality', 'review_src_code-quality'],
  ['A.b_c-9', 'A.b_c-9'],
  ['a b/c@1', 'a_b_c_1'],
  ['ä😀', '__'],
  ['', ''],
])('%s is %s', (text, name) => {
  expect(safeName(text)).toBe(name);
});
