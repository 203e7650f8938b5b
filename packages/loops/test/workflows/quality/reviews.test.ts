import { FAILED, PASSED, projectWith, scriptedCli, thrownBy } from '@onceover/testing/quality.ts';
import { describe, expect, test } from 'vitest';
import { QualityGate } from '../../../src/workflows/quality/gate.ts';
import { QualityGateError, type QualityReview, type ReviewResult } from '../../../src/workflows/quality/types.ts';

const OUTPUTS = { report: 'report.md', pages: ['one.md', 'two.md', 'three.md'] };
const SPECS = { report: { type: 'file' }, pages: { type: 'files' }, extra: { type: 'file' } } as const;
const FILES = { 'report.md': 'R', 'one.md': '1', 'two.md': '2', 'three.md': '3' };

/** Returns a review whose criterion has its name, so that its evaluations can be identified. */
const review = (run_each: string, name: string, guidance?: string): QualityReview => ({
  run_each,
  quality_criteria: { [name]: `Is it ${name}?` },
  ...(guidance === undefined ? {} : { additional_review_guidance: guidance }),
});

const given = (reviews: readonly QualityReview[]) => ({
  reviews,
  outputs: OUTPUTS,
  outputSpecs: SPECS,
  projectRoot: projectWith(FILES),
});

const filesIn = (prompt: string) => [...prompt.matchAll(/^-{20} (.*) -{20}$/gm)].map((match) => match[1]);

