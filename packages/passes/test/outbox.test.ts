import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { err } from '@onceover/base/kernel/result';
import { memoryPassStore } from '@onceover/testing/memory/pass-carrier.ts';
import { okValue, storedSample } from '@onceover/testing/pass-clones.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openOutbox, pushWithOutbox } from '../src/outbox.ts';
import type { PassCarrier } from '../src/types.ts';

const [one, two] = [storedSample('one'), storedSample('two')];
const offline = (carrier: PassCarrier): PassCarrier => ({
  ...carrier,
  push: async () => err({ kind: 'passes-carrier', where: 'origin', why: 'unreachable', said: '' }),
});

describe('the outbox', () => {
  test('keeps files that could not be pushed, and the next push takes them along', async () => {
    const store = memoryPassStore();
    const carrier = store.carrier();
    const outbox = openOutbox(temporaryFolder(), 'origin');
    expect(await pushWithOutbox(offline(carrier), outbox, [one], null)).toMatchObject({ ok: false });
    expect(okValue(outbox.waiting())).toEqual([one]);
    expect(await pushWithOutbox(carrier, outbox, [two], null)).toEqual({ ok: true, value: { added: 2 } });
    expect(okValue(outbox.waiting())).toEqual([]);
    expect(new Set(okValue(await carrier.find([one.key, two.key])).keys())).toEqual(new Set([one.key, two.key]));
  });

  test('has the files before the push starts, so that a killed process loses none', async () => {
    const outbox = openOutbox(temporaryFolder(), 'origin');
    const carrier = memoryPassStore().carrier();
    const waitingAtPush: unknown[] = [];
    const spyCarrier: PassCarrier = {
      ...carrier,
      push(files, stop) {
        waitingAtPush.push(okValue(outbox.waiting()));
        return carrier.push(files, stop);
      },
    };
    await pushWithOutbox(spyCarrier, outbox, [one], null);
    expect(waitingAtPush).toEqual([[one]]);
  });

  test('of one carrier has nothing of another', () => {
    const folder = temporaryFolder();
    okValue(openOutbox(folder, 'origin').add([one]));
    expect(okValue(openOutbox(folder, 'upstream').waiting())).toEqual([]);
    expect(okValue(openOutbox(folder, 'origin').waiting())).toEqual([one]);
  });

  test('is bounded', () => {
    const outbox = openOutbox(temporaryFolder(), 'origin', 3);
    for (let n = 0; n < 6; n++) okValue(outbox.add([storedSample(`${n}`)]));
    expect(okValue(outbox.waiting())).toHaveLength(3);
  });

  test('stores no file that carriers do not store', () => {
    const outbox = openOutbox(temporaryFolder(), 'origin');
    okValue(outbox.add([{ ...one, key: '../x' }]));
    expect(okValue(outbox.waiting())).toEqual([]);
  });

  test.each([
    ['text that is not JSON', 'x'],
    ['another document', '[]'],
    ['a key that is a path', JSON.stringify({ key: '../../x', statement: 'eA==', signature: 'x' })],
    ['a field of another type', JSON.stringify({ key: one.key, statement: 1, signature: 'x' })],
    ['a file that is too long', JSON.stringify({ key: one.key, statement: 'A'.repeat(200_000), signature: 'x' })],
  ])('ignores %s', (_, text) => {
    const folder = temporaryFolder();
    const outbox = openOutbox(folder, 'origin');
    okValue(outbox.add([one]));
    const [name = ''] = readdirSync(join(folder, 'onceover/passes/outbox'));
    writeFileSync(join(folder, 'onceover/passes/outbox', name, `${'a'.repeat(64)}.json`), text);
    expect(okValue(outbox.waiting())).toEqual([one]);
  });

  test('behind a symlink fails, but the files are pushed', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'onceover'));
    symlinkSync(temporaryFolder(), join(folder, 'onceover/passes'));
    const outbox = openOutbox(folder, 'origin');
    expect(outbox.add([one])).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way' } });
    const carrier = memoryPassStore().carrier();
    expect(await pushWithOutbox(carrier, outbox, [one], null)).toEqual({ ok: true, value: { added: 1 } });
  });
});
