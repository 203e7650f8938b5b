import { expect, test } from 'vitest';
import { requirements } from './requirements.ts';

test('every requirement has a unique id, in the form of its text', () => {
  const ids = requirements.map((one) => one.id);
  expect(new Set(ids).size).toBe(ids.length);
  const form =
    /^(?:(?:REVIEW-REQ-009|JOBS-REQ-004)\.\d+\.\d+[a-z]?|(?:RUN-SLOTS|REUSE-[A-Za-z0-9.-]+)(?:\/[A-Za-z0-9.-]+)*)$/;
  expect(ids.filter((id) => !form.test(id))).toEqual([]);
});

test('every requirement that does not apply has a reason', () => {
  for (const one of requirements) if (one.state === 'n/a') expect(one.reason.length, one.id).toBeGreaterThan(10);
});
