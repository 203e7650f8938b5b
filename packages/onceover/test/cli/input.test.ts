import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readStdin } from '../../src/cli/input.ts';

/** Says these, and then ends, fails or goes on saying nothing. */
function input(chunks: readonly string[], then: 'end' | 'fail' | 'silence'): Readable {
  const queue = [...chunks];
  return new Readable({
    read() {
      const next = queue.shift();
      if (next !== undefined) this.push(Buffer.from(next));
      else if (then === 'end') this.push(null);
      else if (then === 'fail') this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    },
  });
}

const CUT_OFF = { ok: false, failure: { kind: 'input-cut-off', code: 'ECONNRESET' } };

test('all that was said, once it has ended', async () => {
  expect(await readStdin(null, input(['a.ts\nb', '.ts\n'], 'end'))).toEqual({ ok: true, value: 'a.ts\nb.ts\n' });
  expect(await readStdin(10_000, input([], 'end'))).toEqual({ ok: true, value: '' });
});

test('a list that was cut off is not a shorter list', async () => {
  expect(await readStdin(null, input(['a.ts\n'], 'fail'))).toEqual(CUT_OFF);
  expect(await readStdin(10_000, input(['a.ts\n'], 'fail'))).toEqual(CUT_OFF);
  expect(await readStdin(null, input([], 'fail'))).toEqual(CUT_OFF);
});

test('a pipe that says nothing is not waited for', async () => {
  expect(await readStdin(1, input([], 'silence'))).toEqual({ ok: true, value: null });
});
