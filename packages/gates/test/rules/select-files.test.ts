import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Changes } from '@onceover/base/kernel/repository';
import { memoryContents } from '@onceover/testing/memory/contents.ts';
import { memoryRepository } from '@onceover/testing/memory/repository.ts';
import { expect, test } from 'vitest';
import { describeNotice } from '../../src/rules/describe.ts';
import { selectListed } from '../../src/rules/select-files.ts';

const TREE = { 'a.ts': '', 'ü/b.ts': '', 'ü/mod/c.ts': '', 'ü/nest/d.ts': '', 'v/e.ts': '' };
const paths = (...names: string[]) => names as RepoPath[];
const CHANGES: Changes = {
  base: null,
  changed: [],
  deleted: [],
  submodules: paths('ü/nest'),
  listing: {
    tracked: paths('a.ts', 'ü/b.ts', 'ü/mod', 'v/e.ts'),
    untracked: [],
    nested: paths('ü/nest'),
    unwatched: [],
    unnameable: ['\u00c3\u00bc/bad\u00ff', 'v/bad\u00ff'],
  },
};

const MOD = 'ü/mod is a separate git repository; rules review files, so it is not reviewed here';
const NEST = MOD.replace('mod', 'nest');
const BAD = 'a file is not reviewed because its name is not valid UTF-8: ';

test.each<[string, string[], string[], (string | RegExp)[]]>([
  ['a folder', ['ü'], ['ü/b.ts'], [MOD, NEST, `${BAD}Ã¼/badÿ`]],
  ['another folder', ['v'], ['v/e.ts'], [`${BAD}v/badÿ`]],
  [
    'the root and a folder in it',
    ['', 'ü'],
    ['a.ts', 'ü/b.ts', 'v/e.ts'],
    [MOD, NEST, `${BAD}Ã¼/badÿ`, `${BAD}v/badÿ`],
  ],
  ['a submodule', ['ü/mod'], [], [MOD]],
  ['an untracked repository', ['ü/nest'], [], [NEST]],
  ['a file in a submodule', ['ü/mod/c.ts'], ['ü/mod/c.ts'], []],
  ['a name that is not UTF-8', ['v/bad\ufffd'], [], [`${BAD}v/bad\ufffd`]],
  ['a file that does not exist', ['v/new.ts'], ['v/new.ts'], ['v/new.ts does not exist']],
])('selects files for %s, and says why others are left out', async (_, listed, files, notices) => {
  const ports = {
    repository: memoryRepository({ base: null, head: {}, now: {} }),
    contents: memoryContents(TREE),
  };
  const selected = await selectListed(paths(...listed), CHANGES, ports, { logDir: '.deepwork/logs', base: null });
  if (!selected.ok) throw new Error(selected.failure.kind);
  expect(selected.value.files).toEqual(files);
  expect(selected.value.notices.map(describeNotice)).toEqual(notices);
});
