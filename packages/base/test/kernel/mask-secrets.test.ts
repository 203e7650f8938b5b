import { expect, test } from 'vitest';
import { MASKED, maskDocument, maskSecrets } from '../../src/kernel/mask-secrets.ts';

const many = (letter: string, length: number) => letter.repeat(length);

// Each secret is put together here, so that no scanner takes this file for a leak.
test.each([
  ['an AWS key', `AKIA${many('A', 16)}`],
  ['a GitHub token', `ghp_${many('a', 36)}`],
  ['a fine-grained GitHub token', `github_pat_${many('b', 40)}`],
  ['a GitLab token', `glpat-${many('c', 20)}`],
  ['an npm token', `npm_${many('d', 36)}`],
  ['a Slack token', `xoxb-${many('1', 12)}-${many('e', 12)}`],
  ['an Anthropic key', `sk-ant-api03-${many('f', 40)}`],
  ['an OpenAI key', `sk-proj-${many('g', 40)}`],
  ['a Google key', `AIza${many('h', 35)}`],
  ['a JSON web token', `eyJ${many('i', 12)}.eyJ${many('j', 12)}.${many('k', 20)}`],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${many('l', 64)}\n-----END RSA PRIVATE KEY-----`],
  ['a private key without its end', `-----BEGIN PRIVATE KEY-----\n${many('m', 64)}`],
])('masks %s', (_title, secret) => {
  expect(maskSecrets(`before ${secret} after`)).not.toContain(secret);
  expect(maskSecrets(`before ${secret}`)).toBe(`before ${MASKED}`);
});

test.each([
  ['password = "hunter2hunter2"', `password = ${MASKED}`],
  ["api_key: 'abcdefgh'", `api_key: ${MASKED}`],
  ['"client_secret": "abc123def456"', `"client_secret": ${MASKED}`],
  ['DB_PASSWORD=s3cretvalue99', `DB_PASSWORD=${MASKED}`],
  ['Authorization: Bearer abcdef123456', `Authorization: Bearer ${MASKED}`],
  ['postgres://user:pa55word@db/x', `postgres://user:${MASKED}@db/x`],
])('keeps the name of %s', (text, maskedText) => {
  expect(maskSecrets(text)).toBe(maskedText);
});

test.each([
  'const token = readToken();',
  'password: string;',
  'if (secret === undefined) return;',
  'sha256: 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
  'https://example.invalid/a:b',
  'the token count is 12345',
])('leaves %j as it is', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test('masks every text of a document, and no key', () => {
  const secret = `ghp_${many('a', 36)}`;
  expect(maskDocument({ [secret]: [secret, 1, null, { a: `x ${secret}` }] })).toEqual({
    [secret]: [MASKED, 1, null, { a: `x ${MASKED}` }],
  });
});
