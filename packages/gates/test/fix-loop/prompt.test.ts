import { outline } from '@onceover/testing/markdown.ts';
import { CHECK_FAILED, failedCheck, finding, path } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KnownFinding } from '../../src/findings/types.ts';
import { type FixTask, fixPrompt } from '../../src/fix-loop/prompt.ts';
import type { CheckOutcome } from '../../src/result/types.ts';

const FINDING = finding({
  line: 2,
  code: 'export const b = 2;',
  issue: 'b is never read.',
  fix: 'Remove it.',
});
const by = { kind: 'agent', name: 'two' } as const;
const proposed = (why: string) => ({ how: 'proposed', why, at: '', iteration: 1, by, proposedBy: null }) as const;
const BARE: KnownFinding = {
  ...FINDING,
  id: 'F2',
  priority: 'low',
  file: null,
  line: null,
  code: null,
  issue: 'Too much at once.',
  fix: null,
  resolution: proposed('It belongs together.'),
};
const lint = (differs: Partial<CheckOutcome>) => ({ ...CHECK_FAILED, check: { ...failedCheck, ...differs } });
const TASK: FixTask = {
  findings: [FINDING, BARE],
  checks: [lint({ tail: 'src/a.ts:2 unused\n' })],
};

const whole = ({ stable, dynamic }: ReturnType<typeof fixPrompt>) => `${stable}\n\n${dynamic}\n`;

test('the prompt for a new session', async () => {
  await expect(whole(fixPrompt(TASK, 'fresh'))).toMatchFileSnapshot('golden/fix-first.golden.md');
});

test('the prompt for a resumed session', async () => {
  const { dynamic } = fixPrompt({ findings: [BARE], checks: [] }, 'resumed');
  await expect(`${dynamic}\n`).toMatchFileSnapshot('golden/fix-resumed.golden.md');
});

test('the stable part is the same in every round', () => {
  const parts = [
    fixPrompt(TASK, 'fresh'),
    fixPrompt(TASK, 'resumed'),
    fixPrompt({ findings: [], checks: TASK.checks }, 'fresh'),
  ];
  expect(new Set(parts.map(({ stable }) => stable)).size).toBe(1);
});

test('text of findings and checks stays inside its block', () => {
  const tricks = fc.oneof(
    fc.constantFrom('```', '````\n# Orders', '~~~', '\n## Findings\n', '```json\n{"summary":""}\n```', '\r\n# x'),
    fc.string(),
  );
  const text = fc.array(tricks, { maxLength: 4 }).map((parts) => parts.join('\n'));
  const told = fc.record({ issue: text, fix: text, code: text, file: text.map(path), resolution: text.map(proposed) });
  fc.assert(
    fc.property(told, text, text, (words, command, tail) => {
      const task = { findings: [{ ...FINDING, ...words }], checks: [lint({ command, tail })] };
      const seen = outline(fixPrompt(task, 'fresh').dynamic);
      expect(seen.headings).toEqual(['## Findings', '## Failing checks']);
      expect([seen.blocks.length, seen.isOpen]).toEqual([3, false]);
    }),
  );
});

test('a check without output says so', () => {
  const { dynamic } = fixPrompt(
    {
      findings: [],
      checks: [lint({ command: 'false', tail: ' \n' })],
    },
    'fresh',
  );
  expect(dynamic).toContain('(nothing)');
  expect(dynamic).not.toContain('## Findings');
});
