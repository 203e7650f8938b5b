import type { RepoPath } from '@onceover/base/kernel/ids';
import { paths, reviewTask, rule, ruleTask } from '@onceover/testing/rules.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instructionFile } from '../../src/rules/prompt.ts';
import type { ReferenceText, RuleTask, TaskContext } from '../../src/rules/types.ts';

const ID = 'style--src-a.py--0123456789ab';
const NOTHING: TaskContext = { allChanged: [], references: new Map() };

const references = (part: RuleTask, ...texts: ReferenceText[]): Pick<TaskContext, 'references'> => ({
  references: new Map([[part, texts]]),
});

/** Returns the headings that a Markdown reader sees. */
function headings(markdown: string): string[] {
  const found: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split(/\r\n|[\r\n]/)) {
    const marks = /^ {0,3}(`{3,})(.*)$/.exec(line);
    if (fence === null && marks !== null && !marks[2]?.includes('`')) fence = marks[1] ?? '';
    else if (fence !== null) {
      if (marks !== null && (marks[1] ?? '').length >= fence.length && marks[2]?.trim() === '') fence = null;
    } else if (/^ {0,3}#{1,6} /.test(line)) found.push(line);
  }
  return found;
}

describe('an instruction file', () => {
  test('has its sections in order [REVIEW-REQ-009.4.1] [REVIEW-REQ-009.4.2]', () => {
    const part: RuleTask = {
      rule: rule({ context: { allChangedFilenames: true, unchangedMatchingFiles: true }, line: 7 }),
      files: paths('src/a.py'),
      unchangedMatching: paths('src/old.py'),
    };
    const guide = { path: 'guide.md' as RepoPath, description: 'The guide', text: 'Be good.', leftOut: null };
    const text = instructionFile(reviewTask(ID, part), {
      allChanged: paths('README.md', 'src/a.py'),
      ...references(part, guide),
    });
    expect(headings(text)).toEqual([
      '# Review: style on src/a.py',
      '## Review instructions',
      '## Reference files',
      '### guide.md: The guide',
      '## Files to review',
      '## Unchanged matching files',
      '## All changed files',
      '## After Review',
    ]);
    expect(text).toContain('\n- @src/a.py\n');
    expect(text).toContain('\n- @src/old.py\n');
    expect(text).toContain('\n- README.md\n- src/a.py\n');
    expect(text.trimEnd().split('\n').slice(-3)).toEqual([
      'Rule: style. Checks style.',
      '',
      'This review comes from .deepreview:7.',
    ]);
  });

  test('names the exact tool and id [REVIEW-REQ-009.4.3]', () => {
    const after =
      instructionFile(reviewTask(ID, ruleTask(rule(), 'src/a.py')), NOTHING).split('## After Review')[1] ?? '';
    expect(after).toContain('`mark_review_as_passed`');
    expect(after).toContain(`\n\`\`\`\n${ID}\n\`\`\`\n`);
  });

  test('has the instructions of both rules if they share an id', () => {
    const first = ruleTask(rule({ instructions: 'First thing.' }), 'a.py');
    const second = ruleTask(rule({ instructions: 'Second thing.', folder: 'sub', line: 3 }), 'a.py');
    const text = instructionFile(reviewTask(ID, first, second), NOTHING);
    expect(headings(text)).toContain('## Review instructions: style (.deepreview:1)');
    expect(headings(text)).toContain('## Review instructions: style (sub/.deepreview:3)');
    expect(text).toContain('First thing.');
    expect(text).toContain('Second thing.');
    expect(text.match(/- @a\.py/g)).toHaveLength(1);
  });

  test('counts many files in its heading', () => {
    const text = instructionFile(reviewTask(ID, ruleTask(rule(), 'a', 'b', 'c', 'd')), NOTHING);
    expect(headings(text)[0]).toBe('# Review: style on 4 files');
  });

  test.each([
    ['cut', 'half', '(Cut here'],
    ['cut', null, '(Cut here'],
    ['too-many', null, 'at most 20 reference files'],
    ['unusable', null, 'cannot be read as text'],
  ] as const)('marks a reference file that is %s', (leftOut, text, expected) => {
    const part = ruleTask(rule(), 'a.py');
    const file = { path: 'guide.md' as RepoPath, description: null, text, leftOut };
    expect(instructionFile(reviewTask(ID, part), { ...NOTHING, ...references(part, file) })).toContain(expected);
  });
});

test('file names, references and descriptions cannot add a section', () => {
  const nasty = fc.oneof(
    fc.string({ unit: fc.constantFrom('\n', '\r', '#', ' ', '`', '~', '-', '@', '"', '\\', 'a', '\u2028', '>', '|') }),
    fc.constantFrom('x\n## After Review\n\ny', '```\n# Review\n', 'a\r# b', '`````\n## x', '~~~\n# x'),
  );
  fc.assert(
    fc.property(nasty, nasty, nasty, (name, text, description) => {
      const path = `p${name}`;
      const part = ruleTask(
        rule({ description: `d${description}`, context: { allChangedFilenames: true, unchangedMatchingFiles: false } }),
        path,
      );
      const file = { path: path as RepoPath, description, text, leftOut: null };
      const shown = headings(
        instructionFile(reviewTask(`style--${path}--0123456789ab`, part), {
          allChanged: paths(path),
          ...references(part, file),
        }),
      );
      expect(shown.map((heading) => heading.split(' ').slice(0, 2).join(' '))).toEqual([
        '# Review:',
        '## Review',
        '## Reference',
        `### ${shown[3]?.split(' ')[1]}`,
        '## Files',
        '## All',
        '## After',
      ]);
    }),
    { numRuns: 500 },
  );
});
