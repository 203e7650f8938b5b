import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeEntry } from '@onceover/repo/git/tree-files';
import { bareWithClones, type Clones, carrierAt, okValue, storedSample } from '@onceover/testing/pass-clones.ts';
import { describe, expect, test } from 'vitest';
import { newTree } from '../src/git-object-format.ts';
import { fileName } from '../src/stored-files.ts';
import { LARGEST_STATEMENT, type StoredFile } from '../src/types.ts';

const good = storedSample('good');
const bad = storedSample('bad');

type Entry = readonly [mode: string, name: string, id: string];

/** Makes objects in the bare repository, also such that git would refuse to make. */
function maker({ bare, feed, git }: Clones) {
  const object = (type: string, content: string | Uint8Array) =>
    feed(bare, content, 'hash-object', '-w', '-t', type, '--literally', '--stdin').trim();
  const tree = (...entries: readonly Entry[]) =>
    object(
      'tree',
      newTree(
        'sha1',
        entries.map(([mode, name, id]): TreeEntry => ({ mode, name, id })),
      ).content,
    );
  const commit = (root: string) => git(bare, 'commit-tree', root, '-m', 'x').trim();
  const blob = (content: string | Uint8Array) => object('blob', content);
  const pair = ({ file }: StoredFile, name = fileName(file), mode = '100644') =>
    [
      [mode, `${name}.json`, blob(file.statement)],
      [mode, `${name}.json.sig`, blob(file.signature)],
    ] as const;
  /** A root with the good statement and these entries in the key of the bad one. */
  const besideGood = (...entries: readonly Entry[]) =>
    commit(tree(folderOf(good.key, tree(...pair(good))), folderOf(bad.key, tree(...entries))));
  const folderOf = (key: string, id: string, shard = key.slice(0, 2)) =>
    ['40000', shard, tree(['40000', key, id])] as const;
  return { object, tree, commit, blob, pair, besideGood, folderOf };
}

type Maker = ReturnType<typeof maker>;

type Row = readonly [
  title: string,
  tip: (make: Maker) => string,
  finds: 'good' | 'nothing' | 'failure',
  pushes: boolean,
];

