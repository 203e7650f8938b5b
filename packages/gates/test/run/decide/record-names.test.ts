import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Gate } from '../../../src/gate-types.ts';
import { gateNames } from '../../../src/run/decide/cycles.ts';

const hash = (id: string, digits = 6) => createHash('sha256').update(id).digest('hex').slice(0, digits);
const gate = (id: string) => ({ id, kind: id.slice(0, id.indexOf(':')) as Gate['kind'] });
const stems = (...ids: string[]) => gateNames(ids.map(gate)).map(({ stem }) => stem);

describe('stems of file names', () => {
  test.each([
    ['review:src:code-quality', 'review_src_code-quality'],
    ['check:.:lint', 'check_._lint'],
    ['rule:src:py_review:src/a.py', 'rule_src_py_review_src_a.py'],
    ['review:packages/*:a.b-c_d', 'review_packages___a.b-c_d'],
    ['rule:.:ä😀 x@y', 'rule_.____x_y'],
  ])('%s: %s', (id, stem) => {
    expect(gateNames([gate(id)])).toEqual([{ ...gate(id), stem }]);
  });

  test('ids that would share a stem get a hash each, the others do not', () => {
    const ids = ['review:a/b:x', 'review:a_b:x', 'review:a:x', 'check:a_b:x'];
    expect(stems(...ids)).toEqual([
      `review_a_b_x-${hash('review:a/b:x')}`,
      `review_a_b_x-${hash('review:a_b:x')}`,
      'review_a_x',
      'check_a_b_x',
    ]);
  });

  test('ids that differ only in case get a hash each', () => {
    expect(stems('rule:.:r:Makefile', 'rule:.:r:makefile')).toEqual([
      `rule_._r_Makefile-${hash('rule:.:r:Makefile')}`,
      `rule_._r_makefile-${hash('rule:.:r:makefile')}`,
    ]);
  });

  test('a gate whose name equals the hashed stem of another gets a longer hash', () => {
    const odd = `review:.:a-${hash('review:.:a')}`;
    const names = stems('review:.:a', 'review:.:A', odd);
    expect(names[1]).toBe(`review_._A-${hash('review:.:A')}`);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe(`review_._a-${hash('review:.:a')}-${hash(odd)}`);
  });

  test('a long stem is cut and gets a hash', () => {
    const [short, long, other] = [143, 144, 145].map((length) => `review:${'x'.repeat(length - 2)}:a`);
    expect(stems(short ?? '')).toEqual([`review_${'x'.repeat(141)}_a`]);
    expect(stems(long ?? '', other ?? '')).toEqual([
      `review_${'x'.repeat(142)}_-${hash(long ?? '')}`,
      `review_${'x'.repeat(143)}-${hash(other ?? '')}`,
    ]);
  });

  test('a gate that is listed twice has one stem', () => {
    expect(stems('review:.:a', 'review:.:a')).toEqual(['review_._a', 'review_._a']);
  });
});

test('no two gates share a stem, and every stem has safe characters', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'A', '_', '/', ':', '-', 'ä', '.'), maxLength: 4 });
  const id = fc.tuple(fc.constantFrom('check', 'review', 'rule'), part, part).map((parts) => parts.join(':'));
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 30 }), (ids) => {
      const names = stems(...ids);
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
      for (const name of names) expect(name).toMatch(/^(check|review|rule)_[A-Za-z0-9._-]*$/);
    }),
  );
});
