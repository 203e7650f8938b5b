import { expect, test } from 'vitest';
import { qualityTimeoutSeconds } from '../../../src/workflows/quality/tasks.ts';

test.each([
  [0, 240],
  [1, 240],
  [4, 240],
  [5, 240],
])('is the base time up to 5 files: %i files, %i seconds [JOBS-REQ-004.8.1] [JOBS-REQ-004.8.2]', (files, seconds) => {
  expect(qualityTimeoutSeconds(files)).toBe(seconds);
});

test.each([
  [6, 270],
  [7, 300],
  [10, 390],
  [50, 1590],
])('adds 30 seconds per further file: %i files, %i seconds [JOBS-REQ-004.8.3]', (files, seconds) => {
  expect(qualityTimeoutSeconds(files)).toBe(seconds);
});