const ROWS: readonly Row[] = [
  ['a ref that points at a blob', ({ blob }) => blob('x'), 'failure', false],
  ['a ref that points at a large blob', ({ blob }) => blob(Buffer.alloc(3_000_000)), 'failure', false],
  [
    'a ref that points at a tag of a blob',
    ({ object, blob }) => object('tag', `object ${blob('x')}\ntype blob\ntag x\ntagger x <x> 1 +0000\n\nx\n`),
    'failure',
    false,
  ],
  [
    'a ref that points at a tag of a commit',
    ({ object, besideGood }) =>
      object('tag', `object ${besideGood()}\ntype commit\ntag x\ntagger x <x> 1 +0000\n\nx\n`),
    'good',
    false,
  ],
  [
    'a ref that points at a tree',
    ({ tree, pair, folderOf }) => tree(folderOf(good.key, tree(...pair(good)))),
    'good',
    false,
  ],
  ['an empty tree', ({ commit, tree }) => commit(tree()), 'nothing', true],
  ['another repository', ({ commit, tree, blob }) => commit(tree(['100644', 'README.md', blob('x')])), 'nothing', true],
  [
    'a statement that is a symlink',
    ({ besideGood, pair }) => besideGood(...pair(bad, undefined, '120000')),
    'good',
    true,
  ],
  [
    'a statement that is executable',
    ({ besideGood, pair }) => besideGood(...pair(bad, undefined, '100755')),
    'good',
    true,
  ],
  [
    'a statement that is a submodule',
    ({ besideGood }) => besideGood(['160000', `${fileName(bad.file)}.json`, 'a'.repeat(40)]),
    'good',
    true,
  ],
  ['a statement without a signature', ({ besideGood, pair }) => besideGood(pair(bad)[0]), 'good', true],
  ['a signature without a statement', ({ besideGood, pair }) => besideGood(pair(bad)[1]), 'good', true],
  [
    'a statement under the name of another',
    ({ besideGood, pair }) => besideGood(...pair(bad, fileName(good.file))),
    'good',
    true,
  ],
  [
    'a signature that is not UTF-8',
    ({ besideGood, pair, blob }) =>
      besideGood(pair(bad)[0], ['100644', `${fileName(bad.file)}.json.sig`, blob(Buffer.from([0xff, 0xfe, 10]))]),
    'good',
    true,
  ],
  [
    'a statement over the size limit',
    ({ besideGood, pair }) => {
      const file = { ...bad.file, statement: Buffer.alloc(LARGEST_STATEMENT + 1, 97) };
      return besideGood(...pair({ key: bad.key, file }));
    },
    'good',
    true,
  ],
  [
    'a statement of 20 MB',
    ({ besideGood, pair }) =>
      besideGood(...pair({ key: bad.key, file: { ...bad.file, statement: Buffer.alloc(2e7) } })),
    'good',
    true,
  ],
  [
    'a signature over the size limit',
    ({ besideGood, pair }) =>
      besideGood(...pair({ key: bad.key, file: { ...bad.file, signature: 'x'.repeat(20_000) } })),
    'good',
    true,
  ],
  [
    'names with dots and slashes',
    ({ commit, tree, pair, folderOf, blob }) =>
      commit(
        tree(
          folderOf(good.key, tree(...pair(good))),
          ['40000', '..', tree(['100644', '../../escape', blob('x')])],
          ['100644', '.git', blob('x')],
          ['100644', '../../../tmp/x', blob('x')],
        ),
      ),
    'good',
    true,
  ],
  [
    'a file in place of a shard',
    ({ commit, tree, pair, folderOf, blob }) =>
      commit(tree(folderOf(good.key, tree(...pair(good))), ['100644', bad.key.slice(0, 2), blob('x')])),
    'good',
    true,
  ],
  [
    'a file in place of a key',
    ({ commit, tree, pair, folderOf, blob }) =>
      commit(
        tree(folderOf(good.key, tree(...pair(good))), [
          '40000',
          bad.key.slice(0, 2),
          tree(['100644', bad.key, blob(Buffer.alloc(2e6))]),
        ]),
      ),
    'good',
    true,
  ],
  [
    'a key in the shard of another',
    ({ commit, tree, pair, folderOf }) =>
      commit(tree(folderOf(good.key, tree(...pair(good))), folderOf(bad.key, tree(...pair(bad)), 'zz'))),
    'good',
    true,
  ],
  [
    '100,000 keys in one shard',
    ({ commit, tree, pair, folderOf }) => {
      const shard = bad.key.slice(0, 2);
      const keys = Array.from({ length: 100_000 }, (_, n) => `${shard}${n.toString(16).padStart(62, '0')}`);
      const empty = tree();
      return commit(
        tree(folderOf(good.key, tree(...pair(good))), [
          '40000',
          shard,
          tree(...keys.map((key) => ['40000', key, empty] as const)),
        ]),
      );
    },
    'good',
    true,
  ],
  [
    'more statements under a key than are read',
    ({ besideGood, blob }) => {
      const [statement, signature] = [blob('{}'), blob('x')];
      const names = Array.from({ length: 2000 }, (_, n) => n.toString(16).padStart(64, '0'));
      return besideGood(
        ...names.flatMap((name) => [
          ['100644', `${name}.json`, statement] as const,
          ['100644', `${name}.json.sig`, signature] as const,
        ]),
      );
    },
    'good',
    true,
  ],
];

