import { describeProblem } from '@onceover/base/ui/describe-problem';
import { describe, expect, test } from 'vitest';
import { parseJob } from '../../../src/workflows/config/load.ts';

const WHOLE = `name: study
version: "1.2.0"
summary: Studies something.
common_job_info_provided_to_all_steps_at_runtime: |
  Cite what you read.
steps:
  - id: research
    name: Research
    description: Collects notes.
    instructions_file: steps/research.md
    inputs:
      - { name: question, description: What to find out. }
    outputs:
      notes: { type: files, description: One file a source. }
      index: { type: file, description: A list of them., required: false }
    reviews:
      - run_each: notes
        quality_criteria: { Cited: Does it name its source? }
        additional_review_guidance: A web page needs a date.
      - run_each: step
        quality_criteria: { Enough: Are there three notes?, Even: Are views balanced? }
  - id: report
    name: Report
    description: Writes it up.
    instructions_file: steps/report.md
    inputs:
      - { file: notes, from_step: research }
    outputs:
      report.md: { type: file, description: The report. }
    dependencies: [research]
workflows:
  - name: full
    summary: All of it.
    steps: [research, [report]]
`;

function parsed(text: string) {
  const job = parseJob(text);
  if (!job.ok)
    throw new Error(job.problems.map((problem) => describeProblem({ file: 'job.yml', ...problem })).join('\n'));
  return job;
}

function problems(text: string): readonly string[] {
  const job = parseJob(text);
  return job.ok ? [] : job.problems.map((problem) => describeProblem({ file: 'job.yml', ...problem }));
}

describe('a valid file', () => {
  test('is parsed completely', () => {
    const { job, place } = parsed(WHOLE);
    expect(place(['name'])).toEqual({ line: 1, column: 7 });
    expect(place(['steps', 0, 'instructions_file'])).toEqual({ line: 10, column: 24 });
    expect(place(['steps', 1, 'instructions_file'])).toEqual({ line: 25, column: 24 });
    expect(job).toEqual({
      name: 'study',
      version: '1.2.0',
      summary: 'Studies something.',
      common_job_info_provided_to_all_steps_at_runtime: 'Cite what you read.',
      workflows: [{ name: 'full', summary: 'All of it.', steps: [['research'], ['report']] }],
      steps: [
        {
          id: 'research',
          name: 'Research',
          description: 'Collects notes.',
          instructions_file: 'steps/research.md',
          inputs: [{ name: 'question', description: 'What to find out.' }],
          outputs: {
            notes: { type: 'files', description: 'One file a source.', required: true },
            index: { type: 'file', description: 'A list of them.', required: false },
          },
          dependencies: [],
          reviews: [
            {
              run_each: 'notes',
              quality_criteria: { Cited: 'Does it name its source?' },
              additional_review_guidance: 'A web page needs a date.',
            },
            {
              run_each: 'step',
              quality_criteria: { Enough: 'Are there three notes?', Even: 'Are views balanced?' },
            },
          ],
        },
        {
          id: 'report',
          name: 'Report',
          description: 'Writes it up.',
          instructions_file: 'steps/report.md',
          inputs: [{ file: 'notes', from_step: 'research' }],
          outputs: { 'report.md': { type: 'file', description: 'The report.', required: true } },
          dependencies: ['research'],
          reviews: [],
        },
      ],
    });
  });

  test('without workflows gets one with all steps, each after its dependencies', () => {
    const { job } = parsed(
      jobWith([step('c', { dependencies: ['b'] }), step('a'), step('b', { dependencies: ['a'] })]),
    );
    expect(job.workflows).toEqual([{ name: 'job', summary: 'Does things.', steps: [['a'], ['b'], ['c']] }]);
  });

  test('can use an output of an indirect dependency', () => {
    const steps = [
      step('a', { outputs: OUT }),
      step('b', { dependencies: ['a'] }),
      step('c', { dependencies: ['b'], inputs: [{ file: 'out', from_step: 'a' }] }),
    ];
    expect(problems(jobWith(steps))).toEqual([]);
  });
});

const OUT = { out: { type: 'file', description: 'Something.' } };
const CRITERIA = { quality_criteria: { Good: 'Is it good?' } };
const flow = (name: string, steps: readonly unknown[]) => ({ name, summary: 'Some.', steps });

function step(id: string, fields: object = {}): object {
  return { id, name: 'Step', description: 'Does it.', instructions_file: 'x.md', ...fields };
}

/** Returns a job as JSON, which is valid YAML, with one key per line. */
function jobWith(steps: readonly object[], fields: object = {}): string {
  return JSON.stringify({ name: 'job', version: '1', summary: 'Does things.', steps, ...fields }, null, 1);
}

