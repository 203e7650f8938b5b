import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkReviewId, composeReviewId, reviewId, stemOf } from '../../src/rules/review-id.ts';

const sha12 = (...contents: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('hex').slice(0, 12);
};
const file = (path: string, content: string | Uint8Array | null = `content of ${path}`) => ({ path, content });

describe('the id of a review', () => {
  test('is rule, files and hash [REVIEW-REQ-009.1.1]', () => {
    expect(reviewId('style', [file('src/app.py', 'x = 1\n')])).toBe(`style--src-app.py--${sha12('x = 1\n')}`);
  });

  test.each([
    ['keeps letters, digits, "-", "_" and "."', 'a-Z_0.9', 'a-Z_0.9'],
    ['replaces spaces and slashes', 'my rule/x', 'my-rule-x'],
    ['replaces each character by one "-"', 'ä日😀!', '----'],
    ['leaves an empty name empty', '', ''],
  ])('rule part: %s [REVIEW-REQ-009.1.2]', (_title, name, expected) => {
    expect(reviewId(name, [file('a')])).toBe(`${expected}--a--${sha12('content of a')}`);
  });

  test.each([
    ['replaces "/"', ['src/lib/a.py'], 'src-lib-a.py'],
    ['joins with _AND_', ['b.py', 'a.py'], 'a.py_AND_b.py'],
    ['sorts the sanitised names by code point', ['a-z.py', 'a/b.py'], 'a-b.py_AND_a-z.py'],
    ['keeps everything else', ['we ird/é"`.py'], 'we ird-é"`.py'],
    ['sorts by code point, not by UTF-16', ['😀', '\uff5e'], '\uff5e_AND_😀'],
    ['keeps 100 characters', [`${'a'.repeat(97)}.py`], `${'a'.repeat(97)}.py`],
    ['counts code points', ['😀'.repeat(50)], '😀'.repeat(50)],
    ['falls back over 100 characters', [`${'a'.repeat(98)}.py`], '1_files'],
    ['counts the files when it falls back', [`${'a'.repeat(60)}`, `${'b'.repeat(60)}`], '2_files'],
  ])('file part: %s [REVIEW-REQ-009.1.3]', (_title, names, expected) => {
    const id = reviewId(
      'r',
      names.map((name) => file(name)),
    );
    expect(id.slice('r--'.length, -'--123456789012'.length)).toBe(expected);
  });

  test('hash: raw bytes of all files, in the order of their raw paths [REVIEW-REQ-009.1.4]', () => {
    const bytes = new Uint8Array([0, 255, 128]);
    const id = reviewId('r', [file('a/b.py', 'second'), file('a-z.py', bytes)]);
    expect(id.slice(-12)).toBe(sha12(bytes, 'second'));
    expect(id.slice(-12)).toMatch(/^[0-9a-f]{12}$/);
  });

  test('hash: an unreadable file counts as MISSING [REVIEW-REQ-009.1.5]', () => {
    expect(reviewId('r', [file('a', 'x'), file('b', null)]).slice(-12)).toBe(sha12('x', 'MISSING'));
    expect(reviewId('r', [file('b', null)])).toBe(reviewId('r', [file('b', 'MISSING')]));
  });

  test('a long rule name is cut so that the marker is a valid file name', () => {
    const id = reviewId('r'.repeat(400), [file('a')]);
    expect(Buffer.byteLength(`${id}.passed`)).toBe(255);
    expect(id).toMatch(/^r+--1_files--[0-9a-f]{12}$/);
  });

  test('accepts a rule or its name', () => {
    expect(reviewId({ name: 'r' }, [file('a')])).toBe(reviewId('r', [file('a')]));
  });
});

describe('properties of ids', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((one) => !one.includes('\0'));
  const files = fc.uniqueArray(
    fc.record({ path: name, content: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: null }) }),
    { selector: (one) => one.path, minLength: 1, maxLength: 6 },
  );

  test('the same inputs give the same id, in any order of the files [REVIEW-REQ-009.1.6]', () => {
    fc.assert(
      fc.property(name, files, fc.infiniteStream(fc.nat()), (rule, given, order) => {
        const shuffled = [...given].map((one) => ({ one, key: order.next().value ?? 0 }));
        shuffled.sort((a, b) => a.key - b.key);
        expect(
          reviewId(
            rule,
            shuffled.map(({ one }) => one),
          ),
        ).toBe(reviewId(rule, given));
      }),
    );
  });

  test('every id has the required form and fits a file name [REVIEW-REQ-009.1.1]', () => {
    fc.assert(
      fc.property(name, files, (rule, given) => {
        const id = reviewId(rule, given);
        const [, rulePart, , hash] = /^([A-Za-z0-9\-_.]*)--(.*)--([0-9a-f]{12})$/su.exec(id) ?? [];
        expect(rulePart).toBeDefined();
        expect(hash).toBe(
          sha12(
            ...[...given]
              .sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
              .map((one) => one.content ?? 'MISSING'),
          ),
        );
        expect(id).not.toContain('/');
        expect(Buffer.byteLength(`${id}.passed`)).toBeLessThanOrEqual(255);
      }),
    );
  });

  test('a changed byte changes the id', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (content, at) => {
        const changed = Uint8Array.from(content);
        changed[at % changed.length] = (content[at % content.length] ?? 0) ^ 1;
        expect(reviewId('r', [{ path: 'a', content: changed }])).not.toBe(reviewId('r', [{ path: 'a', content }]));
      }),
    );
  });
});

describe('checks an id from a caller:', () => {
  test.each([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['a..b', 'dots'],
    ['../x', 'dots'],
    ['/etc/passwd', 'absolute'],
    ['a/b', 'separator'],
    ['a\0b', 'nul'],
    ['x'.repeat(249), 'too-long'],
    ['é'.repeat(125), 'too-long'],
    ['x'.repeat(248), null],
    ['rule--a b.py--0123456789ab', null],
    ['rule--a\\b.py--0123456789ab', null],
  ])('%j is %s', (id, expected) => {
    expect(checkReviewId(id, false)).toBe(expected);
  });

  test.each([
    ['rule--app-[...slug]-page.tsx--0123456789ab', null],
    ['../x', 'separator'],
    ['/..', 'absolute'],
  ])('of a known review, %j is %s', (id, expected) => {
    expect(checkReviewId(id, true)).toBe(expected);
  });
});

test('the stem of an id does not depend on contents', () => {
  const id = (contentHash: string) => composeReviewId({ rule: 'a--b', paths: ['c--d'], contentHash });
  expect(stemOf(id('0'.repeat(64)))).toBe('a--b--c--d');
  expect(stemOf(id('1'.repeat(64)))).toBe(stemOf(id('0'.repeat(64))));
  expect(stemOf('plain')).toBe('plain');
});
