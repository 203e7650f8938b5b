import type { RepoPath } from '@onceover/base/kernel/ids';
import { compareSubjects, type ReviewSubject, subjectDigest, subjectKey } from '@onceover/base/kernel/review-subject';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import { content, reviewGate } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../../src/rules/types.ts';
import { ruleRubric } from '../../src/run/decide/gate-list.ts';
import { agentSettingsDigest } from '../../src/subject/agent-settings.ts';
import { reviewSubject } from '../../src/subject/review-subject.ts';
import { verdictSettings } from '../../src/subject/verdict-settings.ts';

const path = (text: string) => text as RepoPath;

function settingsOf(yaml: string) {
  const parsed = parseSettings(yaml);
  if (!parsed.ok) throw new Error(`broken settings: ${yaml}`);
  return parsed.settings;
}

const RULE: Rule = {
  ...{ name: 'style', description: 'Style.', folder: '' as RepoPath, include: ['**/*.ts'], exclude: [] },
  ...{ source: { file: path('.deepreview'), line: 1 }, strategy: 'matches_together', instructions: 'Look closely.' },
  context: { allChangedFilenames: true, unchangedMatchingFiles: true },
  ...{ numReviews: 1, agents: null, references: [{ path: path('STYLE.md'), description: null }] },
} as unknown as Rule;

/** Everything that a subject is made of, and everything that it must not depend on. */
const FACTS = {
  id: 'rule:.:style',
  content: 'c1',
  instructions: 'Look closely.',
  reference: 'Use tabs.',
  description: null as string | null,
  isBase: false,
  unchanged: ['src/other.ts'],
  changed: ['README.md', 'src/a.ts'],
  yaml: 'gates: []\n',
  numReviews: 1,
  agents: null as readonly string[] | null,
};

function subjectWith(differs: Partial<typeof FACTS> = {}): ReviewSubject {
  const facts = { ...FACTS, ...differs };
  const rule = { ...RULE, instructions: facts.instructions, numReviews: facts.numReviews, agents: facts.agents };
  const task = { rule, files: [path('src/a.ts')], unchangedMatching: facts.unchanged.map(path) };
  const { id, numReviews, agents } = facts;
  const gate = reviewGate({ id, numReviews, agents, content: content(facts.content), rubric: ruleRubric(rule), task });
  const reference = { path: path('STYLE.md'), description: facts.description, text: facts.reference, leftOut: null };
  const references = [{ ...reference, ...(facts.isBase ? { isBase: true } : {}) }];
  const material = { references, allChanged: facts.changed.map(path) };
  return reviewSubject({ gate, material, settings: settingsOf(facts.yaml) });
}

const DIFFERENT: readonly [what: string, differs: Partial<typeof FACTS>, part: string][] = [
  ['the gate', { id: 'rule:src:style' }, 'gate'],
  ['the content', { content: 'c2' }, 'content'],
  ['the instructions', { instructions: 'Look again.' }, 'prompt'],
  ['the text of a reference file', { reference: 'Use spaces.' }, 'references'],
  ['the description of a reference file', { description: 'The standard.' }, 'references'],
  ['the unchanged files in the prompt', { unchanged: [] }, 'context'],
  ['the changed files in the prompt', { changed: ['src/a.ts'] }, 'context'],
  ['fail_on', { yaml: 'fail_on: high\n' }, 'failOn'],
  ['the threshold for new findings', { yaml: 'rerun_new_issue_threshold: high\n' }, 'rerunNewIssueThreshold'],
  ['convergence', { yaml: 'convergence: { unchanged_code: must_fix_only }\n' }, 'convergence'],
];

const EQUAL: readonly [what: string, differs: Partial<typeof FACTS>][] = [
  ['the number of reviewers', { numReviews: 3 }],
  ['the agents of the gate', { agents: ['codex'] }],
  ['where a reference file was read', { isBase: true }],
  ['the agents', { yaml: 'agents: [codex]\n' }],
  ['the model', { yaml: 'agent: { claude: { model: small } }\n' }],
  ['the base branch', { yaml: 'base: origin/develop\n' }],
  ['which gates run', { yaml: 'unchanged_gates: rest\nmax_retries: 9\nafter_pass: all\ncertify: true\n' }],
  [
    'how reviewers run',
    { yaml: 'concurrency: 1\ntimeout: 60\nshare_reading: off\ncache_ttl: 1h\nbudget: { usd: 1 }\n' },
  ],
  [
    'which passes and waivers count',
    { yaml: 'trust_marks: true\nwaivers: { who: anyone }\npasses: { remote: origin }\n' },
  ],
  ['another gate', { yaml: 'gates:\n  - path: api\n    checks: { lint: { run: "true" } }\n' }],
  ['a setting that has its default', { yaml: 'fail_on: low\nconvergence: { unchanged_code: block }\n' }],
  ['a setting of an older version without effect', { yaml: 'convergence: { ratchet: true }\n' }],
];

