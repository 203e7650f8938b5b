import type { Setup } from './setup.ts';

/** A setup with defaults: one reviewer per review, every priority blocks. */
export const SETUP: Setup = {
  unchangedGates: 'run',
  afterPass: 'latch',
  certify: false,
  maxRetries: 3,
  failOn: 'low',
  rerunNewIssueThreshold: 'low',
  concurrency: 1,
  budget: null,
  diffLimit: 400_000,
  counts: [1, 1, 1, 1],
  prompts: [0, 0, 0, 0],
  hasSecurity: false,
};
