import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeScratch } from '../../src/platform/scratch.ts';

describe('a scratch folder', () => {
  test('is private, holds files, and can be removed', () => {
    const base = temporaryFolder();
    const scratch = makeScratch(base);
    const path = scratch.put('prompt.md', 'ä');
    expect(dirname(path)).toBe(scratch.folder);
    expect(dirname(scratch.folder)).toBe(base);
    expect([statSync(scratch.folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    scratch.remove();
    expect(readdirSync(base)).toEqual([]);
    scratch.remove();
  });

  test('is removed when the process ends, and leaves no exit listener after its removal', () => {
    const base = temporaryFolder();
    const otherListeners = process.listeners('exit');
    const ownListeners = () => process.listeners('exit').filter((listener) => !otherListeners.includes(listener));
    const [first, second] = [makeScratch(base), makeScratch(base)];
    first.put('a', '');
    expect(ownListeners()).toHaveLength(1);
    for (const atExit of ownListeners()) atExit.call(process, 0);
    expect(readdirSync(base)).toEqual([]);
    first.remove();
    second.remove();
    expect(ownListeners()).toEqual([]);
  });
});

describe('the folder of a killed process', () => {
  /** Makes a base with one folder per name, with the given age in hours. */
  function baseWith(ages: Readonly<Record<string, number>>): string {
    const base = temporaryFolder();
    for (const [name, hours] of Object.entries(ages)) {
      mkdirSync(join(base, name, 'copy'), { recursive: true });
      writeFileSync(join(base, name, 'copy/a.txt'), '');
      const then = Date.now() / 1000 - hours * 3600;
      utimesSync(join(base, name), then, then);
    }
    return base;
  }

  test('is removed after a day; younger folders and similar names stay', () => {
    const base = baseWith({
      'onceover-aB3dE6': 25,
      'onceover-aaaaaa': 23,
      'onceover-test-aB3dE6': 48,
      'onceover-': 48,
      'onceover-aB3dE67': 48,
      other: 48,
    });
    const scratch = makeScratch(base);
    const names = readdirSync(base).filter((name) => name !== basename(scratch.folder));
    expect(names.sort()).toEqual(['onceover-', 'onceover-aB3dE67', 'onceover-aaaaaa', 'onceover-test-aB3dE6', 'other']);
    scratch.remove();
  });

  test('is not removed through a symlink, and a file with its name stays', () => {
    const base = temporaryFolder();
    const precious = temporaryFolder();
    writeFileSync(join(precious, 'keep.txt'), '');
    symlinkSync(precious, join(base, 'onceover-aB3dE6'));
    writeFileSync(join(base, 'onceover-bbbbbb'), '');
    const longAgo = Date.now() / 1000 - 48 * 3600;
    utimesSync(precious, longAgo, longAgo);
    utimesSync(join(base, 'onceover-bbbbbb'), longAgo, longAgo);
    makeScratch(base).remove();
    expect(existsSync(join(precious, 'keep.txt'))).toBe(true);
    expect(lstatSync(join(base, 'onceover-aB3dE6')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(base, 'onceover-bbbbbb'))).toBe(true);
  });

  test('is removed with a symlink inside, but not the target of the symlink', () => {
    const base = baseWith({ 'onceover-aB3dE6': 0 });
    const precious = temporaryFolder();
    writeFileSync(join(precious, 'keep.txt'), '');
    symlinkSync(precious, join(base, 'onceover-aB3dE6/link'));
    utimesSync(join(base, 'onceover-aB3dE6'), 1, 1);
    makeScratch(base).remove();
    expect(readdirSync(base)).toEqual([]);
    expect(existsSync(join(precious, 'keep.txt'))).toBe(true);
  });

  test('stays if this process still uses it', () => {
    const base = temporaryFolder();
    const old = makeScratch(base);
    utimesSync(old.folder, 1, 1);
    makeScratch(base).remove();
    expect(existsSync(old.folder)).toBe(true);
    old.remove();
  });
});

describe('the default folder', () => {
  const before = { ...process.env };
  beforeEach(() => {
    process.env['HOME'] = temporaryFolder();
    process.env['TMPDIR'] = temporaryFolder();
  });
  afterEach(() => {
    for (const name of ['HOME', 'TMPDIR', 'XDG_CACHE_HOME']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  /** Returns the folder of a new scratch folder with this cache folder. */
  function madeIn(cache: string | null): string {
    if (cache === null) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = cache;
    const scratch = makeScratch();
    scratch.remove();
    return dirname(scratch.folder);
  }

  test('is in the cache folder of the environment', () => {
    const cache = temporaryFolder();
    expect(madeIn(cache)).toBe(join(cache, 'onceover'));
    expect(statSync(join(cache, 'onceover')).mode & 0o777).toBe(0o700);
  });

  test.each([['none'], [''], ['relative/cache']])('is in ~/.cache if the environment names %j', (cache) => {
    expect(madeIn(cache === 'none' ? null : cache)).toBe(join(process.env['HOME'] ?? '', '.cache/onceover'));
    expect(existsSync('relative')).toBe(false);
  });

  test('is the temporary folder if the cache folder cannot be used', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(madeIn(file)).toBe(process.env['TMPDIR']);
  });
});
