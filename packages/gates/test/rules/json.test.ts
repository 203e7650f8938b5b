import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { errorSchema } from '@onceover/base/kernel/json-schema';
import { setUpDocument } from '@onceover/onceover/src/setup/json.ts';
import { setUpSchema } from '@onceover/onceover/src/setup/json-schema.ts';
import type { GatesFound } from '@onceover/onceover/src/setup/types.ts';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { explainDocument } from '../../src/explain/json.ts';
import { errorDocument } from '../../src/result/json.ts';
import { instructionsDocument, passDocument, rulesDocument } from '../../src/rules/json.ts';
import { explainSchema, instructionsSchema, passSchema, rulesSchema } from '../../src/rules/json-schema.ts';
import type { MarkReceipt, Notice, ReviewExplanation, Rule, RuleReviewTask } from '../../src/rules/types.ts';

const path = (text: string) => text as RepoPath;

function rule(name: string, file: string, line: number, personas: Rule['personas'] = {}): Rule {
  return {
    name,
    description: `Checks ${name}.`,
    source: { file: path(file), line },
    folder: '',
    include: ['**'],
    exclude: [],
    strategy: 'individual',
    instructions: 'Look.',
    personas,
    context: { allChangedFilenames: false, unchangedMatchingFiles: false },
    references: [],
    numReviews: 1,
    agents: null,
  };
}

function review(id: string, first: Rule, ...others: readonly Rule[]): RuleReviewTask {
  const files = [path('a.py'), path('b c.py')];
  const part = (one: Rule) => ({ rule: one, files, unchangedMatching: [] });
  const digests = files.map((file) => ({ path: file, sha256: '00', link: null }));
  return { id: id as ReviewId, parts: [part(first), ...others.map(part)], files, digests };
}

const LINT = rule('lint', '.deepreview', 3, { claude: 'style-expert' });
const SECURITY = rule('security', 'src/.deepreview', 8);
const FILE = path('.deepwork/tmp/review_instructions/x.md');
const GONE: Notice = { kind: 'no-such-file', path: path('gone.py') };

/** Expects the schema to have exactly the keys of the document. */
function expectToFit(schema: z.ZodType, document: unknown): void {
  expect(schema.safeParse(document)).toStrictEqual({ success: true, data: document });
}

describe('instructions', () => {
  const outcome = {
    selection: { kind: 'changed', base: 'main', count: 2 },
    ruleCount: 2,
    written: [
      { task: review('one', LINT), file: FILE, why: 'not-passed' },
      { task: review('two', SECURITY, LINT), file: FILE, why: 'not-passed' },
    ],
    skipped: [review('three', LINT)],
    notices: [GONE],
  } as const;

  test('lists tasks, skipped reviews and warnings', () => {
    const document = instructionsDocument(outcome, 'claude');
    expectToFit(instructionsSchema, document);
    expect(document).toStrictEqual({
      tasks: [
        {
          review_id: 'one',
          rule: 'lint',
          defining_file: '.deepreview:3',
          files: ['a.py', 'b c.py'],
          instruction_file: FILE,
          agent: 'style-expert',
        },
        {
          review_id: 'two',
          rule: 'security',
          defining_file: 'src/.deepreview:8',
          files: ['a.py', 'b c.py'],
          instruction_file: FILE,
          agent: 'style-expert',
          also: [{ rule: 'lint', defining_file: '.deepreview:3' }],
        },
      ],
      skipped: [{ review_id: 'three', rule: 'lint', files: ['a.py', 'b c.py'], why: 'unchanged-since-pass' }],
      warnings: ['gone.py does not exist'],
    });
  });

  test('takes the persona of the platform', () => {
    expect(instructionsDocument(outcome, 'codex').tasks.map((task) => task.agent)).toEqual([null, null]);
  });

  test('is empty if there is nothing to do', () => {
    const document = instructionsDocument({ ...outcome, written: [], skipped: [], notices: [] }, 'claude');
    expectToFit(instructionsSchema, document);
    expect(document).toStrictEqual({ tasks: [], skipped: [], warnings: [] });
  });
});

