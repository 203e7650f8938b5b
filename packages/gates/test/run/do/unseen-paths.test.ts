import { entry, path } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { unseenPaths } from '../../../src/run/do/prompt-diff.ts';

const section = (names: readonly string[], unseen?: 'media' | 'opaque') => ({
  paths: names.map(path),
  text: '',
  ...(unseen === undefined ? {} : { unseen }),
});

test('lists files whose new content the diff does not show', () => {
  const sections = [
    section(['a.png'], 'media'),
    section(['a.zip'], 'opaque'),
    section(['old.png', 'new.png'], 'media'),
    section(['gone.png'], 'media'),
    section(['a.md']),
    section(['elsewhere.png'], 'media'),
  ];
  const entries = ['a.png', 'a.zip', 'a.md', 'old.png', 'new.png'].map((name) => entry({ path: name }));
  const gone = entry({ path: 'gone.png', headBlob: null });
  expect(unseenPaths(sections, [...entries, gone], 'media')).toEqual(['a.png', 'new.png']);
  expect(unseenPaths(sections, [...entries, gone], 'opaque')).toEqual(['a.zip']);
});
