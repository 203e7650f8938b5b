import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_MAX_INLINE_FILES, QualityGate, QualityGateError, qualityTimeoutSeconds } from '../../src/index.ts';
import { FAILED, PASSED, projectWith, scriptedCli, thrownBy } from '../support/quality.ts';
import { readPayload } from '../support/quality-payload.ts';

const CRITERIA = { Clear: 'Is it clear?' };
const names = (count: number) => Array.from({ length: count }, (_, n) => `f${n}.md`);
const filesNamed = (count: number) => Object.fromEntries(names(count).map((name) => [name, `This is ${name}.\n`]));

describe('a quality gate', () => {
  test.each<[string, ConstructorParameters<typeof QualityGate>]>([
    ['nothing', []],
    ['no options', [{}]],
    ['no cli', [{ cli: null }]],
    ['an undefined one', [{ cli: undefined, maxInlineFiles: undefined }]],
    ['a cli', [{ cli: scriptedCli() }]],
  ])('is made of %s [JOBS-REQ-004.1.1] [JOBS-REQ-004.1.3]', (_, given) => {
    expect(new QualityGate(...given).maxInlineFiles).toBe(5);
    expect(DEFAULT_MAX_INLINE_FILES).toBe(5);
  });

  test.each([0, 1, 5, 6, 1000])(
    'inlines as many files as it is told: %i [JOBS-REQ-004.1.2] [JOBS-REQ-004.1.4]',
    async (most) => {
      const root = projectWith(filesNamed(7));
      const gate = new QualityGate({ maxInlineFiles: most });
      expect(gate.maxInlineFiles).toBe(most);
      const inlined = async (count: number) =>
        (await gate.buildPayload({ outputs: { pages: names(count) }, projectRoot: root })).includes('This is f0.md.');
      const counts = [1, 5, 6, 7];
      expect(await Promise.all(counts.map(inlined))).toEqual(counts.map((count) => count <= most));
    },
  );

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('does not take %d as a number of files', (most) => {
    expect(() => new QualityGate({ maxInlineFiles: most })).toThrow(
      new QualityGateError(`maxInlineFiles is ${most}: give a whole number, 0 or more.`),
    );
  });

  test('without a cli builds instructions all the same [JOBS-REQ-004.1.5]', async () => {
    const root = projectWith({ 'a.md': 'This is a.\n' });
    const text = await new QualityGate({ cli: null }).buildReviewInstructionsFile({
      reviews: [{ run_each: 'step', quality_criteria: CRITERIA }],
      outputs: { a: 'a.md' },
      outputSpecs: { a: { type: 'file' } },
      projectRoot: root,
    });
    expect(text).toContain('- **Clear**: Is it clear?');
    expect(text).toContain('-------------------- a.md --------------------\n```\nThis is a.\n```\n');
    expect(text).toContain(`Paths count from ${root}.`);
  });

  test('without a cli does not evaluate [JOBS-REQ-004.1.6] [JOBS-REQ-004.6.2]', async () => {
    const given = { qualityCriteria: CRITERIA, outputs: {}, projectRoot: projectWith({}) };
    for (const gate of [new QualityGate(), new QualityGate({ cli: null })]) {
      const error = await thrownBy(() => gate.evaluate(given));
      expect(error).toBeInstanceOf(QualityGateError);
      expect(error).toMatchObject({
        name: 'QualityGateError',
        message:
          'There are quality criteria and nobody to evaluate them: give the QualityGate a cli, or build review instructions.',
      });
    }
  });
});