describe('evaluateReviews', () => {
  test('processes every review with its files [JOBS-REQ-004.7.1] [JOBS-REQ-004.7.3] [JOBS-REQ-004.7.4] [JOBS-REQ-004.7.5]', async () => {
    const cli = scriptedCli();
    const reviews = [review('step', 'whole'), review('report', 'short'), review('pages', 'clear')];
    expect(await new QualityGate({ cli }).evaluateReviews(given(reviews))).toEqual([]);
    const questions = cli.calls.map(({ systemPrompt, prompt, timeoutSeconds }) => [
      /\*\*(.*)\*\*/.exec(systemPrompt)?.[1],
      filesIn(prompt),
      timeoutSeconds,
    ]);
    expect(questions.sort()).toEqual([
      ['clear', ['one.md'], 240],
      ['clear', ['three.md'], 240],
      ['clear', ['two.md'], 240],
      ['short', ['report.md'], 240],
      ['whole', ['report.md', 'one.md', 'two.md', 'three.md'], 240],
    ]);
  });

  test('returns no failures without reviews, also without a cli and a project [JOBS-REQ-004.7.2]', async () => {
    const gate = new QualityGate();
    expect(
      await gate.evaluateReviews({ reviews: [], outputs: OUTPUTS, outputSpecs: SPECS, projectRoot: '/nowhere' }),
    ).toEqual([]);
  });

  test('starts all evaluations before one has ended [JOBS-REQ-004.7.6]', async () => {
    let startCount = 0;
    let goOn = () => {};
    const allStarted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    // Sequential evaluations would wait here forever.
    const cli = {
      async run() {
        startCount++;
        if (startCount === 5) goOn();
        await allStarted;
        return PASSED;
      },
    };
    const reviews = [review('step', 'whole'), review('report', 'short'), review('pages', 'clear')];
    expect(await new QualityGate({ cli }).evaluateReviews(given(reviews))).toEqual([]);
    expect(startCount).toBe(5);
  });

  test('returns only the failed reviews [JOBS-REQ-004.7.7]', async () => {
    const results = [{ criterion: 'clear', passed: false, feedback: 'Line 1.' }];
    const cli = scriptedCli(({ prompt }) =>
      filesIn(prompt).length > 1
        ? FAILED
        : prompt.includes('two.md')
          ? { ...FAILED, criteria_results: results }
          : PASSED,
    );
    const reviews = [review('step', 'whole'), review('report', 'short'), review('pages', 'clear')];
    expect(await new QualityGate({ cli }).evaluateReviews(given(reviews))).toEqual<ReviewResult[]>([
      { passed: false, feedback: 'Not good.', criteria_results: [], review_run_each: 'step', target_file: null },
      {
        passed: false,
        feedback: 'Not good.',
        criteria_results: results,
        review_run_each: 'pages',
        target_file: 'two.md',
      },
    ]);
  });

  test("gives each review's guidance to its evaluations, and no others [JOBS-REQ-004.7.8]", async () => {
    const cli = scriptedCli();
    await new QualityGate({ cli }).evaluateReviews(
      given([review('pages', 'clear', 'Compare with brief.md.'), review('report', 'short')]),
    );
    const matches = cli.calls.map(({ systemPrompt }) => [
      systemPrompt.includes('**clear**'),
      systemPrompt.includes('## Additional Context\n\nCompare with brief.md.\n'),
    ]);
    expect(matches).toHaveLength(4);
    for (const [isClear, isGuided] of matches) expect(isGuided).toBe(isClear);
  });

  test('includes author notes in every evaluation', async () => {
    const cli = scriptedCli();
    await new QualityGate({ cli }).evaluateReviews({ ...given([review('pages', 'clear')]), notes: 'Mind the gap.' });
    for (const { systemPrompt, prompt } of cli.calls) {
      expect([systemPrompt.includes('Mind the gap.'), prompt.includes('BEGIN AUTHOR NOTES')]).toEqual([true, true]);
    }
  });

  test('judges nothing for a missing optional output', async () => {
    const cli = scriptedCli();
    expect(await new QualityGate({ cli }).evaluateReviews(given([review('extra', 'x')]))).toEqual([]);
    expect(cli.calls).toEqual([]);
  });

  test('rejects a review of an unknown output before any call', async () => {
    const cli = scriptedCli();
    const gate = new QualityGate({ cli });
    const reviews = [review('step', 'whole'), review('pagse', 'clear')];
    for (const name of ['evaluateReviews', 'buildReviewInstructionsFile'] as const) {
      expect(await thrownBy(() => gate[name](given(reviews)))).toEqual(
        new QualityGateError(
          "A review has run_each 'pagse', but the step has no such output. Use one of: 'step', 'report', 'pages', 'extra'.",
        ),
      );
    }
    expect(cli.calls).toEqual([]);
  });

  test('waits for all evaluations and keeps every verdict if some fail', async () => {
    const files: string[] = [];
    const cli = scriptedCli(async ({ prompt }) => {
      const file = filesIn(prompt)[0] ?? '';
      // The error comes first, so that code that does not wait would lose the other verdicts.
      await new Promise((resolve) => setTimeout(resolve, file === 'one.md' ? 0 : 30));
      files.push(file);
      if (file === 'one.md') throw new Error('claude has reached a limit');
      if (file === 'three.md') return [];
      return file === 'two.md' ? FAILED : PASSED;
    });
    const reviews = [review('pages', 'clear'), review('report', 'short'), { run_each: 'step', quality_criteria: {} }];
    const error = await thrownBy(() => new QualityGate({ cli }).evaluateReviews(given(reviews)));
    expect(files).toHaveLength(4);
    if (!(error instanceof QualityGateError)) throw error;
    expect(error.message).toBe(
      '2 of 5 evaluations have no verdict. The first: The reviewer gave no verdict: claude has reached a limit',
    );
    expect(error.results).toEqual([
      { ...FAILED, review_run_each: 'pages', target_file: 'two.md' },
      { ...PASSED, review_run_each: 'report', target_file: 'report.md' },
      {
        passed: true,
        feedback: 'No quality criteria defined - auto-passing',
        criteria_results: [],
        review_run_each: 'step',
        target_file: null,
      },
    ]);
    expect(
      error.errors.map((reviewError) => [
        reviewError.review_run_each,
        reviewError.target_file,
        reviewError.error.message,
      ]),
    ).toEqual([
      ['pages', 'one.md', 'The reviewer gave no verdict: claude has reached a limit'],
      [
        'pages',
        'three.md',
        "The reviewer's answer cannot be interpreted: the answer: Invalid input: expected object, received array.",
      ],
    ]);
    for (const reviewError of error.errors) expect(reviewError.error).toBeInstanceOf(QualityGateError);
    expect(error.errors[0]?.error.cause).toMatchObject({ message: 'claude has reached a limit' });
  });

  test('without a cli, evaluations with criteria fail with an error, and those without pass', async () => {
    const reviews = [review('report', 'short'), { run_each: 'step', quality_criteria: {} }];
    const error = await thrownBy(() => new QualityGate().evaluateReviews(given(reviews)));
    expect(error).toMatchObject({ results: [{ passed: true }], errors: [{ target_file: 'report.md' }] });
  });
});
