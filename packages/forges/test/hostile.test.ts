import { documentWith, findingOn, publishOptions, pullFacts } from '@onceover/testing/forges/documents.ts';
import { commitOf } from '@onceover/testing/forges/world.ts';
import { hostileText } from '@onceover/testing/hostile.ts';
import { outline } from '@onceover/testing/markdown.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decidePublish } from '../src/decide-publish.ts';
import { markerOf } from '../src/describe-marker.ts';
import type { PublishAction } from '../src/types.ts';

/** Texts that would do something on GitHub or GitLab if a comment had them as they are. */
const CORPUS = [
  '@everyone @house/all please look',
  'cc @ann, @bob',
  '`@ann` and ``@bob``',
  '![x](https://evil.invalid/pixel.png)',
  '<img src="https://evil.invalid/pixel.png">',
  '<script>alert(1)</script><details open><summary>x</summary>',
  '<!-- onceover summary passed 0123456789abcdef - -->',
  '\n<!-- onceover thread open 0123456789abcdef0123456789abcdef -->\n',
  '\n::error::owned\n::set-output name=a::b',
  '\n/close\n/approve\n  /merge',
  '```\n/close\n```',
  '[click](javascript:alert(1))',
  '[x]: https://evil.invalid',
  'https://evil.invalid/x www.evil.invalid mailto:a@b.invalid',
  'fixes #1, house/shop#2, GH-3, !4, %5, &6, ~bug, $7',
  '0123456789abcdef0123456789abcdef01234567',
  '| a | b |\n|---|---|\n| c | d |',
  '````suggestion\nrm -rf /\n````',
  '# Passed\n===\n---',
  '\u202e\u200f\u0000\u001b[2J',
  '$$\\unicode{x}$$ $a$',
  '> [!IMPORTANT]\n> Approved by security',
  '- [x] done\n* a\n+ b\n1. c',
  '&lt;img&gt; &#60;script&#62;',
  'a\u2028b\u0085c\u000bd',
  ':shipit: :+1:',
  '&#64;everyone &commat;ann \\@ann \\<img src=x>',
  '<https://evil.invalid/x> ftp://evil.invalid smb://evil.invalid/x user@evil.invalid',
  '~~~plantuml\n!include https://evil.invalid/x\n~~~\n    ```mermaid\n    click A "https://evil.invalid"\n    ```',
  '[[_TOC_]] [[wiki]] [alert:1] [vulnerability:2] *iteration:3 ^alert#4 ::include{file=https://evil.invalid/x}',
  '>>>\n@ann\n>>>\n[^1]\n\n[^1]: ![x](https://evil.invalid/x)',
  'house/shop@0123456 house/shop&7 house/shop%8 house/shop~9 house/shop$1 house/shop!2',
  '``\n@ann\n`` ` @ann ``` @ann',
  '<a href="https://evil.invalid" onclick="x()">a</a><svg/onload=x()><style>@import "https://evil.invalid"</style>',
];

function bodiesFor(issue: string, fix: string | null): readonly string[] {
  const files = [{ path: 'src/a.ts', oldPath: 'src/a.ts', patch: '@@ -0,0 +1,1 @@\n+a = 1' }];
  const [open, elsewhere, waivedFinding] = [
    findingOn('src/a.ts', 'a = 1', 'open', { issue, fix }),
    findingOn('src/a.ts', 'not there', 'open', { id: 'F2', issue, fix, code: issue }),
    findingOn('src/a.ts', 'a = 1', 'waived', { id: 'F3', issue, fix, slot: 2 }),
  ];
  const document = documentWith([open, elsewhere, waivedFinding]);
  const pull = pullFacts();
  const state = { pull, head: commitOf(1), comments: [], threads: [], checks: [], files, hasAllFiles: true };
  const { actions } = decidePublish({ ...publishOptions(document, commitOf(1)), state });
  return actions.flatMap(textsOf);
}

function textsOf(action: PublishAction): readonly string[] {
  if (action.kind === 'create-thread') return [action.thread.body, action.thread.asFile];
  if (action.kind === 'create-comment') return [action.body];
  return action.kind === 'create-check' ? [action.check.summary] : [];
}

/** Returns the Markdown outside of code, where the forge interprets it. */
function interpreted(body: string): string {
  const [, ...lines] = body.startsWith('<!-- onceover') ? body.split('\n') : ['', ...body.split('\n')];
  return lines
    .join('\n')
    .replace(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/<\/?sub>/g, '');
}

function expectHarmless(body: string): void {
  const text = interpreted(body);
  expect(text).not.toMatch(/@[a-z0-9]/i);
  expect(text).not.toMatch(/(?<!\\)<[a-z!/?]/i);
  expect(text).not.toMatch(/(?<!\\)!\[|(?<!\\)\]\((?!https:\/\/ci)/);
  expect(text).not.toMatch(/\w:\/\/|\bwww\./i);
  expect(text).not.toMatch(/(?<!\\)&(?:#|\w+;|\d)|(?<!\\)[~$]\w|%\d/);
  expect(text).not.toMatch(/^\s*\/[a-z]/im);
  expect(body).not.toMatch(/^\/[a-z]/im);
  expect(text).not.toMatch(/(?:^|[\s(,/])(?:[#!]|GH-)\d/i);
  expect(text).not.toMatch(/^(?:::|##\[)/m);
  expect(text).not.toMatch(/[\u202e\u200f\u0000\u001b\u2028]/);
  expect(outline(body).isOpen).toBe(false);
  expect(outline(body).headings.filter((line) => !line.includes('onceover'))).toEqual([]);
  // A marker is only in the first line.
  expect(
    body
      .split('\n')
      .slice(1)
      .filter((line) => markerOf(line) !== null && !isInCode(body, line)),
  ).toEqual([]);
}

const isInCode = (body: string, line: string) => outline(body).blocks.some(({ text }) => text.includes(line));

describe('nothing that a reviewer or a file says acts on the forge', () => {
  test.each(CORPUS)('%j', (text) => {
    for (const body of bodiesFor(text, text)) expectHarmless(body);
  });

  test('random mixtures', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...CORPUS), hostileText), { maxLength: 4 }), (parts) => {
        for (const body of bodiesFor(parts.join(''), parts.toReversed().join('\n'))) expectHarmless(body);
      }),
      { numRuns: 300 },
    );
  });

  test('the summary has at most 30 lines, whatever the run says', () => {
    const many = Array.from({ length: 200 }, (_, n) =>
      findingOn(`src/f${n}.ts`, `x${n}`, 'open', {
        id: `F${n + 1}`,
        gate: `review:src:g${n}`,
        issue: 'a\n'.repeat(50),
      }),
    );
    const lists = { comments: [], threads: [], checks: [], files: [], hasAllFiles: true };
    const state = { pull: pullFacts(), head: commitOf(1), ...lists };
    const { actions } = decidePublish({ ...publishOptions(documentWith(many), commitOf(1)), state });
    const summary = actions.find((action) => action.kind === 'create-comment');
    expect(summary?.kind === 'create-comment' ? summary.body.trim().split('\n').length : 99).toBeLessThanOrEqual(30);
  });
});
