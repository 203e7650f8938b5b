import { describe, expect, test } from 'vitest';
import { isRemoteName, openGitCarrier } from '../src/git-carrier.ts';

describe('the name of a remote', () => {
  test.each(['origin', 'up-stream', 'a/b', 'fork.2', '0'])('%s is usable', (name) => {
    expect(isRemoteName(name)).toBe(true);
  });

  test.each([
    '',
    '-u',
    '--upload-pack=x',
    'ext::sh -c x',
    'https://example.com/x',
    'git@example.com:x',
    '/srv/x.git',
    './x',
    '../x',
    'a..b',
    'a//b',
    'a/',
    'a.',
    'a/.b',
    'x.lock',
    'x.lock/y',
    'a b',
    'a\nb',
    'ориджин',
    'x'.repeat(101),
  ])('%j is refused', (name) => {
    expect(isRemoteName(name)).toBe(false);
    expect(openGitCarrier({ root: '/', commonDir: '/' }, name)).toMatchObject({
      ok: false,
      failure: { kind: 'passes-carrier', why: 'not-a-remote' },
    });
  });
});
