import { readable } from '@onceover/base/ui/markdown-text';
import type { Priority } from '@onceover/repo/config/settings';
import { ENDS, judged, MIXED, STOPPED } from '@onceover/testing/ended-runs.ts';
import { hostileFailure, hostileRun, hostileText } from '@onceover/testing/hostile.ts';
import { outline } from '@onceover/testing/markdown.ts';
import { finding, path } from '@onceover/testing/run-samples.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedRun } from '../../src/reports/finished-run.ts';
import { githubAnnotations, githubSummary } from '../../src/reports/github.ts';
import { markdownReport } from '../../src/reports/markdown.ts';

const commandsOf = (run: EndedRun) => commandsIn(githubAnnotations(run));
const many = (count: number, priority: Priority) =>
  Array.from(
    { length: count },
    (_, n) => ({ finding: finding({ id: `F${n + 1}`, priority }), state: 'open' }) as const,
  );

describe('annotations', () => {
  test('match their golden file', async () => {
    await expect(githubAnnotations(MIXED)).toMatchFileSnapshot('golden/mixed.github.txt');
  });

  test.each(ENDS)('have an error only if the exit code is not 0: %s', (_title, run) => {
    const commands = commandsOf(run);
    if (run.exitCode !== 0) expect(commands).not.toEqual([]);
    else expect(commands.filter(({ name }) => name === 'error')).toEqual([]);
  });

  test('no text of a reviewer becomes a workflow command or a part of one', () => {
    fc.assert(
      fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
        const text = githubAnnotations(run);
        const lines = text.split('\n').slice(0, -1);
        const commands = commandsIn(text);
        expect(commands).toHaveLength(lines.length);
        for (const { name, properties } of commands) {
          expect(['error', 'warning', 'notice']).toContain(name);
          expect(Object.keys(properties).filter((key) => !['file', 'line', 'endLine', 'title'].includes(key))).toEqual(
            [],
          );
        }
      }),
    );
  });

  test('a message decodes to the text of the reviewer', () => {
    fc.assert(
      fc.property(hostileText, (issue) => {
        const run = judged({ findings: [{ finding: finding({ issue, fix: null }), state: 'open' }] });
        expect(commandsOf(run)[0]?.data).toBe(readable(issue));
      }),
    );
  });

  test('a path decodes to the same path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        const run = judged({ findings: [{ finding: finding({ file: path(name) }), state: 'open' }] });
        expect(commandsOf(run)[0]?.properties['file']).toBe(name);
      }),
    );
  });

  test('more severe findings come first, and the rest is counted', () => {
    const findings = [...many(12, 'low'), ...many(11, 'medium'), ...many(3, 'high'), ...many(10, 'critical')];
    const commands = commandsOf(judged({ status: 'failed', exitCode: 1, findings }));
    const number = (kind: string) => commands.filter(({ name }) => name === kind).length;
    expect([number('error'), number('warning'), number('notice')]).toEqual([10, 10, 10]);
    expect(commands.slice(0, 10).every(({ properties }) => properties['title']?.includes('critical'))).toBe(true);
    expect(commands.at(-1)?.data).toBe('7 more annotations are not shown here; see the job summary.');
  });

  test('ten findings need no count', () => {
    expect(commandsOf(judged({ findings: many(10, 'high') })).map(({ name }) => name)).toEqual(Array(10).fill('error'));
  });

  test('gates without a result share one annotation', () => {
    const gates = Array.from({ length: 30 }, (_, n) => ({ ...STOPPED, id: `review:${n}:x` }));
    const commands = commandsOf(judged({ status: 'failed', exitCode: 1, gates, findings: many(9, 'high') }));
    expect(commands).toHaveLength(10);
    expect(commands[0]?.data.split('\n')).toHaveLength(30);
  });

  test('waived findings are left out', () => {
    expect(githubAnnotations(judged({ findings: [{ finding: finding(), state: 'waived' }] }))).toBe('');
  });

  test('a long message is cut', () => {
    const [command] = commandsOf(
      judged({ findings: [{ finding: finding({ issue: 'ä'.repeat(9000) }), state: 'open' }] }),
    );
    expect(command?.data).toHaveLength(4001);
  });
});

describe('the summary of a job', () => {
  test('is the Markdown report', () => {
    expect(githubSummary(MIXED)).toBe(markdownReport(MIXED));
  });

  test('is cut with a notice if it is too large', () => {
    const code = `${'x'.repeat(99)}\n`.repeat(4000);
    const findings = Array.from({ length: 4 }, (_, n) => ({
      finding: finding({ id: `F${n}`, code }),
      state: 'open' as const,
    }));
    const text = githubSummary(judged({ status: 'failed', exitCode: 1, findings }));
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
    expect(text).toMatch(/^# Failed/);
    expect(text).toMatch(/The report is too long for a job summary\. .*\n$/);
    expect(outline(text).isOpen).toBe(false);
    expect(outline(text).blocks.some((block) => block.text.includes('The report is too long'))).toBe(false);
  });

  test('is cut between characters', () => {
    const issue = '€'.repeat(400_000);
    const text = githubSummary(judged({ findings: [{ finding: finding({ issue }), state: 'open' }] }));
    expect(text).not.toContain('\ufffd');
  });
});

test('the test helper recognizes workflow commands', () => {
  const log = '  ::set-output name=a::b\r\u00a0::Stop-Commands::x\nplain\nx ##[add-mask]y\n::nonsense::\n';
  expect(commandsIn(log).map(({ name }) => name)).toEqual(['set-output', 'Stop-Commands', 'add-mask']);
  expect(fc.sample(hostileText, 300).some((text) => commandsIn(text).length > 0)).toBe(true);
});