describe('the payload', () => {
  const gate = new QualityGate();

  test('of as many files as may be inline: their contents [JOBS-REQ-004.3.1] [JOBS-REQ-004.4.2]', async () => {
    const root = projectWith(filesNamed(5));
    const payload = await gate.buildPayload({ outputs: { pages: names(4), more: 'f4.md' }, projectRoot: root });
    expect(readPayload(payload).files).toEqual(
      names(5).map((name) => ({ name, content: `This is ${name}.\n`, words: null })),
    );
  });

  test('of one more: only paths, how many, and to read them [JOBS-REQ-004.3.2] [JOBS-REQ-004.3.3] [JOBS-REQ-004.3.4]', async () => {
    const root = projectWith(filesNamed(6));
    const payload = await gate.buildPayload({ outputs: { pages: names(5), more: 'f5.md' }, projectRoot: root });
    expect(payload).toBe(`==================== BEGIN OUTPUTS ====================
There are 6 output files, more than are shown with their contents, so only their paths are listed. Read the files as needed to judge the criteria. Paths count from ${root}.

- f0.md (output: pages)
- f1.md (output: pages)
- f2.md (output: pages)
- f3.md (output: pages)
- f4.md (output: pages)
- f5.md (output: more)
==================== END OUTPUTS ====================`);
  });

  test('of nothing [JOBS-REQ-004.3.8]', async () => {
    for (const notes of [undefined, null, '', ' \n']) {
      expect(await gate.buildPayload({ outputs: {}, projectRoot: '/nowhere', notes })).toBe('[No files provided]');
    }
  });

  test('with notes [JOBS-REQ-004.3.7]', async () => {
    const payload = await gate.buildPayload({ outputs: {}, projectRoot: '/nowhere', notes: '  As is.\n' });
    expect(readPayload(payload)).toEqual({ files: [], notes: '  As is.\n' });
  });

  test('of what cannot be shown, byte for byte [JOBS-REQ-004.4.3] [JOBS-REQ-004.4.4] [JOBS-REQ-004.4.5]', async () => {
    const root = projectWith({ 'logo.png': Buffer.from([0x89, 0x50, 0xff]) });
    mkdirSync(join(root, 'folder'));
    const outputs = { all: ['logo.png', 'gone.md', 'folder'] };
    expect(
      await gate.buildPayload({ outputs, projectRoot: root }),
    ).toBe(`==================== BEGIN OUTPUTS ====================

-------------------- logo.png --------------------
[Binary file - not included in review. Read from: ${root}/logo.png]

-------------------- gone.md --------------------
[File not found]

-------------------- folder --------------------
[Error reading file: it is a folder]

==================== END OUTPUTS ====================`);
  });

  test.each<[string, string, number]>([
    ['a path', '../secret.txt', 5],
    ['a path that is only listed', '../secret.txt', 0],
    ['a link', 'link.md', 5],
    ['a link that is only listed', 'link.md', 0],
    ['an absolute path', '/etc/hostname', 5],
  ])('of %s that leads out is an error, and of everything with it', async (_, path, maxInlineFiles) => {
    const outer = projectWith({ 'project/a.md': 'a', 'secret.txt': 'secret' });
    const root = join(outer, 'project');
    symlinkSync('../secret.txt', join(root, 'link.md'));
    const outputs = { report: ['a.md', path] };
    const cli = scriptedCli();
    const strict = new QualityGate({ cli, maxInlineFiles });
    const acts = [
      () => strict.buildPayload({ outputs, projectRoot: root }),
      () => strict.evaluate({ qualityCriteria: CRITERIA, outputs, projectRoot: root }),
      ...(['evaluateReviews', 'buildReviewInstructionsFile'] as const).map((name) => () => {
        const reviews = ['step', 'report'].map((run_each) => ({ run_each, quality_criteria: CRITERIA }));
        return strict[name]({ reviews, outputs, outputSpecs: {}, projectRoot: root });
      }),
    ];
    for (const act of acts) {
      expect(await thrownBy(act)).toEqual(
        new QualityGateError(
          `Output 'report' names ${path}, which leads out of the project or into its git folder. Name files below ${root}.`,
        ),
      );
    }
    expect(cli.calls).toEqual([]);
  });

  test('of a project that is not there is an error', async () => {
    const error = await thrownBy(() => gate.buildPayload({ outputs: { a: 'a.md' }, projectRoot: '/nowhere/at/all' }));
    expect(error).toBeInstanceOf(QualityGateError);
    expect(error).toMatchObject({
      message: "The project's root cannot be opened: ENOENT: no such file or directory, realpath '/nowhere/at/all'",
      cause: { code: 'ENOENT' },
    });
  });
});

