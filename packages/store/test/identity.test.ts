import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseRemote, normaliseRemote, repositoryIdentity } from '../src/decide-identity.ts';

describe('normaliseRemote', () => {
  test.each([
    ['https://github.com/acme/shop.git', 'github.com/acme/shop'],
    ['https://github.com/acme/shop', 'github.com/acme/shop'],
    ['https://github.com/acme/shop/', 'github.com/acme/shop'],
    ['https://GitHub.com/acme/shop', 'github.com/acme/shop'],
    ['https://user:secret@github.com/acme/shop.git', 'github.com/acme/shop'],
    ['https://github.com:443/acme/shop.git', 'github.com/acme/shop'],
    ['http://github.com:80/acme/shop.git', 'github.com/acme/shop'],
    ['git@github.com:acme/shop.git', 'github.com/acme/shop'],
    ['github.com:acme/shop', 'github.com/acme/shop'],
    ['ssh://git@github.com/acme/shop.git', 'github.com/acme/shop'],
    ['ssh://git@github.com:22/acme/shop.git', 'github.com/acme/shop'],
    ['git+ssh://git@github.com/acme/shop.git', 'github.com/acme/shop'],
    ['git://github.com/acme/shop.git', 'github.com/acme/shop'],
    ['https://git.example.com:8443/acme/shop.git?x=1#y', 'git.example.com:8443/acme/shop'],
    ['ssh://git@[::1]:2222/acme/shop.git', '[::1]:2222/acme/shop'],
    ['git@[::1]:acme/shop.git', '[::1]/acme/shop'],
    ['/srv/git/shop.git', 'file:/srv/git/shop'],
    ['file:///srv/git/shop.git/', 'file:/srv/git/shop'],
    ['../shop', 'file:../shop'],
    ['C:/work/shop', 'file:C:/work/shop'],
    ['https://github.com/acme/.git', 'github.com/acme/.git'],
    ['', 'file:'],
  ])('%s is %s', (address, identity) => {
    expect(normaliseRemote(address)).toBe(identity);
  });

  test('the case of a path stays, because some servers distinguish it', () => {
    expect(normaliseRemote('https://git.example.com/Acme/Shop')).not.toBe(
      normaliseRemote('https://git.example.com/acme/shop'),
    );
  });

  test('any text has an identity, and no user or password of an address is in it', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[a-z0-9]{12,20}$/), (text, secret) => {
        expect(typeof normaliseRemote(text)).toBe('string');
        expect(normaliseRemote(`https://u:${secret}@host.example.com/a/b`)).not.toContain(secret);
      }),
    );
  });
});

describe('repositoryIdentity', () => {
  const ROOT = 'a'.repeat(40);

  test('clones over SSH and HTTPS have one identity, with one SHA-256', () => {
    const identity = repositoryIdentity('git@github.com:acme/shop.git', ROOT);
    expect(identity).toEqual(repositoryIdentity('https://github.com/acme/shop', ROOT));
    expect(identity).toMatchObject({ remote: 'github.com/acme/shop', root: ROOT });
    expect(identity.identity).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['another remote, such as a fork', 'https://github.com/fork/shop', ROOT],
    ['another first commit', 'https://github.com/acme/shop', 'b'.repeat(40)],
    ['no remote', null, ROOT],
    ['no commit', 'https://github.com/acme/shop', null],
  ])('%s is another repository', (_title, remote, root) => {
    const identity = repositoryIdentity('https://github.com/acme/shop', ROOT);
    expect(repositoryIdentity(remote, root).identity).not.toBe(identity.identity);
  });
});

test.each([
  ['origin', { upstream: 'u', origin: 'o', a: 'x' }, 'o'],
  ['the first by name without origin', { upstream: 'u', fork: 'f' }, 'f'],
  ['none', {}, null],
])('chooseRemote returns %s', (_title, remotes, address) => {
  expect(chooseRemote(new Map(Object.entries(remotes)))).toBe(address);
});
