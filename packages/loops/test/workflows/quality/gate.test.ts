import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FAILED, PASSED, projectWith, scriptedCli, thrownBy } from '@onceover/testing/quality.ts';
import { readPayload } from '@onceover/testing/quality-payload.ts';
import { describe, expect, test } from 'vitest';
import { DEFAULT_MAX_INLINE_FILES, QualityGate } from '../../../src/workflows/quality/gate.ts';
import { qualityTimeoutSeconds } from '../../../src/workflows/quality/tasks.ts';
import { QualityGateError } from '../../../src/workflows/quality/types.ts';

const CRITERIA = { Clear: 'Is it clear?' };
const names = (count: number) => Array.from({ length: count }, (_, n) => `f${n}.md`);
const filesNamed = (count: number) => Object.fromEntries(names(count).map((name) => [name, `This is ${name}.\n`]));

describe('a quality gate', () => {
  test.each<[string, ConstructorParameters<typeof QualityGate>]>([
    ['nothing', []],
    ['no options', [{}]],
    ['no cli', [{ cli: null }]],
    ['undefined options', [{ cli: undefined, maxInlineFiles: undefined }]],
    ['a cli', [{ cli: scriptedCli() }]],
  ])('can be created with %s [JOBS-REQ-004.1.1] [JOBS-REQ-004.1.3]', (_, args) => {
    expect(new QualityGate(...args).maxInlineFiles).toBe(5);
    expect(DEFAULT_MAX_INLINE_FILES).toBe(5);
  });

  test.each([0, 1, 5, 6, 1000])(
    'inlines up to maxInlineFiles files: %i [JOBS-REQ-004.1.2] [JOBS-REQ-004.1.4]',
    async (limit) => {
      const root = projectWith(filesNamed(7));
      const gate = new QualityGate({ maxInlineFiles: limit });
      expect(gate.maxInlineFiles).toBe(limit);
      const isInlined = async (count: number) =>
        (await gate.buildPayload({ outputs: { pages: names(count) }, projectRoot: root })).includes('This is f0.md.');
      const counts = [1, 5, 6, 7];
      expect(await Promise.all(counts.map(isInlined))).toEqual(counts.map((count) => count <= limit));
    },
  );

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects %d as maxInlineFiles', (limit) => {
    expect(() => new QualityGate({ maxInlineFiles: limit })).toThrow(
      new QualityGateError(`maxInlineFiles is ${limit}: give a whole number, 0 or more.`),
    );
  });

  test('builds instructions without a cli [JOBS-REQ-004.1.5]', async () => {
    const root = projectWith({ 'a.md': 'This is a.\n' });
    const text = await new QualityGate({ cli: null }).buildReviewInstructionsFile({
      reviews: [{ run_each: 'step', quality_criteria: CRITERIA }],
      outputs: { a: 'a.md' },
      outputSpecs: { a: { type: 'file' } },
      projectRoot: root,
    });
    expect(text).toContain('- **Clear**: Is it clear?');
    expect(text).toContain('-------------------- a.md --------------------\n```\nThis is a.\n```\n');
    expect(text).toContain(`Paths are relative to ${root}.`);
  });

  test('does not evaluate without a cli [JOBS-REQ-004.1.6] [JOBS-REQ-004.6.2]', async () => {
    const evaluation = { qualityCriteria: CRITERIA, outputs: {}, projectRoot: projectWith({}) };
    for (const gate of [new QualityGate(), new QualityGate({ cli: null })]) {
      const error = await thrownBy(() => gate.evaluate(evaluation));
      expect(error).toBeInstanceOf(QualityGateError);
      expect(error).toMatchObject({
        name: 'QualityGateError',
        message:
          'This QualityGate has no reviewer for the criteria. Pass it a cli, or call buildReviewInstructionsFile.',
      });
    }
  });
});

describe('the payload', () => {
  const gate = new QualityGate();

  test('has the contents of up to maxInlineFiles files [JOBS-REQ-004.3.1] [JOBS-REQ-004.4.2]', async () => {
    const root = projectWith(filesNamed(5));
    const payload = await gate.buildPayload({ outputs: { pages: names(4), more: 'f4.md' }, projectRoot: root });
    expect(readPayload(payload).files).toEqual(
      names(5).map((name) => ({ name, content: `This is ${name}.\n`, words: null })),
    );
  });

  test('lists only paths of more files, with their number and a request to read them [JOBS-REQ-004.3.2] [JOBS-REQ-004.3.3] [JOBS-REQ-004.3.4]', async () => {
    const root = projectWith(filesNamed(6));
    const payload = await gate.buildPayload({ outputs: { pages: names(5), more: 'f5.md' }, projectRoot: root });
    expect(payload).toBe(`==================== BEGIN OUTPUTS ====================
There are 6 output files, too many to include their contents, so only their paths are listed. Read the files as needed to judge the criteria. Paths are relative to ${root}.

- f0.md (output: pages)
- f1.md (output: pages)
- f2.md (output: pages)
- f3.md (output: pages)
- f4.md (output: pages)
- f5.md (output: more)
==================== END OUTPUTS ====================`);
  });

  test('says if there are no files [JOBS-REQ-004.3.8]', async () => {
    for (const notes of [undefined, null, '', ' \n']) {
      expect(await gate.buildPayload({ outputs: {}, projectRoot: '/nowhere', notes })).toBe('[No files provided]');
    }
  });

  test('includes notes [JOBS-REQ-004.3.7]', async () => {
    const payload = await gate.buildPayload({ outputs: {}, projectRoot: '/nowhere', notes: '  As is.\n' });
    expect(readPayload(payload)).toEqual({ files: [], notes: '  As is.\n' });
  });

  test('has a placeholder for content that cannot be shown [JOBS-REQ-004.4.3] [JOBS-REQ-004.4.4] [JOBS-REQ-004.4.5]', async () => {
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
  ])('rejects all outputs if %s leads out of the project', async (_, path, maxInlineFiles) => {
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
          `Output 'report' names ${path}, which is outside the project or inside its git folder. Name files below ${root}.`,
        ),
      );
    }
    expect(cli.calls).toEqual([]);
  });

  test('throws if the project does not exist', async () => {
    const error = await thrownBy(() => gate.buildPayload({ outputs: { a: 'a.md' }, projectRoot: '/nowhere/at/all' }));
    expect(error).toBeInstanceOf(QualityGateError);
    expect(error).toMatchObject({
      message: "The project root cannot be opened: ENOENT: no such file or directory, realpath '/nowhere/at/all'",
      cause: { code: 'ENOENT' },
    });
  });
});

