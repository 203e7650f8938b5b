import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditSecret } from '../src/audit-secret.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onceover-secret-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const file = () => join(folder, 'onceover/audit-secret');

function secretOf(env: NodeJS.ProcessEnv = {}): string {
  const secret = auditSecret(folder, env);
  return secret.ok ? Buffer.from(secret.value).toString('hex') : secret.failure.kind;
}

describe('auditSecret', () => {
  test('makes a random secret once, which only the user can read', () => {
    const secret = secretOf();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(secretOf()).toBe(secret);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    rmSync(file());
    expect(secretOf()).not.toBe(secret);
  });

  test('uses the secret in the environment, and writes no file', () => {
    const secret = 'a long secret of the CI';
    expect(secretOf({ ONCEOVER_AUDIT_SECRET: secret })).toBe(Buffer.from(secret).toString('hex'));
    expect(() => statSync(file())).toThrow('ENOENT');
  });

  test('refuses a secret that can be guessed', () => {
    expect(secretOf({ ONCEOVER_AUDIT_SECRET: 'password' })).toBe('short-audit-secret');
  });

  test.each<[string, NodeJS.ProcessEnv]>([
    ['without a secret', { CI: 'true' }],
    ['with an empty secret, as forks get it', { CI: '1', ONCEOVER_AUDIT_SECRET: '' }],
    ['for a pull request', { GITHUB_EVENT_NAME: 'pull_request' }],
  ])('fails in a CI job %s', (_title, env) => {
    expect(secretOf(env)).toBe('no-audit-secret');
    expect(() => statSync(file())).toThrow('ENOENT');
  });

  test.each(['', 'false'])('CI=%s is no CI job', (CI) => {
    expect(secretOf({ CI })).toMatch(/^[0-9a-f]{64}$/);
  });

  test('an empty variable is no secret', () => {
    expect(secretOf({ ONCEOVER_AUDIT_SECRET: '' })).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each(['', 'abc\n', `${'0'.repeat(64)}`, `${'z'.repeat(64)}\n`])('replaces the damaged file %j', (text) => {
    mkdirSync(join(folder, 'onceover'));
    writeFileSync(file(), text);
    const secret = secretOf();
    expect(readFileSync(file(), 'utf8')).toBe(`${secret}\n`);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('does not follow a symlink', () => {
    mkdirSync(join(folder, 'onceover'));
    writeFileSync(join(folder, 'known'), `${'0'.repeat(64)}\n`);
    symlinkSync('../known', file());
    expect(secretOf()).toBe('disk');
  });

  test('fails if the folder is a file', () => {
    writeFileSync(join(folder, 'onceover'), '');
    expect(secretOf()).toBe('path-in-the-way');
  });

  test('leaves no temporary file behind', () => {
    secretOf();
    expect(spawnSync('ls', ['-A', join(folder, 'onceover')], { encoding: 'utf8' }).stdout).toBe('audit-secret\n');
  });
});
