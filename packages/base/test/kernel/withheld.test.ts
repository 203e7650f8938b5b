import { describe, expect, test } from 'vitest';
import { LARGEST_UNTRACKED_BYTES, looksSecret } from '../../src/kernel/repository.ts';

describe('files that look like secrets', () => {
  test.each([
    '.env',
    '.env.local',
    '.env.production.local',
    '.ENV',
    '.envrc',
    'prod.env',
    'deep/in/here/.env',
    'id_rsa',
    'id_ed25519',
    'id_ecdsa_sk',
    '.ssh/id_dsa',
    'server.pem',
    'server.KEY',
    'store.p12',
    'store.pfx',
    'AuthKey_ABC.p8',
    'release.jks',
    'release.keystore',
    'vault.kdbx',
    'putty.ppk',
    'private.asc',
    '.npmrc',
    '.pypirc',
    '.netrc',
    '_netrc',
    '.pgpass',
    '.htpasswd',
    '.git-credentials',
    '.dockercfg',
    '.aws/credentials',
    'credentials.json',
    'secrets.yaml',
    'secret.yml',
    'token.txt',
    'tokens',
    'service-account.json',
    'service_account_prod.json',
    'serviceaccount',
    'client_secret.json',
    'api-token.txt',
    'my.credentials.toml',
  ])('%s', (path) => {
    expect(looksSecret(path)).toBe(true);
  });

  test.each([
    'src/a.ts',
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.dist',
    '.env.defaults',
    'secrets.yml.example',
    'id_rsa.pub',
    'environment.ts',
    'env.ts',
    'src/env/index.ts',
    '.env/readme.md',
    'tokens.ts',
    'token.py',
    'secrets.md',
    'secretary.json',
    'tokenizer.json',
    'keyboard.ts',
    'key',
    'monkey.ts',
    'credentials.test.ts',
    'my_npmrc',
  ])('not %s', (path) => {
    expect(looksSecret(path)).toBe(false);
  });

  describe.each(['.env-local', '.env_production', '.env~', '.env1'])('%s', (path) => {
    test('is one', () => {
      expect(looksSecret(path)).toBe(true);
    });
  });
});

test('untracked files over 5 MB are not sent', () => {
  expect(LARGEST_UNTRACKED_BYTES).toBe(5_242_880);
});
