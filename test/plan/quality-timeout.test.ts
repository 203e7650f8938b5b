import { expect, test } from 'vitest';
import { qualityTimeoutSeconds } from '../../src/plan/quality-timeout.ts';

test.each([
  [0, 240],
  [1, 240],
  [4, 240],
  [5, 240],
])('up to 5 files it is the base: %i files, %i seconds [JOBS-REQ-004.8.1] [JOBS-REQ-004.8.2]', (files, seconds) => {
  expect(qualityTimeoutSeconds(files)).toBe(seconds);
});

test.each([
  [6, 270],
  [7, 300],
  [10, 390],
  [50, 1590],
])('each further file adds 30 seconds: %i files, %i seconds [JOBS-REQ-004.8.3]', (files, seconds) => {
  expect(qualityTimeoutSeconds(files)).toBe(seconds);
});
