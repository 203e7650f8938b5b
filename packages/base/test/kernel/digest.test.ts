import { expect, test } from 'vitest';
import { digestOf, sha256 } from '../../src/kernel/ids.ts';

// The expected values come from sha256sum.
test.each([
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['ä', '33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc'],
])('hashes the text %s', (text, digest) => {
  expect(sha256(text)).toBe(digest);
});

test('hashes data as its JSON', () => {
  expect(digestOf(['a', 'b'])).toBe('0473ef2dc0d324ab659d3580c1134e9d812035905c4781fdd6d529b0c6860e13');
});
