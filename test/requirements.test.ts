import { expect, test } from 'vitest';
import { requirements } from './requirements.ts';

test('every requirement has an id of its own, in the form of its text', () => {
  const ids = requirements.map((one) => one.id);
  expect(new Set(ids).size).toBe(ids.length);
  const form =
    /^(?:(?:REVIEW-REQ-009|JOBS-REQ-004)\.\d+\.\d+[a-z]?|(?:RUN-SLOTS|REUSE-[A-Za-z0-9.-]+)(?:\/[A-Za-z0-9.-]+)*)$/;
  expect(ids.filter((id) => !form.test(id))).toEqual([]);
});

test('what is not applicable has a reason', () => {
  for (const one of requirements) if (one.state === 'n/a') expect(one.reason.length, one.id).toBeGreaterThan(10);
});
