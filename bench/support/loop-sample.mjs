// Generates the documents and the code for the loops of bench/loop.mjs from a seed, and revises them line by line.
import { codeLine, makeDocument, render, reworded } from './documents.mjs';
import { seeded } from './random.mjs';

export const ROUNDS = 5;
const ARTIFACT = 16_000;
const FILE = 4000;
const CHANGED = 0.06;
/** Number of lines that a change touches in one place. */
const TOGETHER = 3;

const FEATURE = 'docs/features/007-export';

/**
 * The phases of the sample: the reviewed files, their versions, and the reviewers. `opens`: the files that a reviewer
 * in a new session opens.
 */
export function makeSample(seed) {
  const random = seeded(seed);
  const source = (size) =>
    cut(
      lines(() => codeLine(random), size),
      size,
    );
  const document = cut(render(makeDocument(random, { size: ARTIFACT, style: 'mixed' })), ARTIFACT);
  const files = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`lib/part${n}.ts`, source(FILE)]));
  const more = Object.fromEntries(Array.from({ length: ROUNDS }, (_, n) => [`lib/more${n}.ts`, source(FILE)]));
  const paper = (name) => [
    `${FEATURE}/${name}.md`,
    cut(render(makeDocument(random, { size: FILE, style: 'mixed' })), FILE),
  ];
  const papers = (...names) => Object.fromEntries(names.map(paper));
  return {
    feature: FEATURE,
    more: Object.keys(more),
    phases: {
      specify: {
        roles: ['spec-reviewer'],
        path: `${FEATURE}/spec.md`,
        versions: revisions(document, (line) => reworded(random, line), random),
        files: { ...papers('prd'), ...files, ...more },
        // The PRD comes first: the template asks a reviewer in a new session to read it.
        opens: { A: [`${FEATURE}/prd.md`], B: [`${FEATURE}/prd.md`, ...Object.keys(files)] },
      },
      implement: {
        roles: ['implementation-reviewer', 'code-quality-reviewer', 'security-reviewer'],
        path: 'src/export.ts',
        versions: revisions(source(ARTIFACT), () => codeLine(random), random),
        files: { ...papers('prd', 'spec', 'design', 'plan', 'tasks'), ...files, ...more },
        // The code comes first: the template lists it, and a reviewer in a new session opens it.
        opens: {
          A: ['src/export.ts', `${FEATURE}/design.md`],
          B: ['src/export.ts', `${FEATURE}/design.md`, ...Object.keys(files)],
        },
      },
    },
  };
}

function cut(text, size) {
  return `${text.slice(0, size - 1)}\n`;
}

function lines(make, size) {
  let text = '';
  while (text.length < size) text += `${make()}\n`;
  return text;
}

/** Returns versions of a text; each changes some lines of the version before. */
function revisions(first, change, random) {
  const versions = [first];
  while (versions.length < ROUNDS) versions.push(revised(versions.at(-1), change, random));
  return versions;
}

function revised(text, change, random) {
  const all = text.split('\n');
  const touched = new Set();
  const most = Math.round(all.length * CHANGED);
  while (touched.size < most) {
    const from = random.between(1, all.length - 2);
    for (let at = from; at < from + TOGETHER && at < all.length && touched.size < most; at++) {
      // Keep headings and short lines.
      if (touched.has(at) || all[at].trim().length < 20 || all[at].startsWith('#')) continue;
      all[at] = change(all[at]);
      touched.add(at);
    }
  }
  return all.join('\n');
}

const LEVEL = { passed: true, issues_count: 0 };
const FORMS = {
  'spec-reviewer': { issue: { category: 'clarity' }, answer: {} },
  'phase-reviewer': { issue: {}, answer: {} },
  'implementation-reviewer': {
    issue: { level: 'spec', category: 'incomplete' },
    answer: {
      levels: { tasks: LEVEL, spec: LEVEL, design: LEVEL, prd: LEVEL },
      evidence: { verified: ['src/export.ts:12'], missing: [] },
    },
  },
  'code-quality-reviewer': { issue: { category: 'readability' }, answer: {} },
  'security-reviewer': { issue: { category: 'injection' }, answer: {} },
};

/** Returns the answer of a reviewer in a round. */
export function verdict(role, { round, passes }) {
  const { issue, answer } = FORMS[role];
  const found = {
    severity: 'blocker',
    ...issue,
    description: `The limit of part ${round} is not said, so that two readers would build different things.`,
    location: `part ${round}`,
    suggestion: 'Say how much, and what happens beyond.',
  };
  const summary = passes ? 'Nothing is left.' : 'One thing is left.';
  return { approved: passes, ...answer, issues: passes ? [] : [found], summary };
}

export const FIX_SUMMARY =
  'The limit is said now, and what happens beyond it; the places that follow from it say the same.';
