import { digestOf, type RepoPath } from '@onceover/base/kernel/ids';
import type { ReviewSubject } from '@onceover/base/kernel/review-subject';
import type { GateContent, ReviewGate } from '../gate-types.ts';
import type { ReferenceText, UnusableReference } from '../rules/types.ts';
import { verdictSettings } from './verdict-settings.ts';

/** The repository's part of a gate's prompt, beside the instructions and the change. */
export type PromptMaterial = {
  readonly references: readonly ReferenceText[];
  /** Reference files that the rule names and that cannot be shown. */
  readonly unshown: readonly UnusableReference[];
  /** The paths of all changed files, also of those that belong to no gate. */
  readonly allChanged: readonly RepoPath[];
};

/** The subject of a verdict on a gate of this repository. */
export type GateSubject = ReviewSubject & { readonly content: GateContent };

/**
 * Returns the subject of a verdict on a gate as it is now. The number of reviewers is not part of it, because one
 * reviewer's verdict does not depend on how many others there are.
 */
export function reviewSubject(facts: {
  readonly gate: Pick<ReviewGate, 'id' | 'content' | 'rubric' | 'task'>;
  readonly material: Pick<PromptMaterial, 'references' | 'allChanged'>;
  readonly settings: object;
}): GateSubject {
  const { gate, material, settings } = facts;
  // Whether a text comes from the base branch is left out, so that a pass counts in CI and on a laptop alike.
  const references = material.references.map(({ isBase: _, ...reference }) => reference);
  return {
    gate: gate.id,
    content: gate.content,
    promptDigest: gate.rubric.digest,
    referencesDigest: references.length === 0 ? null : digestOf(references),
    contextDigest: contextDigest(gate.task, material.allChanged),
    settings: verdictSettings(settings),
  };
}

function contextDigest(task: ReviewGate['task'], allChanged: readonly RepoPath[]): string | null {
  const { unchangedMatching = [], rule } = task ?? {};
  const changed = rule?.context.allChangedFilenames === true ? allChanged : [];
  const isShown = unchangedMatching.length > 0 || changed.length > 0;
  return isShown ? digestOf([unchangedMatching, changed]) : null;
}
