import { ACCEPTED, ENDS, judged, MIXED } from '@onceover/testing/ended-runs.ts';
import { hostileFailure, hostileRun } from '@onceover/testing/hostile.ts';
import { sarifProblems } from '@onceover/testing/report-schemas.ts';
import { finding, path } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedRun } from '../../src/reports/finished-run.ts';
import { sarifReport } from '../../src/reports/sarif.ts';

type Result = {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region?: { readonly startLine: number; readonly endLine?: number; readonly snippet?: { text: string } };
    };
  }[];
  readonly suppressions?: readonly object[];
};

type Log = {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly invocations: readonly [{ readonly executionSuccessful: boolean; readonly exitCode: number }];
      readonly results: readonly Result[];
    },
  ];
};

const runOf = (run: EndedRun) => (JSON.parse(sarifReport(run)) as Log).runs[0];
const resultOf = (differs: Parameters<typeof finding>[0]) =>
  runOf(judged({ findings: [{ finding: finding(differs), state: 'open' }] })).results[0];
const regionOf = (differs: Parameters<typeof finding>[0]) => resultOf(differs)?.locations[0]?.physicalLocation.region;

describe('a SARIF report', () => {
  test('names the signer of an accepted pass', () => {
    const text = 'review:src:code-quality@1: accepted: passed by dev@example.com on 2026-11-12, claude sonnet-5-5';
    expect(runOf(ACCEPTED).invocations[0]).toMatchObject({
      toolExecutionNotifications: [{ level: 'note', message: { text } }],
    });
    expect(sarifProblems(sarifReport(ACCEPTED))).toEqual([]);
  });

  test('matches its golden file', async () => {
    await expect(sarifReport(MIXED)).toMatchFileSnapshot('golden/mixed.sarif');
  });

  test.each(ENDS)('fits the schema of SARIF 2.1.0: %s', (_title, run) => {
    expect(sarifProblems(sarifReport(run))).toEqual([]);
  });

  test('fits the schema with any text of a reviewer', () => {
    fc.assert(
      fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
        expect(sarifProblems(sarifReport(run))).toEqual([]);
      }),
    );
  });

  test('the schema check rejects wrong documents', () => {
    expect(sarifProblems(sarifReport(MIXED).replace('"level": "error"', '"level": "grave"'))).not.toEqual([]);
    expect(sarifProblems(sarifReport(MIXED).replace('src/a.ts', 'src/a b.ts'))).not.toEqual([]);
  });

  // The requirements of GitHub code scanning beyond the schema.
  test.each(ENDS)('gives every result a rule, a message and a place: %s', (_title, run) => {
    const { results, tool } = runOf(run);
    for (const { ruleId, ruleIndex, message, locations } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(message.text).not.toBe('');
      expect(locations).toHaveLength(1);
    }
    expect(new Set(tool.driver.rules.map(({ id }) => id)).size).toBe(tool.driver.rules.length);
  });

  test.each(ENDS)('has an error exactly if the exit code is not 0: %s', (_title, run) => {
    const { results, invocations } = runOf(run);
    const wrong = results.filter(({ suppressions }) => suppressions === undefined);
    const { exitCode } = invocations[0];
    if (exitCode !== 0) expect(wrong).not.toEqual([]);
    else expect(wrong.filter(({ level }) => level === 'error')).toEqual([]);
    if (exitCode > 1) expect(invocations[0].executionSuccessful).toBe(false);
    if (exitCode === 0) expect(invocations[0].executionSuccessful).toBe(true);
  });

  test('has no result and no rule if nothing changed', () => {
    const { results, tool } = runOf(judged({ status: 'no_changes', gates: [] }));
    expect([results, tool.driver.rules]).toEqual([[], []]);
  });
});

describe('a place in SARIF', () => {
  test('is a relative URI that decodes to the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        const uri = resultOf({ file: path(name) })?.locations[0]?.physicalLocation.artifactLocation.uri ?? '';
        expect(decodeURIComponent(uri)).toBe(name);
        expect(uri).toMatch(/^[\w\-.!~*'()%/]*$/);
      }),
    );
  });

  test.each([
    ['with its code', {}, { startLine: 1, snippet: { text: 'a = 1' } }],
    [
      'of several lines',
      { line: 4, code: 'a\n b', anchor: { text: 'a\nb', occurrence: 1 } },
      { startLine: 4, endLine: 5, snippet: { text: 'a\n b' } },
    ],
    ['without code', { code: null }, { startLine: 1 }],
    ['with code that is not in the file', { mark: 'code-not-found', anchor: null }, { startLine: 1 }],
    ['with a line that does not exist', { mark: 'no-such-line', anchor: null }, undefined],
    ['without a line', { line: null }, undefined],
    ['at line 0', { line: 0 }, undefined],
    ['in no file', { file: null }, undefined],
  ] as const)('%s', (_title, differs, region) => {
    expect(regionOf(differs)).toEqual(region);
  });
});

test.each([
  ['critical', 'open', 'error'],
  ['high', 'open', 'error'],
  ['medium', 'fixed_claimed', 'warning'],
  ['low', 'open', 'note'],
  ['critical', 'warning', 'warning'],
  ['low', 'warning', 'note'],
] as const)('a %s finding that is %s has the level %s', (priority, state, level) => {
  const run = judged({ findings: [{ finding: finding({ priority }), state }] });
  expect(runOf(run).results[0]?.level).toBe(level);
});

test('a reviewer cannot put a link into a message', () => {
  const text = resultOf({ issue: 'see [this](https://example.invalid)' })?.message.text;
  expect(text).toBe('see [this] (https://example.invalid)');
});
