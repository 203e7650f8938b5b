import { describe, expect, test } from 'vitest';
import { type OutputSpecs, QualityGateError, type StepOutputs } from '../../src/domain/quality.ts';
import { outputFiles, qualityTasks, scopeReview } from '../../src/plan/quality-tasks.ts';

const OUTPUTS: StepOutputs = { report: 'report.md', pages: ['one.md', 'two.md'] };
const SPECS: OutputSpecs = { report: { type: 'file' }, pages: { type: 'files' }, extra: { type: 'files' } };

const review = (run_each: string) => ({ run_each, quality_criteria: { Clear: 'Is it clear?' } });

function targets(run_each: string, outputs: StepOutputs = OUTPUTS, specs: OutputSpecs = SPECS) {
  return qualityTasks(review(run_each), outputs, specs).map((task) => [task.about.target_file, task.outputs]);
}

describe('the evaluations of a review', () => {
  test('of the step: one, over all outputs [JOBS-REQ-004.7.3]', () => {
    expect(targets('step')).toEqual([[null, OUTPUTS]]);
  });

  test('of a files output: one for each file [JOBS-REQ-004.7.4]', () => {
    expect(targets('pages')).toEqual([
      ['one.md', { pages: 'one.md' }],
      ['two.md', { pages: 'two.md' }],
    ]);
  });

  test('of a file output: one of that file [JOBS-REQ-004.7.5]', () => {
    expect(targets('report')).toEqual([['report.md', { report: 'report.md' }]]);
  });

  test.each<[string, string, StepOutputs, OutputSpecs, readonly (string | null)[]]>([
    ['an output that was left out has none', 'extra', OUTPUTS, SPECS, []],
    ['a files output without files has none', 'pages', { pages: [] }, SPECS, []],
    ['a files output given as one path', 'pages', { pages: 'one.md' }, SPECS, ['one.md']],
    ['a file output given as a list of one', 'report', { report: ['report.md'] }, SPECS, ['report.md']],
    ['a file that is named twice is one file', 'pages', { pages: ['a.md', 'b.md', 'a.md'] }, SPECS, ['a.md', 'b.md']],
    [
      'a file that is written in two ways is one file, as it was written first',
      'pages',
      { pages: ['./a.md', 'a.md', 'b//c.md', 'b/./c.md', '/d.md', '//d.md'] },
      SPECS,
      ['./a.md', 'b//c.md', '/d.md'],
    ],
    [
      'what may be two files is two',
      'pages',
      { pages: ['b.md', 'a/../b.md', 'b.md/', 'b.md/.', '/b.md', '..b.md'] },
      SPECS,
      ['b.md', 'a/../b.md', 'b.md/', 'b.md/.', '/b.md', '..b.md'],
    ],
    ['an output that nobody specified is what it is given as', 'pages', OUTPUTS, {}, ['one.md', 'two.md']],
    ['an output with the name of the word', 'step', { step: 'a.md' }, { step: { type: 'file' } }, [null]],
    ['an output with a name of the language', '__proto__', { ['__proto__']: 'a.md' }, {}, ['a.md']],
  ])('%s', (_, run_each, outputs, specs, expected) => {
    expect(targets(run_each, outputs, specs).map(([file]) => file)).toEqual(expected);
  });

  test.each<[string, string, StepOutputs, OutputSpecs, string]>([
    [
      'a name that no output has',
      'pagse',
      OUTPUTS,
      SPECS,
      "A review has run_each 'pagse', and there is no such output: the outputs are 'report', 'pages', 'extra'. Use one of these, or 'step'.",
    ],
    [
      'a name where there are no outputs',
      'toString',
      {},
      {},
      "A review has run_each 'toString', and there is no such output: the step has no outputs. Use one of these, or 'step'.",
    ],
    [
      'several files where one belongs',
      'report',
      { report: ['a.md', 'b.md'] },
      SPECS,
      "Output 'report' is one file, and 2 were given: give one path.",
    ],
  ])('%s is an error', (_, run_each, outputs, specs, message) => {
    expect(() => targets(run_each, outputs, specs)).toThrow(new QualityGateError(message));
    expect(() => scopeReview(review(run_each), outputs, specs)).toThrow(QualityGateError);
  });
});

test('files are told in the order of the outputs, each with its output', () => {
  expect(outputFiles({ b: 'x.md', a: ['y.md', 'x.md', 'y.md'] })).toEqual([
    { output: 'b', path: 'x.md' },
    { output: 'a', path: 'y.md' },
    { output: 'a', path: 'x.md' },
  ]);
});
