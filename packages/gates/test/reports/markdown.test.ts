import { codeName, inline, quotation } from '@onceover/base/ui/markdown-text';
import { ENDS, judged, MIXED } from '@onceover/testing/ended-runs.ts';
import { hostileFailure, hostileRun, hostileText } from '@onceover/testing/hostile.ts';
import { outline } from '@onceover/testing/markdown.ts';
import { finding, gateOutcome, slotOutcome } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedRun } from '../../src/reports/finished-run.ts';
import { markdownReport } from '../../src/reports/markdown.ts';

/** The lines of a page that are in no block of code. */
function linesOf(markdown: string): readonly string[] {
  const lines: string[] = [];
  let marks: string | null = null;
  for (const line of markdown.split('\n')) {
    const [fence = null] = /^`{3,}(?=[^`]*$)/.exec(line) ?? [];
    if (marks !== null) {
      if (fence === line && fence.length >= marks.length) marks = null;
    } else if (fence !== null) marks = fence;
    else lines.push(line);
  }
  return lines;
}

/** Returns a page without code blocks and inline code. */
function prose(markdown: string): string {
  return linesOf(markdown)
    .join('\n')
    .replace(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, 'CODE');
}

/** Markup, HTML, links, images or mentions that a reader would act on. */
const ACTS = [/(?<!\\)(?:\\\\)*[`[\]<>&~$]/, /@\w/, /(?<!\\)(?:\\\\)*\*/];

function actsIn(markdown: string): readonly string[] {
  const own = prose(markdown).replace(/^>(?: |$)/gm, '');
  return ACTS.flatMap((pattern) => pattern.exec(own)?.[0] ?? []);
}

const headingsOf = (run: EndedRun) => outline(markdownReport(run)).headings;

describe('a page', () => {
  test('matches its golden file', async () => {
    await expect(markdownReport(MIXED)).toMatchFileSnapshot('golden/mixed.md');
  });

  test.each(ENDS)('begins with the verdict and the exit code: %s', (_title, run) => {
    const code = run.exitCode;
    const [first = ''] = markdownReport(run).split('\n');
    expect(first).toMatch(new RegExp(`^# \\S.* \\(exit code ${code}\\)$`));
    if (code !== 0) expect(first).not.toMatch(/^# (?!Error: every gate passes, but).*pass/i);
  });

  test('shows a skipped reviewer as skipped, not passed', () => {
    const slot = slotOutcome({ status: 'skipped_prior_pass', why: 'passed-before', passIteration: 1, sawOlder: true });
    const text = markdownReport(judged({ gates: [gateOutcome({ slots: [slot] })] }));
    expect(text).toContain('| skipped | new session, already passed in run 1, before the latest changes |');
  });

  test('text of a reviewer adds no heading and leaves no block open', () => {
    fc.assert(
      fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
        const { headings, isOpen } = outline(markdownReport(run));
        expect(isOpen).toBe(false);
        const ours = /^# |^## Findings$|^### (?:`|Without a file$)|^#### F1 (?:critical|high|medium|low)/;
        expect(headings.filter((heading) => !ours.test(heading))).toEqual([]);
        expect(headings.filter((heading) => heading.startsWith('# '))).toHaveLength(1);
      }),
    );
  });

  test('has no markup, HTML, links, images or mentions of a reviewer', () => {
    fc.assert(
      fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
        expect(actsIn(markdownReport(run))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('every table row has four cells, whatever the texts', () => {
    fc.assert(
      fc.property(hostileRun, (run) => {
        const rows = linesOf(markdownReport(run)).filter((line) => line.startsWith('| '));
        const cells = rows.map((row) => row.replace(/\\[\\|]/g, '').split('|').length - 2);
        expect(new Set(cells)).toEqual(new Set([4]));
      }),
    );
  });

  test('quoted code cannot end its block', () => {
    const code = 'a\n````\n# b';
    const run = judged({ status: 'failed', exitCode: 1, findings: [{ finding: finding({ code }), state: 'open' }] });
    expect(outline(markdownReport(run)).blocks[0]?.text).toBe(`${code}\n`);
    expect(headingsOf(run)).not.toContain('# b');
  });
});

test.each([
  ['markup', '*a* _b_ `c` ~~d~~ $e$', '\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~ \\$e\\$'],
  ['an image', '![a](b)', '!\\[a\\](b)'],
  ['HTML', '<b>&amp;', '\\<b\\>\\&amp;'],
  ['a mention', 'ask @me', 'ask @\u200bme'],
  ['a reference', 'as in #12', 'as in \\#\u200b12'],
  ['a heading', '# a', '\\# a'],
  ['a list', '- a', '\\- a'],
  ['a numbered list', '12. a', '12\\. a'],
  ['an underline', '===', '\\==='],
  ['indented code', '    a', 'a'],
  ['plain words', "It's fine: 1 + 1 = 2, isn't it?", "It's fine: 1 + 1 = 2, isn't it?"],
])('%s in a line', (_title, text, expected) => {
  expect(inline(text)).toBe(expected);
});

test('lines of a quotation stay lines, and paragraphs paragraphs', () => {
  expect(quotation('\na\nb\n\n- c\n')).toBe('> a\\\n> b\n>\n> \\- c');
});

test('a quotation is never left', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      for (const line of quotation(text).split('\n')) expect(line.startsWith('>')).toBe(true);
    }),
  );
});

test('a name with backticks is code all the same', () => {
  expect(codeName('src/a.ts')).toBe('`src/a.ts`');
  expect(codeName('a`b')).toBe('`` "a`b" ``');
  const text = markdownReport(judged({ gates: [gateOutcome({ id: 'review:a|b:x' })] }));
  expect(text).toContain('| `"review:a\\|b:x"` |');
});
