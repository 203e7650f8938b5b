import { entry, path } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { binaryPaths } from '../../../src/run/do/prompt-diff.ts';

const section = (name: string, ...lines: readonly string[]) => ({
  paths: [path(name)],
  text: `diff --git a/${name} b/${name}\n${lines.join('\n')}\n`,
});

test('lists files whose diff only says that they differ', () => {
  const sections = [
    section('a.bin', 'index 1..2 100644', 'Binary files a/a.bin and b/a.bin differ'),
    section('new.bin', 'new file mode 100644', 'Binary files /dev/null and b/new.bin differ'),
    section('gone.bin', 'deleted file mode 100644', 'Binary files a/gone.bin and /dev/null differ'),
    section('a.md', '@@ -1 +1 @@', '-x', '+Binary files a/x and b/x differ', ' Binary files a/x and b/x differ'),
    section('elsewhere.bin', 'Binary files a/elsewhere.bin and b/elsewhere.bin differ'),
  ];
  const entries = ['a.bin', 'a.md', 'new.bin'].map((name) => entry({ path: name }));
  const gone = entry({ path: 'gone.bin', headBlob: null });
  expect(binaryPaths(sections, [...entries, gone])).toEqual(['a.bin', 'new.bin']);
});
