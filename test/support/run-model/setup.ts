import { createHash } from 'node:crypto';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Rubric } from '@onceover/gates/gate-types';
import type { Rule } from '@onceover/gates/rules/types';
import type { Priority, Settings } from '@onceover/repo/config/settings';

/** The start of a sequence; prompts and numbers of reviewers change later. */
export type Setup = {
  readonly unchangedGates: 'run' | 'rest';
  readonly afterPass: 'latch' | 'all';
  readonly certify: boolean;
  readonly maxRetries: number;
  readonly failOn: Priority;
  readonly rerunNewIssueThreshold: Priority;
  readonly concurrency: number;
  /** Number of calls that a run may make. */
  readonly budget: number | null;
  /** Number of characters of a diff in one prompt. */
  readonly diffLimit: number;
  /** Number of reviewers per review, in the order of `REVIEWS`. */
  readonly counts: readonly number[];
  /** The version of each review's prompt. */
  readonly prompts: readonly number[];
  /** Whether the settings have the review `security`. */
  readonly hasSecurity: boolean;
};

/** The reviews that prompts and numbers apply to: two of `src`, one per package, and a rule's. */
export const REVIEWS = ['quality', 'security', 'package', 'notes'] as const;

/** Every path that is written to; the last two belong to no review. */
export const PATHS = [
  'src/a.ts',
  'src/b.ts',
  'packages/one/i.ts',
  'packages/two/i.ts',
  'docs/n.md',
  'src/a.snap',
  'README',
] as RepoPath[];

/** A line longer than the small diff limit. */
export const LONG = 'long '.repeat(50).trim();

/** Few texts, so that earlier ones come back; some have a line twice. */
export const TEXTS = ['', 'one\n', 'one\nbad\n', 'bad\none\nbad\n', 'bad\n', 'two\n  bad\n', 'two\n', `${LONG}\n`];

/** Under this limit, each file is a part of its own. */
export const SMALL_LIMIT = 200;

export const CHECKS = { lint: 'npm run lint', unit: 'npm test' } as const;

export const AGENTS = ['ann', 'ben', 'cat'];

export function settingsOf(setup: Setup): Settings {
  const review = (index: number) => ({
    prompt: promptFile(index),
    promptAt: { line: 1, column: 1 },
    numReviews: setup.counts[index] ?? 1,
    agents: null,
    timeoutSeconds: null,
  });
  return {
    base: null,
    agents: null,
    concurrency: setup.concurrency,
    timeoutSeconds: 60,
    idleTimeoutSeconds: 60,
    logDir: '.deepwork/logs' as RepoPath,
    maxRetries: setup.maxRetries,
    rerunNewIssueThreshold: setup.rerunNewIssueThreshold,
    failOn: setup.failOn,
    cache: 'content',
    certify: setup.certify,
    afterPass: setup.afterPass,
    unchangedGates: setup.unchangedGates,
    finalValidation: 'all',
    deltaGuard: 'auto',
    resumeWhenCold: true,
    cacheTtl: 'auto',
    shareReading: 'reviews',
    recheckDomain: false,
    trustMarks: false,
    convergence: { unchangedCode: 'block' },
    waivers: { who: 'people', signers: null },
    passes: null,
    budget: { usd: null, dispatches: setup.budget },
    agent: {},
    gates: [
      {
        path: 'src',
        exclude: ['**/*.snap'],
        checks: { lint: { run: CHECKS.lint, timeoutSeconds: null } },
        reviews: { quality: review(0), ...(setup.hasSecurity ? { security: review(1) } : {}) },
      },
      {
        path: 'packages/*',
        exclude: [],
        checks: { unit: { run: CHECKS.unit, timeoutSeconds: null } },
        reviews: { package: review(2) },
      },
    ],
  };
}

export function rubricsOf(setup: Setup): ReadonlyMap<RepoPath, Rubric> {
  return new Map(
    [0, 1, 2].map((index) => {
      const text = promptText(setup, index);
      const digest = createHash('sha256').update(text).digest('hex');
      return [promptFile(index), { source: promptFile(index), text, digest }];
    }),
  );
}

export function rulesOf(setup: Setup): readonly Rule[] {
  return [
    {
      name: 'notes',
      description: '',
      source: { file: '.deepreview' as RepoPath, line: 1 },
      folder: '',
      include: ['docs/**'],
      exclude: [],
      strategy: 'matches_together',
      instructions: promptText(setup, 3),
      personas: {},
      context: { allChangedFilenames: false, unchangedMatchingFiles: false },
      references: [],
      numReviews: setup.counts[3] ?? 1,
      agents: null,
    },
  ];
}

/** Returns the current prompt of a review. */
export function promptText(setup: Setup, review: number): string {
  return `Look at it as ${REVIEWS[review]} asks, edition ${setup.prompts[review] ?? 0}.`;
}

function promptFile(review: number): RepoPath {
  return `.onceover/reviews/${REVIEWS[review]}.md` as RepoPath;
}