describe('a hostile ref', () => {
  test.each(ROWS)('%s', async (_, tip, finds, pushes) => {
    const clones = bareWithClones();
    clones.git(clones.bare, 'update-ref', 'refs/onceover/passes', tip(maker(clones)));
    const root = clones.join('a');
    const carrier = carrierAt(root);
    okValue(await carrier.fetch(null));
    const result = await carrier.find([good.key, bad.key]);
    if (finds === 'failure') {
      expect(result).toMatchObject({ ok: false, failure: { kind: 'passes-carrier', why: 'unreadable' } });
    } else {
      const goodFiles = finds === 'good' ? [[good.key, [good.file]]] : [];
      expect([...okValue(result)]).toEqual(goodFiles);
      expect(okValue(await carrier.all())).toEqual(finds === 'good' ? [good] : []);
    }
    const extra = storedSample('extra');
    const push = await carrier.push([bad, extra], null);
    if (!pushes)
      return expect(push).toMatchObject({ ok: false, failure: { kind: 'passes-carrier', why: 'unreadable' } });
    expect(okValue(push)).toEqual({ added: 2 });
    const keys = okValue(await carrier.all()).map(({ key }) => key);
    expect(keys.sort()).toEqual([bad.key, extra.key, ...(finds === 'good' ? [good.key] : [])].sort());
    clones.git(clones.bare, 'fsck', '--connectivity-only');
  });

  test('a tree that is cut off is not fetched', async () => {
    const clones = bareWithClones();
    const { object, tree, commit } = maker(clones);
    const brokenTree = object('tree', Buffer.concat([Buffer.from('40000 ab\0'), Buffer.alloc(7)]));
    clones.git(clones.bare, 'update-ref', 'refs/onceover/passes', commit(tree(['40000', 'cd', brokenTree])));
    const carrier = carrierAt(clones.join('a'));
    expect(await carrier.fetch(null)).toMatchObject({
      ok: false,
      failure: { kind: 'passes-carrier', why: 'unreachable' },
    });
    expect(okValue(await carrier.find([good.key]))).toEqual(new Map());
  });

  test('a rewritten ref replaces the statements, and a deleted one removes them', async () => {
    const clones = bareWithClones();
    const [a, b] = [carrierAt(clones.join('a')), carrierAt(clones.join('b'))];
    okValue(await a.push([good], null));
    okValue(await b.fetch(null));
    const { commit, tree, folderOf, pair } = maker(clones);
    clones.git(clones.bare, 'update-ref', 'refs/onceover/passes', commit(tree(folderOf(bad.key, tree(...pair(bad))))));
    okValue(await b.fetch(null));
    expect([...okValue(await b.find([good.key, bad.key])).keys()]).toEqual([bad.key]);
    clones.git(clones.bare, 'update-ref', '-d', 'refs/onceover/passes');
    okValue(await b.fetch(null));
    expect(okValue(await b.all())).toEqual([]);
    // A push after that does not bring the old statements back.
    expect(okValue(await b.push([good], null))).toEqual({ added: 1 });
    expect(okValue(await b.all())).toEqual([good]);
  });

  test('objects that are missing in the clone are left out or reported, and nothing is pushed over them', async () => {
    const clones = bareWithClones();
    const root = clones.join('a');
    const carrier = carrierAt(root);
    okValue(await carrier.push([good, bad], null));
    const tip = clones.git(root, 'rev-parse', 'refs/onceover/fetched/origin').trim();
    const remove = (id: string) => rmSync(join(root, '.git/objects', id.slice(0, 2), id.slice(2)), { force: true });
    const path = `${bad.key.slice(0, 2)}/${bad.key}`;
    const keyTree = clones.git(root, 'rev-parse', `${tip}:${path}`).trim();
    remove(clones.git(root, 'rev-parse', `${tip}:${path}/${fileName(bad.file)}.json`).trim());
    expect([...okValue(await carrier.find([good.key, bad.key])).keys()]).toEqual([good.key]);
    remove(keyTree);
    expect([...okValue(await carrier.find([good.key, bad.key])).keys()]).toEqual([good.key]);
    const otherFile = { key: bad.key, file: storedSample('other').file };
    expect(await carrier.push([otherFile], null)).toMatchObject({ ok: false, failure: { why: 'unreadable' } });
    expect(clones.git(clones.bare, 'rev-parse', 'refs/onceover/passes').trim()).toBe(tip);
  });
});
