import type { JobProblem } from './job-problem.ts';

/** A place in a file that a person wrote; line and column count from 1. */
export type Position = { readonly file: string; readonly line: number; readonly column: number };

/** Something wrong at a place in a configuration or rule file. */
export type Problem = Position & { readonly what: ProblemKind };

export type ProblemKind =
  | { readonly kind: 'syntax'; readonly said: string }
  | { readonly kind: 'merge-conflict' }
  | { readonly kind: 'unknown-key'; readonly key: string; readonly known: readonly string[] }
  | { readonly kind: 'missing-key'; readonly key: string }
  | { readonly kind: 'wrong-type'; readonly key: string; readonly expected: string }
  | { readonly kind: 'not-one-of'; readonly key: string; readonly allowed: readonly string[] }
  | {
      readonly kind: 'out-of-range';
      readonly key: string;
      readonly bound: 'at least' | 'at most' | 'more than';
      readonly limit: number;
      readonly unit: 'characters' | 'entries' | null;
    }
  | { readonly kind: 'bad-value'; readonly key: string; readonly said: string }
  | { readonly kind: 'bad-rule-name'; readonly name: string }
  | { readonly kind: 'unknown-role'; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: 'bad-glob'; readonly glob: string; readonly said: string }
  | { readonly kind: 'unusable-file'; readonly path: string; readonly why: UnusableFile }
  | JobProblem;

/** Why a file that a rule or a setting names cannot be used. */
export type UnusableFile = 'missing' | 'not-a-file' | 'outside' | 'not-utf8' | 'too-large' | 'empty' | 'unreadable';