describe('a verdict is not reused', () => {
  test.each(DIFFERENT)('if %s changed, and the difference is named', (_what, differs, part) => {
    const difference = compareSubjects(subjectWith(), subjectWith(differs));
    expect(difference?.part === 'setting' ? difference.name : difference?.part).toBe(part);
    expect(subjectDigest(subjectWith(differs))).not.toBe(subjectDigest(subjectWith()));
  });

  test('if any field of its subject changed, whatever its value', () => {
    const text = fc.string();
    const subject: fc.Arbitrary<ReviewSubject> = fc.record({
      ...{ gate: text, content: text, promptDigest: text },
      ...{ referencesDigest: fc.option(text), contextDigest: fc.option(text) },
      settings: fc.dictionary(text, text, { maxKeys: 4 }),
    });
    const keyOf = (one: ReviewSubject) => JSON.stringify({ ...one, settings: Object.entries(one.settings).sort() });
    fc.assert(
      fc.property(subject, subject, fc.constantFrom(...Object.keys(subjectWith())), (one, other, field) => {
        const changed = { ...one, [field]: other[field as keyof ReviewSubject] };
        const isSame = keyOf(one) === keyOf(changed);
        expect(compareSubjects(one, changed) === null).toBe(isSame);
        expect(subjectDigest(one) === subjectDigest(changed)).toBe(isSame);
      }),
    );
  });

  test('if a setting that no one has judged yet changed', () => {
    expect(verdictSettings({ ...settingsOf(''), newSetting: 'on' })).toEqual({ newSetting: '"on"' });
  });
});

describe('a verdict is reused', () => {
  test.each(EQUAL)('if only %s changed', (_what, differs) => {
    expect(compareSubjects(subjectWith(), subjectWith(differs))).toBeNull();
    expect(subjectDigest(subjectWith(differs))).toBe(subjectDigest(subjectWith()));
  });

  test('whatever else than its subject changed together', () => {
    fc.assert(
      fc.property(fc.subarray(EQUAL.map(([, differs]) => differs)), (many) => {
        const yaml = many.map((one) => one.yaml ?? '').find((text) => text !== '') ?? FACTS.yaml;
        expect(compareSubjects(subjectWith(), subjectWith({ ...Object.assign({}, ...many), yaml }))).toBeNull();
      }),
    );
  });
});

describe('what an older version stored', () => {
  const older = (subject: ReviewSubject) => {
    const { gate, content: seen, promptDigest } = subject;
    return { gate, content: seen, promptDigest };
  };
  const plain = subjectWith();
  const nothingElse: ReviewSubject = { ...plain, referencesDigest: null, contextDigest: null, settings: {} };

  test('counts if nothing that it did not store could have mattered', () => {
    expect(compareSubjects(older(nothingElse), nothingElse)).toBeNull();
    expect(subjectKey(older(nothingElse))).toEqual(subjectKey(nothingElse));
  });

  test.each<[string, Partial<ReviewSubject>]>([
    ['reference files', { referencesDigest: 'r' }],
    ['context', { contextDigest: 'x' }],
    ['a setting', { settings: { failOn: '"high"' } }],
  ])('does not count for a gate with %s, and says why', (_what, differs) => {
    const now = { ...nothingElse, ...differs };
    expect(compareSubjects(older(now), now)).toEqual({ part: 'unrecorded' });
    expect(subjectKey(older(now))).not.toEqual(subjectKey(now));
  });
});

describe('the digest of the settings of an agent', () => {
  const agents = (yaml: string) => agentSettingsDigest(settingsOf(`agent:\n${yaml}`), 'one');
  const usual = agents('  one: { command: [ask] }\n');
  test.each([
    ['another model', '  one: { command: [ask], model: small }\n'],
    ['another command', '  one: { command: ["true"] }\n'],
    ['another environment', '  one: { command: [ask], env: { A: b } }\n'],
  ])('differs for %s', (_title, yaml) => {
    expect(agents(yaml)).not.toBe(usual);
  });
  test.each([
    ['another timeout', '  one: { command: [ask], timeout: 9 }\n'],
    ['settings of another agent', '  one: { command: [ask] }\n  two: { command: [x] }\n'],
  ])('is the same for %s', (_title, yaml) => {
    expect(agents(yaml)).toBe(usual);
  });
});
