import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { PICTURES, pictureOf } from '../../tools/picture/pictures.mjs';
// @ts-expect-error a script without types
import { terminalSvg } from '../../tools/picture/terminal-svg.mjs';

type Picture = { readonly title: string; readonly recording: string; readonly picture: string };

test.each(PICTURES as readonly Picture[])('the picture matches its recording: $title', (picture) => {
  expect(readFileSync(picture.picture, 'utf8')).toBe(pictureOf(picture));
});

describe('a terminal as a picture', () => {
  const draw = (recording: string): string => terminalSvg(recording, { columns: 20, title: 'A & B' });
  const spans = (recording: string) =>
    [...draw(recording).matchAll(/<tspan ([^>]*)>([^<]*)</g)].map(([, attributes, text]) => [text, attributes]);

  test('text is escaped, in the title too', () => {
    expect(draw('a <b> & "c"\n')).toContain('>a &lt;b&gt; &amp; &quot;c&quot;<');
    expect(draw('a')).toContain('<title>A &amp; B</title>');
  });

  test('a text style continues until it is reset, also in the next row', () => {
    const [first, second, third] = spans('\u001b[1;31mFAIL\nmore\u001b[0m plain');
    expect(first).toEqual(['FAIL', expect.stringMatching(/fill="#ff7b72" class="b"/)]);
    expect(second).toEqual(['more', expect.stringMatching(/fill="#ff7b72" class="b"/)]);
    expect(third).toEqual(['plain', expect.not.stringMatching(/fill|class/)]);
  });

  test('columns have the same position as in the terminal', () => {
    expect(spans('a   b')).toEqual([
      ['a', 'x="16" textLength="8.4"'],
      ['b', 'x="49.6" textLength="8.4"'],
    ]);
  });
});