test('the rules document lists rules and warnings', () => {
  const document = rulesDocument([LINT, SECURITY], [GONE]);
  expectToFit(rulesSchema, document);
  expect(document).toStrictEqual({
    rules: [
      { name: 'lint', description: 'Checks lint.', defining_file: '.deepreview:3' },
      { name: 'security', description: 'Checks security.', defining_file: 'src/.deepreview:8' },
    ],
    warnings: ['gone.py does not exist'],
  });
});

test.each([true, false])('the pass document, with instructions known: %s', (vouched) => {
  const document = passDocument({ id: 'one', vouched });
  expectToFit(passSchema, document);
  expect(document).toStrictEqual({ review_id: 'one', marked: true, instructions_known: vouched });
});

test('the init document lists files and found tools', () => {
  const steps = [
    { path: path('.deepreview'), did: 'written', added: 'a: b\n', ignored: true },
    { path: path('.mcp.json'), did: 'left', added: null, ignored: false },
  ] as const;
  const files = [
    { path: '.deepreview', did: 'written', ignored: true },
    { path: '.mcp.json', did: 'left', ignored: false },
  ];
  const documentFor = (gates: Partial<GatesFound> | null) => {
    const found = gates === null ? null : { agents: [], ...gates };
    const document = setUpDocument({ steps, gates: found, hook: null });
    expectToFit(setUpSchema, document);
    return document;
  };
  expect(documentFor(null)).toStrictEqual({ files });
  expect(documentFor({})).toStrictEqual({ files });
  expect(documentFor({ others: ['gauntlet', 'continue'] })).toStrictEqual({
    files,
    also_here: ['gauntlet', 'continue'],
  });
  const left = ['x.yml:2:3: onceover has no setting like chat'];
  const carried = { tool: 'coderabbit', source: '.coderabbit.yaml', left } as const;
  expect(documentFor({ carried, proposed: 'gates: []\n' }).carried_over).toStrictEqual({
    tool: 'coderabbit',
    source: '.coderabbit.yaml',
    not_carried_over: left,
    gates_to_add: 'gates: []\n',
  });
});

describe('explain', () => {
  const task = review('one', LINT, SECURITY);
  const at = '2026-01-02T03:04:05.000Z';
  const receipt: MarkReceipt = { id: task.id, parts: [], files: [], promptVersion: 1, by: 'mcp', at };
  const rules = [
    { name: 'lint', defining_file: '.deepreview:3' },
    { name: 'security', defining_file: 'src/.deepreview:8' },
  ];
  const now = { current_review_id: 'one', rules, files: ['a.py', 'b c.py'] };
  const gone = { current_review_id: null, rules: [], files: [] };
  const by = { passed_at: at, passed_by: 'mcp' };
  const unknown = { passed_at: null, passed_by: null };

  test.each<[title: string, explanation: ReviewExplanation, document: object]>([
    [
      'to do',
      { kind: 'to-do', id: 'one', task, why: 'not-passed', passed: false, receipt: null },
      { review_id: 'one', state: 'to-do', ...now, passed: false, ...unknown },
    ],
    [
      'to do although it passed',
      { kind: 'to-do', id: 'one', task, why: 'pass-does-not-match', passed: true, receipt },
      { review_id: 'one', state: 'to-do', ...now, passed: true, ...by },
    ],
    [
      'skipped',
      { kind: 'skipped', id: 'one', task, passed: true, receipt: null },
      { review_id: 'one', state: 'skipped', ...now, passed: true, ...unknown },
    ],
    [
      'changed',
      { kind: 'changed', id: 'old', task, passed: true, receipt },
      { review_id: 'old', state: 'changed', ...now, passed: true, ...by },
    ],
    [
      'not asked for',
      { kind: 'not-asked-for', id: 'old', task: null, passed: false, receipt },
      { review_id: 'old', state: 'not-asked-for', ...gone, passed: false, ...by },
    ],
  ])('%s', (_, explanation, expected) => {
    const document = explainDocument(explanation);
    expectToFit(explainSchema, document);
    expect(document).toStrictEqual({ ...expected, why: expect.stringMatching(/^It.*\.$/) });
  });
});

test('the error document has kind, message and next step', () => {
  const document = errorDocument({ kind: 'path-outside', path: '../x' });
  expectToFit(errorSchema, document);
  expect(document).toStrictEqual({
    error: {
      kind: 'path-outside',
      message: '../x is outside the repository.',
      next: 'Use paths inside the repository.',
    },
  });
});
