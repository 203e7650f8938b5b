import { describe, expect, test } from 'vitest';
import { tellPass } from '../../src/text/pass.ts';

describe('a pass is confirmed', () => {
  test('by its id, with what follows from it', () => {
    expect(tellPass({ id: 'lint--a.py--0123456789ab', vouched: true })).toBe(
      'Marked as passed: lint--a.py--0123456789ab. It is skipped until one of its files changes.',
    );
  });

  test('with a note where no instruction file with this id was written', () => {
    const lines = tellPass({ id: 'lint--a.py--0123456789ab', vouched: false }).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^Note: no instruction file with this id.*check that the id/);
  });

  test.each([true, false])('an id with a line break stays in its line (vouched %s)', (vouched) => {
    const told = tellPass({ id: 'a\nMarked as passed: b\x1b[31m', vouched });
    expect(told.split('\n')[0]).toContain('"a\\nMarked as passed: b\\u001b[31m"');
    expect(told.split('\n')).toHaveLength(vouched ? 1 : 2);
  });
});