describe('evaluate', () => {
  test('passes without criteria, with or without a cli and for any outputs [JOBS-REQ-004.6.1]', async () => {
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

  test('calls the cli once, with criteria, notes, guidance, payload, schema, timeout and folder [JOBS-REQ-004.2.2] [JOBS-REQ-004.2.3] [JOBS-REQ-004.2.4] [JOBS-REQ-004.6.3]', async () => {
    const root = projectWith(filesNamed(8));
    const cli = scriptedCli();
    const gate = new QualityGate({ cli });
    for (const count of [1, 8]) {
      const evaluation = { outputs: { pages: names(count) }, projectRoot: root, notes: 'Mind the gap.' };
      const measure = { qualityCriteria: CRITERIA, additionalReviewGuidance: 'Compare with f0.md.' };
      expect(await gate.evaluate({ ...evaluation, ...measure })).toEqual(PASSED);
      const call = cli.calls.at(-1);
      expect(call).toEqual({
        systemPrompt: expect.stringContaining(
          '- **Clear**: Is it clear?\n\n## Additional Context\n\nCompare with f0.md.',
        ),
        prompt: await gate.buildPayload(evaluation),
        jsonSchema: SCHEMA,
        timeoutSeconds: qualityTimeoutSeconds(count),
        cwd: root,
      });
      expect(call?.systemPrompt).toContain('## Author Notes\n');
      expect(call?.systemPrompt).toContain('Mind the gap.');
    }
    expect(cli.calls.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([240, 330]);
  });

  test('requires passed and feedback in the schema, and criterion and passed per result [JOBS-REQ-004.2.5] [JOBS-REQ-004.2.6]', async () => {
    const cli = scriptedCli();
    await new QualityGate({ cli }).evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' });
    expect(cli.calls[0]?.jsonSchema).toEqual(SCHEMA);
  });

  test('returns the verdict of the reviewer', async () => {
    const verdict = { ...FAILED, criteria_results: [{ criterion: 'Clear', passed: false, feedback: 'Line 3.' }] };
    const gate = new QualityGate({ cli: scriptedCli(() => verdict) });
    expect(await gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' })).toEqual(verdict);
  });

  test('does not count a pass with a failed criterion, and says why', async () => {
    const criteria_results = [{ criterion: 'Clear', passed: false, feedback: null }];
    const gate = new QualityGate({ cli: scriptedCli(() => ({ ...PASSED, criteria_results })) });
    expect(await gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' })).toEqual({
      passed: false,
      feedback: 'Good.\n\nThe reviewer passed the outputs as a whole, but failed "Clear".',
      criteria_results,
    });
    // parseResult is literal: it does not check the criteria.
    expect(gate.parseResult({ ...PASSED, criteria_results })).toEqual({ ...PASSED, criteria_results });
  });

  test.each<[string, () => unknown, string]>([
    ['an error', () => Promise.reject(new Error('claude is not logged in')), 'claude is not logged in'],
    [
      'a synchronous error',
      () => {
        throw new RangeError('no');
      },
      'no',
    ],
    ['a rejected string', () => Promise.reject('stopped'), 'stopped'],
    ['a QualityGateError', () => Promise.reject(new QualityGateError('inner')), 'inner'],
  ])('turns %s of the cli into a QualityGateError with its cause [JOBS-REQ-004.6.4]', async (_, run, words) => {
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
    ['a string for criteria_results', { passed: true, feedback: 'x', criteria_results: 'all' }],
  ])('throws a QualityGateError for an answer that is %s [JOBS-REQ-004.9.5]', async (_, answer) => {
    const gate = new QualityGate({ cli: scriptedCli(() => answer) });
    const error = await thrownBy(() => gate.evaluate({ qualityCriteria: CRITERIA, outputs: {}, projectRoot: '/' }));
    expect(error).toBeInstanceOf(QualityGateError);
    expect(() => gate.parseResult(answer)).toThrow(QualityGateError);
  });

  test.each<[string, object, object]>([
    ['passed is missing [JOBS-REQ-004.9.2]', { feedback: 'x' }, { ...FAILED, feedback: 'x' }],
    ['feedback is missing [JOBS-REQ-004.9.3]', { passed: true }, { ...PASSED, feedback: 'No feedback provided' }],
    ['everything is missing [JOBS-REQ-004.9.4]', {}, { ...FAILED, feedback: 'No feedback provided' }],
  ])('uses defaults if %s', async (_, answer, expected) => {
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