describe('evaluate', () => {
  test('without criteria passes, whoever there is and whatever the outputs are [JOBS-REQ-004.6.1]', async () => {
    const cli = scriptedCli(() => FAILED);
    for (const gate of [new QualityGate(), new QualityGate({ cli })]) {
      expect(await gate.evaluate({ qualityCriteria: {}, outputs: { a: '../x' }, projectRoot: '/nowhere' })).toEqual({
        passed: true,
        feedback: 'No quality criteria defined - auto-passing',
        criteria_results: [],
      });
    }
    expect(cli.calls).toEqual([]);
  });

  test('asks the cli once, with criteria, notes and guidance, the payload, a schema, a time and a place [JOBS-REQ-004.2.2] [JOBS-REQ-004.2.3] [JOBS-REQ-004.2.4] [JOBS-REQ-004.6.3]', async () => {
    const root = projectWith(filesNamed(8));
    const cli = scriptedCli();
    const gate = new QualityGate({ cli });
    for (const count of [1, 8]) {
      const given = { outputs: { pages: names(count) }, projectRoot: root, notes: 'Mind the gap.' };
      const measure = { qualityCriteria: CRITERIA, additionalReviewGuidance: 'Compare with f0.md.' };
      expect(await gate.evaluate({ ...given, ...measure })).toEqual(PASSED);
      const call = cli.calls.at(-1);
      expect(call).toEqual({
        systemPrompt: expect.stringContaining(
          '- **Clear**: Is it clear?\n\n## Additional Context\n\nCompare with f0.md.',
        ),
        prompt: await gate.buildPayload(given),
        jsonSchema: SCHEMA,
        timeoutSeconds: qualityTimeoutSeconds(count),
        cwd: root,
      });
      expect(call?.systemPrompt).toContain('## Author Notes\n');
      expect(call?.systemPrompt).toContain('Mind the gap.');
    }
    expect(cli.calls.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([240, 330]);
  });

  test('the schema requires passed and feedback, and of a result criterion and passed [JOBS-REQ-004.2.5] [JOBS-REQ-004.2.6]', async () => {
    const cli = scriptedCli();
    await new QualityGate({ cli }).evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' });
    expect(cli.calls[0]?.jsonSchema).toEqual(SCHEMA);
  });

  test('has the verdict as it was given', async () => {
    const said = { ...FAILED, criteria_results: [{ criterion: 'Clear', passed: false, feedback: 'Line 3.' }] };
    const gate = new QualityGate({ cli: scriptedCli(() => said) });
    expect(await gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' })).toEqual(said);
  });

  test('a pass in which a criterion failed is none, and both are told', async () => {
    const criteria_results = [{ criterion: 'Clear', passed: false, feedback: null }];
    const gate = new QualityGate({ cli: scriptedCli(() => ({ ...PASSED, criteria_results })) });
    expect(await gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' })).toEqual({
      passed: false,
      feedback: 'Good.\n\nThe reviewer passed the outputs as a whole, but failed "Clear".',
      criteria_results,
    });
    // Taken literally, it is what was said.
    expect(gate.parseResult({ ...PASSED, criteria_results })).toEqual({ ...PASSED, criteria_results });
  });

  test.each<[string, () => unknown, string]>([
    ['an error', () => Promise.reject(new Error('claude is not logged in')), 'claude is not logged in'],
    [
      'an error at once',
      () => {
        throw new RangeError('no');
      },
      'no',
    ],
    ['something else', () => Promise.reject('stopped'), 'stopped'],
    ['an error of our own', () => Promise.reject(new QualityGateError('inner')), 'inner'],
  ])('%s of the cli is a QualityGateError with its cause [JOBS-REQ-004.6.4]', async (_, run, words) => {
    const gate = new QualityGate({ cli: { run: run as () => Promise<unknown> } });
    const error = await thrownBy(() => gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' }));
    expect(error).toBeInstanceOf(QualityGateError);
    expect(error).toMatchObject({ message: `The reviewer gave no verdict: ${words}` });
    const { cause } = error as QualityGateError;
    expect(cause instanceof Error ? cause.message : cause).toBe(words);
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['null', null],
    ['nothing', undefined],
    ['a string', 'passed'],
    ['a word for passed', { passed: 'yes', feedback: 'x' }],
    ['results that are none', { passed: true, feedback: 'x', criteria_results: 'all' }],
  ])('an answer that is %s is a QualityGateError and no pass [JOBS-REQ-004.9.5]', async (_, answer) => {
    const gate = new QualityGate({ cli: scriptedCli(() => answer) });
    const error = await thrownBy(() => gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' }));
    expect(error).toBeInstanceOf(QualityGateError);
    expect(() => gate.parseResult(answer)).toThrow(QualityGateError);
  });

  test.each<[string, object, object]>([
    ['passed is missing [JOBS-REQ-004.9.2]', { feedback: 'x' }, { ...FAILED, feedback: 'x' }],
    ['feedback is missing [JOBS-REQ-004.9.3]', { passed: true }, { ...PASSED, feedback: 'No feedback provided' }],
    ['everything is missing [JOBS-REQ-004.9.4]', {}, { ...FAILED, feedback: 'No feedback provided' }],
  ])('an answer in which %s', async (_, answer, expected) => {
    const gate = new QualityGate({ cli: scriptedCli(() => answer) });
    expect(await gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' })).toEqual(expected);
  });
});

const SCHEMA = {
  type: 'object',
  properties: {
    passed: { type: 'boolean' },
    feedback: { type: 'string' },
    criteria_results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          criterion: { type: 'string' },
          passed: { type: 'boolean' },
          feedback: { type: ['string', 'null'] },
        },
        required: ['criterion', 'passed'],
        additionalProperties: false,
      },
    },
  },
  required: ['passed', 'feedback'],
  additionalProperties: false,
};
