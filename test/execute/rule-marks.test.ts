import { expect, test } from 'vitest';
import { markPassed, watchMarked } from '../../src/execute/rule-marks.ts';
import { memoryContents } from '../support/memory/contents.ts';
import { memoryPasses } from '../support/memory/passes.ts';
import { rule, ruleTask } from '../support/rules.ts';
import { entry, reviewGate } from '../support/run-samples.ts';

const RULE = reviewGate({ kind: 'rule', id: 'rule:.:style:src/a.ts', task: ruleTask(rule(), 'src/a.ts') });

test.each<[string, string, string, number]>([
  ['files that were left alone are marked as passed', 'seen', 'seen', 1],
  ['files that were edited since it was looked whether they pass are not', 'seen', 'edited', 0],
])('%s', async (_title, before, after, marks) => {
  let now = before;
  const isLeftAlone = watchMarked({ touched: (paths) => `${now} ${paths.join()}` }, [RULE]);
  const ports = {
    passes: memoryPasses(),
    contents() {
      now = after;
      return memoryContents({ 'src/a.ts': 'text\n' });
    },
  };
  await markPassed(ports, [RULE], new Set([RULE.id]), new Date(0), [], isLeftAlone);
  const marked = await ports.passes.marked();
  expect(marked.ok && marked.value.ids.size).toBe(marks);
});

test('a gate that has other files by now was not watched', () => {
  const isLeftAlone = watchMarked({ touched: (paths) => paths.join() }, [RULE]);
  expect(isLeftAlone({ ...RULE, entries: [...RULE.entries, entry({ path: 'src/b.ts' })] })).toBe(false);
});