describe('describes a problem in a sentence, with its position:', () => {
  test.each<[title: string, text: string, said: readonly string[]]>([
    ['nothing', '', ['"name" is missing', '"version" is missing', '"summary" is missing', '"steps" is missing']],
    ['not YAML', 'name: [', ['not valid YAML: ']],
    ['a list', '- a', ['the file must be a map of keys and values']],
    ['no steps', jobWith([]), ['"steps" must have at least 1 entry']],
    ['a name with capitals', jobWith([step('a')], { name: 'Job' }), ['"name" must begin with a lower-case letter']],
    ['a step id with a dash', jobWith([step('a-b')]), ['"steps #1: id" must begin with a lower-case letter']],
    ['a number as version', jobWith([step('a')], { version: 1 }), ['"version" must be text']],
    ['an unknown key', jobWith([step('a')], { step: [] }), ['unknown key "step"; did you mean "steps"?']],
    [
      'an unknown key of a step',
      jobWith([step('a', { output: {} })]),
      ['unknown key "output"; did you mean "outputs"?'],
    ],
    [
      'an unknown type of output',
      jobWith([step('a', { outputs: { out: { type: 'folder', description: 'x' } } })]),
      ['"steps #1: outputs.out.type" must be one of file, files'],
    ],
    [
      'an invalid input',
      jobWith([step('a', { inputs: [{ file: 'x' }] })]),
      ['"steps #1: inputs #1" must be {name, description} for an input from the user, or {file, from_step}'],
    ],
    [
      'an output called step',
      jobWith([step('a', { outputs: { step: OUT.out } })]),
      ['"step" cannot be the name of an output'],
    ],
    ['two steps with the same id', jobWith([step('a'), step('b'), step('a')]), ['line 7 already has a step "a";']],
    [
      'an unknown dependency',
      jobWith([step('research'), step('b', { dependencies: ['reserch'] })]),
      ['there is no step "reserch"; did you mean "research"?'],
    ],
    [
      'a step that depends on itself',
      jobWith([step('a', { dependencies: ['a'] })]),
      ['the step "a" depends on itself'],
    ],
    [
      'a cycle of steps',
      jobWith([
        step('a', { dependencies: ['c'] }),
        step('b', { dependencies: ['a'] }),
        step('c', { dependencies: ['b'] }),
      ]),
      ['these steps depend on each other, so none can ever start: "a" → "c" → "b" → "a"'],
    ],
    [
      'an input from an unknown step',
      jobWith([step('a', { inputs: [{ file: 'out', from_step: 'zero' }] })]),
      ['there is no step "zero"; known here: a'],
    ],
    [
      'an input from a step that is not a dependency',
      jobWith([step('a', { outputs: OUT }), step('b', { inputs: [{ file: 'out', from_step: 'a' }] })]),
      ['"b" does not depend on "a", whose outputs may not exist yet; add "a" to "dependencies"'],
    ],
    [
      'an input from an unknown output',
      jobWith([
        step('a', { outputs: OUT }),
        step('b', { dependencies: ['a'], inputs: [{ file: 'other', from_step: 'a' }] }),
      ]),
      ['the step "a" has no output "other"; known here: out'],
    ],
    [
      'run_each with an unknown output',
      jobWith([step('a', { outputs: OUT, reviews: [{ run_each: 'outs', ...CRITERIA }] })]),
      ['the step "a" has no output "outs"; did you mean "out"?'],
    ],
    [
      'no criteria',
      jobWith([step('a', { reviews: [{ run_each: 'step', quality_criteria: {} }] })]),
      ['a review needs at least one criterion'],
    ],
    [
      'a criterion without a question',
      jobWith([step('a', { reviews: [{ run_each: 'step', quality_criteria: { Good: ' ' } }] })]),
      ['"steps #1: reviews #1: quality_criteria.Good" must have at least 1 character'],
    ],
    [
      'a workflow with an unknown step',
      jobWith([step('a')], { workflows: [flow('w', ['a', ['b']])] }),
      ['there is no step "b"; did you mean "a"?'],
    ],
    [
      'a workflow with a step twice',
      jobWith([step('a'), step('b')], { workflows: [flow('w', ['a', ['b', 'a']])] }),
      ['the workflow "w" has the step "a" twice'],
    ],
    [
      'a workflow in the wrong order',
      jobWith([step('a'), step('b', { dependencies: ['a'] })], { workflows: [flow('w', ['b', 'a'])] }),
      ['the workflow "w" has the step "b" before "a", which it depends on'],
    ],
    [
      'a workflow with dependent steps in one group',
      jobWith([step('a'), step('b', { dependencies: ['a'] })], { workflows: [flow('w', [['a', 'b']])] }),
      ['the workflow "w" has the step "b" at the same time as "a", which it depends on'],
    ],
    [
      'a workflow without a dependency of its step',
      jobWith([step('a'), step('b', { dependencies: ['a'] })], { workflows: [flow('w', ['b'])] }),
      ['the workflow "w" has the step "b" but not "a", which it depends on'],
    ],
    [
      'two workflows with the same name',
      jobWith([step('a')], { workflows: [flow('w', ['a']), flow('w', ['a'])] }),
      ['line 15 already has a workflow "w";'],
    ],
    [
      'an empty group',
      jobWith([step('a')], { workflows: [flow('w', [[]])] }),
      ['"workflows #1: steps #1" must have at least 1 entry'],
    ],
  ])('%s', (_, text, messages) => {
    const texts = problems(text);
    expect(texts).toHaveLength(messages.length);
    for (const [i, message] of messages.entries()) {
      expect(texts[i]).toContain(message);
      expect(texts[i]).toMatch(/^job\.yml:\d+:\d+: \S/);
    }
  });

  test('every problem with its line and column', () => {
    const wrong = WHOLE.replace('dependencies: [research]', 'dependencies: [serch]').replace('[report]]', '[repert]]');
    expect(problems(wrong)).toEqual([
      'job.yml:27:35: "report" does not depend on "research", whose outputs may not exist yet; add "research" to "dependencies"',
      'job.yml:30:20: there is no step "serch"; known here: research, report',
      'job.yml:34:24: there is no step "repert"; did you mean "report"?',
    ]);
  });
});
