import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openProgressWriter, readProgress } from '../../src/progress/progress-file.ts';
import { sharedReporter } from '../../src/progress/share.ts';
import type { Event } from '../../src/progress/state.ts';

const STARTED: Event = { kind: 'iteration-started', iteration: 3, checks: 1, slots: 2 };
const SLOT = { gate: 'review:src:x', slot: 1, agent: 'one' };
const BEGUN = { kind: 'slot-started', ...SLOT, dispatch: { kind: 'fresh', why: 'first-look' } } as unknown as Event;

function place() {
  const root = temporaryFolder();
  mkdirSync(join(root, '.git'));
  return { root, commonDir: join(root, '.git') };
}

const holder = { pid: process.pid, since: '2026-01-01T00:00:00.000Z' };

test('another process reads who works on what', () => {
  const at = place();
  const writer = openProgressWriter(at);
  writer.tell(STARTED);
  expect(readProgress(at, holder)).toMatchObject({ title: 'Run 3', steps: 3, ended: 0, working: [] });
  openProgressWriter(at).tell(BEGUN);
  expect(readProgress(at, holder)).toMatchObject({
    lines: ['review:src:x, reviewer 1 (one): started (new session)'],
    working: [{ name: 'review:src:x, reviewer 1', agent: 'one', dispatch: 'fresh', doing: null }],
  });
});

test.each([
  ['another process holds the lock', { ...holder, pid: process.pid + 1 }],
  ['the lock was taken later', { ...holder, since: '9999-01-01T00:00:00.000Z' }],
])('an old file does not count: %s', (_, later) => {
  const at = place();
  openProgressWriter(at).tell(STARTED);
  expect(readProgress(at, later)).toBeNull();
});

test.each(['', '[]', '{"pid":1}', '{"pid":"x","working":[{}]}'])('a damaged file is no progress: %j', (text) => {
  const at = place();
  openProgressWriter(at).tell(STARTED);
  const folder = join(at.commonDir, 'onceover/progress');
  const [name = ''] = readdirSync(folder);
  writeFileSync(join(folder, name), text);
  expect(readProgress(at, holder)).toBeNull();
});

test('a shared reporter passes every event on, and writes nothing before the first one', async () => {
  const at = place();
  const heard: Event[] = [];
  const reporter = sharedReporter<Event>({ ...at } as never, { tell: (event) => heard.push(event) });
  expect(readProgress(at, holder)).toBeNull();
  reporter.tell(STARTED);
  reporter.tell(BEGUN);
  expect(heard).toEqual([STARTED, BEGUN]);
  await expect.poll(() => readProgress(at, holder)?.lines.length).toBe(2);
});
