import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewId } from '@onceover/base/kernel/ids';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { replaceInstructionFiles } from '../../src/rules/passes.ts';

const FOLDER = '.deepwork/tmp/review_instructions';

/** Opens an empty folder. `texts` returns the current files by path. */
function open() {
  const { root } = emptyRepo();
  const texts = () => {
    const names = readdirSync(join(root, FOLDER)).map((name) => `${FOLDER}/${name}`);
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
  };
  return { replace: (files: ReadonlyMap<ReviewId, string>) => replaceInstructionFiles(root, files), texts };
}

const [a, b] = ['style--a.py--0123456789ab', 'style--b.py--ba9876543210'] as [ReviewId, ReviewId];
const by = (entries: Record<ReviewId, string>) => new Map(Object.entries(entries) as [ReviewId, string][]);
const path = (id: ReviewId) => `${FOLDER}/${id}.md`;

describe('instruction files', () => {
  test('writes one file per review, named after its id [REVIEW-REQ-009.3.4]', () => {
    const { replace, texts } = open();
    const result = replace(by({ [a]: 'look at a', [b]: 'look at b' }));
    expect(result).toEqual({ ok: true, value: by({ [a]: path(a), [b]: path(b) }) });
    expect(texts()).toEqual({ [path(a)]: 'look at a', [path(b)]: 'look at b' });
  });

  test('removes files of an earlier call and rewrites those that are needed again', () => {
    const { replace, texts } = open();
    replace(by({ [a]: 'one', [b]: 'two' }));
    replace(by({ [b]: 'three' }));
    expect(texts()).toEqual({ [path(b)]: 'three' });
  });

  test('removes all files if there are no reviews', () => {
    const { replace, texts } = open();
    replace(by({ [a]: 'one' }));
    expect(replace(new Map())).toEqual({ ok: true, value: new Map() });
    expect(texts()).toEqual({});
  });

  test('accepts an empty first call', () => {
    expect(open().replace(new Map())).toEqual({ ok: true, value: new Map() });
  });

  test('stores texts unchanged', () => {
    const { replace, texts } = open();
    const text = '# ä 日本 😀\r\n\ttab and no end of line';
    replace(by({ [a]: text }));
    expect(texts()).toEqual({ [path(a)]: text });
  });

  test.each([
    ['spaces', ' a rule--b c.py--0123456789ab'],
    ['a line break', 'rule--a\nb.py--0123456789ab'],
    ['a backslash', 'rule--a\\b.py--0123456789ab'],
    ['248 bytes', `${'r'.repeat(225)}--1_files--0123456789ab`],
  ])('accepts an id with %s', (_, text) => {
    const { replace, texts } = open();
    const odd = text as ReviewId;
    expect(replace(by({ [odd]: 'look' }))).toEqual({ ok: true, value: by({ [odd]: path(odd) }) });
    expect(texts()).toEqual({ [path(odd)]: 'look' });
  });
});
