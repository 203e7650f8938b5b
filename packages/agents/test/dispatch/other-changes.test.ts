import type { RepoPath } from '@onceover/base/kernel/ids';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countChangedLines, describeOtherChanges, otherChanges } from '../../src/dispatch/prompt-other-changes.ts';

const diffOf = (name: string, lines = 1) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n${'+new\n'.repeat(lines)}`;
const changed = (name: string, lines = 1) => ({ paths: [name as RepoPath], text: diffOf(name, lines) });
const HELPER = changed('lib/helper.ts');
const LONG = changed('lib/long.ts', 500);

describe('the section about other files', () => {
  test.each([
    ['a file that it opened', [HELPER], ['lib/helper.ts'], ['lib/helper.ts'], []],
    ['an absolute path of the agent', [HELPER], ['/work/repo/lib/helper.ts'], ['lib/helper.ts'], []],
    ['a file that it did not open', [HELPER], [], [], ['lib/helper.ts (+1 -1)']],
    ['the opened files are unknown', [HELPER], null, ['lib/helper.ts'], []],
    ['a file that is too long', [LONG], ['lib/long.ts'], [], ['lib/long.ts (+500 -1)']],
    ['a long file does not displace a short one', [LONG, HELPER], null, ['lib/helper.ts'], ['lib/long.ts (+500 -1)']],
    ['a file without lines', [{ ...HELPER, text: '' }], [], [], ['lib/helper.ts']],
    ['nothing', [], null, [], []],
  ] as const)('%s', (_, sections, seen, shown, named) => {
    const changes = otherChanges(sections, seen, 400);
    const text = describeOtherChanges(changes);
    expect(sections.filter((section) => section.text !== '' && changes.diff.includes(section.text))).toHaveLength(
      shown.length,
    );
    for (const name of shown) expect(changes.diff).toContain(`+++ b/${name}`);
    expect(text.match(/^- .*/gm) ?? []).toEqual(named.map((name) => `- ${name}`));
    expect(text === '').toBe(sections.length === 0);
  });

  test('no change is lost, whatever the session has seen', () => {
    const section = fc
      .record({ name: fc.stringMatching(/^[a-z]{1,4}$/), lines: fc.integer({ min: 1, max: 60 }) })
      .map(({ name, lines }) => changed(`lib/${name}.ts`, lines));
    const sectionsOf = fc.uniqueArray(section, { maxLength: 40, selector: ({ paths }) => paths[0] });
    const seenOf = fc.option(fc.array(fc.stringMatching(/^lib\/[a-z]{1,4}\.ts$/)));
    fc.assert(
      fc.property(sectionsOf, seenOf, fc.integer({ min: -10, max: 2000 }), (sections, seen, room) => {
        const changes = otherChanges(sections, seen, room);
        const shown = sections.filter(({ text }) => changes.diff.includes(text));
        expect(shown.length + changes.named.length + changes.omitted).toBe(sections.length);
        expect(changes.diff.length).toBeLessThanOrEqual(Math.max(0, room));
        // The session has seen none of the files that are only counted.
        const told = new Set([...shown, ...changes.named]);
        const unknown = sections.filter((one) => !told.has(one));
        expect(unknown.filter(({ paths }) => seen?.includes(paths[0] ?? '') === true)).toEqual([]);
      }),
    );
  });

  test('counts lines and not the header', () => {
    expect(countChangedLines(diffOf('a.ts', 3))).toEqual({ added: 3, removed: 1 });
  });
});
