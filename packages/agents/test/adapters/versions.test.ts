import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openVersions } from '../../src/adapters/installed.ts';

const HOUR = 60 * 60 * 1000;

/** A program, a clone's folder, and a version; every call of the program is counted. */
function setUp() {
  const folder = temporaryFolder();
  const program = join(folder, 'agent');
  writeFileSync(program, '#!/bin/sh\n');
  let calls = 0;
  let version: string | null = '1.2.3';
  return {
    folder,
    program,
    kept: join(folder, 'onceover/versions.json'),
    asked: () => calls,
    become(next: string | null) {
      version = next;
    },
    /** As a process of its own would, at an hour. */
    of: (hour = 0, path = program) =>
      openVersions(folder, () => 1e12 + hour * HOUR)(path, async () => {
        calls++;
        return version;
      }),
  };
}

describe('a version', () => {
  test('is asked for once, and known to the next process', async () => {
    const { of, asked } = setUp();
    expect([await of(), await of(), await of(1)]).toEqual(['1.2.3', '1.2.3', '1.2.3']);
    expect(asked()).toBe(1);
  });

  test.each<[string, (program: string) => void]>([
    ['is written to', (program) => writeFileSync(program, '#!/bin/sh\necho new\n')],
    [
      'is replaced by one of the same size and time',
      (program) => {
        const { atime, mtime } = statSync(program);
        rmSync(program);
        writeFileSync(program, '#!/bin/zz\n');
        utimesSync(program, atime, mtime);
      },
    ],
    ['is touched', (program) => utimesSync(program, 1, 1)],
  ])('is asked for again when the program %s', async (_, change) => {
    const { of, asked, become, program } = setUp();
    await of();
    await new Promise((resolve) => setTimeout(resolve, 20));
    change(program);
    become('2.0.0');
    expect([await of(), await of()]).toEqual(['2.0.0', '2.0.0']);
    expect(asked()).toBe(2);
  });

  test('belongs to the file behind a symlink: an update moves the link alone', async () => {
    const { of, asked, become, folder, program } = setUp();
    const link = join(folder, 'link');
    symlinkSync(program, link);
    await of(0, link);
    expect(await of()).toBe('1.2.3');
    expect(asked()).toBe(1);
    rmSync(link);
    writeFileSync(join(folder, 'agent-2'), '#!/bin/sh\n');
    symlinkSync(join(folder, 'agent-2'), link);
    become('2.0.0');
    expect([await of(0, link), await of()]).toEqual(['2.0.0', '1.2.3']);
    expect(asked()).toBe(2);
  });

  test.each([
    ['after a day', 24, 2],
    ['not before', 23.9, 1],
    ['when the entry is from the future', -1, 2],
  ])('is asked for again %s: a launcher may start another', async (_, hour, times) => {
    const { of, asked } = setUp();
    await of(0);
    await of(hour);
    expect(asked()).toBe(times);
  });

  test('that is missing is not cached, and requested once per process', async () => {
    const { folder, program, become, of, asked, kept } = setUp();
    become(null);
    expect(await of()).toBeNull();
    expect(existsSync(kept)).toBe(false);
    let times = 0;
    const versions = openVersions(folder);
    const ask = async () => {
      times++;
      return null;
    };
    expect(await Promise.all([versions(program, ask), versions(program, ask)])).toEqual([null, null]);
    await versions(program, ask);
    expect(times).toBe(1);
    become('1.2.3');
    expect(await of()).toBe('1.2.3');
    expect(asked()).toBe(2);
  });

  test('of a program that is gone is asked for each time', async () => {
    const { of, asked, program, kept } = setUp();
    rmSync(program);
    await of();
    await of();
    expect(asked()).toBe(2);
    expect(existsSync(kept)).toBe(false);
  });

  test('of several programs, asked for at once: each is kept', async () => {
    const { folder } = setUp();
    const names = Array.from({ length: 60 }, (_, n) => `agent-${n}`);
    for (const name of names) writeFileSync(join(folder, name), '');
    const askAll = () => {
      const versions = openVersions(folder);
      let calls = 0;
      const answers = names.map((name, n) =>
        versions(join(folder, name), async () => {
          calls++;
          return `1.0.${n}`;
        }),
      );
      return Promise.all(answers).then((versions) => ({ versions, asked: calls }));
    };
    const expectedVersions = names.map((_, n) => `1.0.${n}`);
    expect(await askAll()).toEqual({ versions: expectedVersions, asked: 60 });
    // No more than 50 are kept.
    expect(await askAll()).toEqual({ versions: expectedVersions, asked: 10 });
  });
});

describe('what is kept', () => {
  const entry = { size: 1, changed: 1, version: '9.9.9', at: 1e12 };

  test.each([
    ['is no JSON', '{'],
    ['is no list', '{}'],
    ['holds anything', '[1, null, [], {"path": 3}]'],
    ['has a version that is none', JSON.stringify([{ ...entry, path: 'PATH', version: '$(rm -rf)' }])],
    ['has no time', JSON.stringify([{ ...entry, path: 'PATH', at: 'now' }])],
  ])('and %s says nothing', async (_, text) => {
    const { of, asked, folder, kept, program } = setUp();
    mkdirSync(join(folder, 'onceover'));
    const { size, ctimeMs } = statSync(program);
    const content = text.replaceAll('"PATH"', JSON.stringify(program)).replaceAll('"size":1,"changed":1', () => {
      return `"size":${size},"changed":${ctimeMs}`;
    });
    writeFileSync(kept, content);
    expect([await of(), await of()]).toEqual(['1.2.3', '1.2.3']);
    expect(asked()).toBe(1);
  });

  test('and is whole counts, as the table above needs it to', async () => {
    const { of, asked, folder, kept, program } = setUp();
    mkdirSync(join(folder, 'onceover'));
    const { size, ctimeMs } = statSync(program);
    writeFileSync(kept, JSON.stringify([{ ...entry, path: program, size, changed: ctimeMs }]));
    expect(await of()).toBe('9.9.9');
    expect(asked()).toBe(0);
  });

  test("whatever the cache file contains, the version is the program's own", async () => {
    const { of, folder, kept } = setUp();
    mkdirSync(join(folder, 'onceover'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (text) => {
        writeFileSync(kept, text);
        expect(await of()).toBe('1.2.3');
      }),
      { numRuns: 50 },
    );
  });

  test.each<[string, (folder: string, kept: string) => void]>([
    ['a symlink', (folder, path) => symlinkSync(join(folder, 'elsewhere'), path)],
    ['a symlink to something endless', (_, path) => symlinkSync('/dev/zero', path)],
    ['a pipe', (_, path) => execFileSync('mkfifo', [path])],
    ['a folder', (_, path) => mkdirSync(path)],
  ])('is not read and not written where %s is in its place', async (_, putObstacle) => {
    const { of, asked, folder, kept } = setUp();
    mkdirSync(join(folder, 'onceover'));
    putObstacle(folder, kept);
    expect([await of(), await of()]).toEqual(['1.2.3', '1.2.3']);
    expect(asked()).toBe(2);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  test('and cannot be written costs time and nothing else', async () => {
    const { of, folder } = setUp();
    writeFileSync(join(folder, 'onceover'), '');
    expect(await of()).toBe('1.2.3');
  });

  test('is one entry a program', async () => {
    const { of, kept, program, become } = setUp();
    await of();
    chmodSync(program, 0o755);
    become('2.0.0');
    await of();
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual([
      expect.objectContaining({ path: program, version: '2.0.0' }),
    ]);
  });
});
