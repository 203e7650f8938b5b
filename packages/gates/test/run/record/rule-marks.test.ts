import { memoryContents } from '@onceover/testing/memory/contents.ts';
import { memoryPasses } from '@onceover/testing/memory/passes.ts';
import { rule, ruleTask } from '@onceover/testing/rules.ts';
import { entry, reviewGate } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { watchGateFiles } from '../../../src/run/record/after-run.ts';
import { markPassed } from '../../../src/run/record/marks.ts';

const RULE = reviewGate({ kind: 'rule', id: 'rule:.:style:src/a.ts', task: ruleTask(rule(), 'src/a.ts') });

test.each<[string, string, string, number]>([
  ['marks files that are untouched', 'seen', 'seen', 1],
  ['does not mark files that were edited after the state was read', 'seen', 'edited', 0],
])('%s', async (_title, before, after, marks) => {
  let now = before;
  const isLeftAlone = watchGateFiles({ touched: (paths) => `${now} ${paths.join()}` }, [RULE]);
  const ports = {
    passes: memoryPasses(),
    contents() {
      now = after;
      return memoryContents({ 'src/a.ts': 'text\n' });
    },
    references: () => memoryContents({}),
  };
  await markPassed(ports, [RULE], new Set([RULE.id]), new Date(0), [], isLeftAlone);
  const marked = await ports.passes.marked();
  expect(marked.ok && marked.value.ids.size).toBe(marks);
});

test('does not mark a gate whose files are others now', () => {
  const isLeftAlone = watchGateFiles({ touched: (paths) => paths.join() }, [RULE]);
  expect(isLeftAlone({ ...RULE, entries: [...RULE.entries, entry({ path: 'src/b.ts' })] })).toBe(false);
});
