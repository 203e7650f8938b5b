import { afterEach, expect, test, vi } from 'vitest';
import { printFailure } from '../../src/cli/output.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const TROUBLE = {
  what: '/home/any-user/a-folder is not in a git repository, so there is no change to review.',
  next: 'Run onceover inside a repository, or begin with "onceover init".',
};

/** The output on a terminal of this width; null: it is not a terminal. */
function printedFailure(columns: number | null): string {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((part) => {
    text += String(part);
    return true;
  });
  const before = { isTTY: process.stderr.isTTY, columns: process.stderr.columns };
  Object.assign(process.stderr, { isTTY: columns !== null, columns: columns ?? undefined });
  try {
    printFailure(TROUBLE);
  } finally {
    Object.assign(process.stderr, before);
  }
  return text;
}

test('what went wrong is broken between words on a terminal, and nowhere else', () => {
  vi.stubEnv('npm_lifecycle_event', '');
  expect(printedFailure(60)).toBe(`onceover: /home/any-user/a-folder is not in a git
repository, so there is no change to review.
Run onceover inside a repository, or begin with "onceover
init".
`);
  expect(printedFailure(null)).toBe(`onceover: ${TROUBLE.what}\n${TROUBLE.next}\n`);
});

test('commands are shown as the user has to type them', () => {
  vi.stubEnv('npm_lifecycle_event', 'npx');
  expect(printedFailure(null)).toContain('begin with "npx onceover init".');
  vi.stubEnv('npm_lifecycle_event', 'test');
  expect(printedFailure(null)).toContain('begin with "onceover init".');
});
