import type { ResumeResult } from '../domain/capability.ts';

const passed = (agent: string, version: string): ResumeResult => ({
  agent,
  version,
  failed: null,
  freshMs: null,
  resumedMs: null,
});

/** Which versions were found to pass V1 to V4; `npm run test:agents` finds the same, or fails. */
export const TESTED: readonly ResumeResult[] = [
  passed('claude', '2.1.325'),
  passed('codex', '0.166.0'),
  passed('opencode', '1.18.33'),
  {
    agent: 'gemini',
    version: '0.61.0',
    failed: { test: 'V2', how: 'it sends the results of its tools twice when it is resumed' },
    freshMs: null,
    resumedMs: null,
  },
];
