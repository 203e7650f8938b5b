import { describe, expect, test } from 'vitest';
import { outputFiles, qualityTasks, scopeReview } from '../../../src/workflows/quality/tasks.ts';
import { type OutputSpecs, QualityGateError, type StepOutputs } from '../../../src/workflows/quality/types.ts';

const OUTPUTS: StepOutputs = { report: 'report.md', pages: ['one.md', 'two.md'] };
const SPECS: OutputSpecs = { report: { type: 'file' }, pages: { type: 'files' }, extra: { type: 'files' } };

const review = (run_each: string) => ({ run_each, quality_criteria: { Clear: 'Is it clear?' } });

function targets(run_each: string, outputs: StepOutputs = OUTPUTS, specs: OutputSpecs = SPECS) {
  return qualityTasks(review(run_each), outputs, specs).map((task) => [task.about.target_file, task.outputs]);
}

describe('the evaluations of a review', () => {
  test('of the step: one for all outputs [JOBS-REQ-004.7.3]', () => {
    expect(targets('step')).toEqual([[null, OUTPUTS]]);
  });

  test('of a files output: one per file [JOBS-REQ-004.7.4]', () => {
    expect(targets('pages')).toEqual([
      ['one.md', { pages: 'one.md' }],
      ['two.md', { pages: 'two.md' }],
    ]);
  });

  test('of a file output: one for that file [JOBS-REQ-004.7.5]', () => {
    expect(targets('report')).toEqual([['report.md', { report: 'report.md' }]]);
  });

  test.each<[string, string, StepOutputs, OutputSpecs, readonly (string | null)[]]>([
    ['a missing optional output: none', 'extra', OUTPUTS, SPECS, []],
    ['a files output without files: none', 'pages', { pages: [] }, SPECS, []],
    ['a files output given as one path', 'pages', { pages: 'one.md' }, SPECS, ['one.md']],
    ['a file output given as a list of one', 'report', { report: ['report.md'] }, SPECS, ['report.md']],
    ['a file that is named twice: one', 'pages', { pages: ['a.md', 'b.md', 'a.md'] }, SPECS, ['a.md', 'b.md']],
    [
      'two spellings of a path: one, with the first spelling',
      'pages',
      { pages: ['./a.md', 'a.md', 'b//c.md', 'b/./c.md', '/d.md', '//d.md'] },
      SPECS,
      ['./a.md', 'b//c.md', '/d.md'],
    ],
    [
      'paths that may be different files: one each',
      'pages',
      { pages: ['b.md', 'a/../b.md', 'b.md/', 'b.md/.', '/b.md', '..b.md'] },
      SPECS,
      ['b.md', 'a/../b.md', 'b.md/', 'b.md/.', '/b.md', '..b.md'],
    ],
    ['an output without a spec: by the given value', 'pages', OUTPUTS, {}, ['one.md', 'two.md']],
    ['an output called step', 'step', { step: 'a.md' }, { step: { type: 'file' } }, [null]],
    ['an output called __proto__', '__proto__', { ['__proto__']: 'a.md' }, {}, ['a.md']],
  ])('%s', (_, run_each, outputs, specs, expected) => {
    expect(targets(run_each, outputs, specs).map(([file]) => file)).toEqual(expected);
  });

  test.each<[string, string, StepOutputs, OutputSpecs, string]>([
    [
      'an unknown output',
      'pagse',
      OUTPUTS,
      SPECS,
      "A review has run_each 'pagse', but the step has no such output. Use one of: 'step', 'report', 'pages', 'extra'.",
    ],
    [
      'an output of a step without outputs',
      'toString',
      {},
      {},
      "A review has run_each 'toString', but the step has no such output. Use one of: 'step'.",
    ],
    [
      'several paths for one file',
      'report',
      { report: ['a.md', 'b.md'] },
      SPECS,
      "Output 'report' must be one file, but 2 paths were given. Give one path.",
    ],
  ])('%s is an error', (_, run_each, outputs, specs, message) => {
    expect(() => targets(run_each, outputs, specs)).toThrow(new QualityGateError(message));
    expect(() => scopeReview(review(run_each), outputs, specs)).toThrow(QualityGateError);
  });
});

test('returns files in the order of the outputs, each with its output', () => {
  expect(outputFiles({ b: 'x.md', a: ['y.md', 'x.md', 'y.md'] })).toEqual([
    { output: 'b', path: 'x.md' },
    { output: 'a', path: 'y.md' },
    { output: 'a', path: 'x.md' },
  ]);
});
