import { type AnswerKind, type Answers, answerSchema, type JsonSchema } from '../../dispatch/answer-schemas.ts';
import type { ComposedPrompt } from '../../dispatch/prompt.ts';
import { alignCriteria } from '../../dispatch/read-answer.ts';
import type { PhaseName } from '../../kernel/review-loops.ts';
import { ARTIFACT_OF, DEFAULT_FORM, type Role, type Roles, roleName } from '../roles/types.ts';
import type { Ask } from '../state.ts';
import type { LoopAnswer, LoopIssue } from '../types.ts';
import { type FeaturePaths, formSchema, mustRead } from './forms.ts';
import {
  finalValidationPrompt,
  freshReviewPrompt,
  type LoopDelta,
  type LoopSubject,
  resumedReviewPrompt,
} from './review.ts';
import {
  freshLoopFixPrompt,
  resumedLoopFixPrompt,
  simplifierPrompt,
  testOutlinePrompt,
  testWritingPrompt,
} from './write.ts';

/** The content that a loop's prompt is built from, besides the question itself. */
export type LoopMaterial = {
  readonly roles: Roles;
  readonly phase: PhaseName;
  readonly feature: FeaturePaths;
  /** The whole document under review; empty in `implement`. */
  readonly document: string;
  /** The files under review; in a document phase, the document. */
  readonly files: readonly string[];
  /** In `implement`, the files that the change deletes. */
  readonly deleted: readonly string[];
  /** For a resumed session: the stable part that opened it, and the changes since. */
  readonly resumed: {
    readonly opening: string;
    readonly delta: LoopDelta;
    readonly changedFiles: readonly string[];
  } | null;
  /** For part B of the test-deepener: the outlines of part A. */
  readonly outline: Answers['outline'] | null;
};

/** Returns the prompt for a question of a loop, built by the question's template. */
export function loopPrompt(ask: Ask, material: LoopMaterial): ComposedPrompt {
  const { phase, feature, files, resumed } = material;
  const role = roleOf(ask, material.roles);
  const task = { role, phase, feature };
  const { iteration, most, issues } = ask;
  const review = {
    opening: resumed?.opening ?? '',
    form: role.form ?? DEFAULT_FORM,
    delta: resumed?.delta ?? { stat: null, diff: '', upstream: '' },
    fixes: ask.fixes,
    iteration,
    most,
  };
  switch (ask.template) {
    case 'I1-R4':
    case 'I3': {
      const round = { iteration, most, previous: issues, isFallback: ask.template === 'I3' };
      return freshReviewPrompt(task, subjectOf(ask, material), round);
    }
    case 'I2': {
      const artifact = phase === 'implement' ? null : ARTIFACT_OF[phase];
      return resumedReviewPrompt({ ...review, artifact, hadIssues: issues.length > 0 });
    }
    case 'I2-FV':
      return finalValidationPrompt({ ...review, lastIteration: ask.lastIteration ?? iteration });
    case 'I7-fresh': {
      const isFallback = ask.why === 'resume-failed' || ask.why === 'session-lost';
      return freshLoopFixPrompt(task, { files, issues }, isFallback);
    }
    case 'I7-resumed':
      return resumedLoopFixPrompt(review.opening, { files, issues }, resumed?.changedFiles ?? []);
    case null:
      if (ask.role === 'code-simplifier') return simplifierPrompt(task, files);
      if (ask.part !== 'B') return testOutlinePrompt(task);
      return testWritingPrompt(task, material.outline ?? { outlines: [], summary: '' }, files);
  }
}

function subjectOf(ask: Ask, { phase, document, files, deleted }: LoopMaterial): LoopSubject {
  if (phase === 'implement') return { kind: 'files', files, deleted };
  if (ask.role === 'phase-reviewer') return { kind: 'handed-over', outcome: ask.domainOutcome };
  return { kind: 'document', artifact: ARTIFACT_OF[phase], text: document };
}

/** Returns the title of a call to an agent, for progress output. */
export function loopLabel(ask: Pick<Ask, 'role' | 'part' | 'iteration'>, phase: PhaseName): string {
  if (ask.role === 'implementer') return `Fix review issues iteration ${ask.iteration}`;
  if (ask.role === 'code-simplifier') return 'Simplify new code';
  if (ask.role === 'test-deepener') return ask.part === 'B' ? 'Write missing tests' : 'Derive tests from the documents';
  const subject = phase === 'implement' ? 'the implementation' : ARTIFACT_OF[phase];
  return `Review ${subject} as ${ask.role}, iteration ${ask.iteration}`;
}

/** Returns how to read the answer to a question, and its schema for agents that accept one. */
export function loopAnswer(
  ask: Pick<Ask, 'role' | 'part'>,
  roles: Roles,
): { readonly kind: Extract<AnswerKind, 'loop' | 'fixer' | 'outline'>; readonly schema: JsonSchema } {
  const { form } = roleOf(ask, roles);
  if (form !== null) return { kind: 'loop', schema: formSchema(form) };
  const kind = ask.role === 'test-deepener' && ask.part !== 'B' ? 'outline' : 'fixer';
  return { kind, schema: answerSchema(kind) };
}

/** Returns the paths of the files that the agent must read for this question. */
export function loopMustRead(
  ask: Pick<Ask, 'role' | 'part'>,
  { roles, phase, feature }: Pick<LoopMaterial, 'roles' | 'phase' | 'feature'>,
): readonly string[] {
  return mustRead(roleOf(ask, roles), phase, feature);
}

function roleOf({ role, part }: Pick<Ask, 'role' | 'part'>, roles: Roles): Role {
  return roles[roleName(role, part)];
}

/** Converts a reviewer's parsed answer into the form that the loop uses. */
export function toLoopAnswer({ approved, issues, summary, levels: judged }: Answers['loop']): LoopAnswer {
  const levels = alignCriteria(judged);
  const all = issues.map(({ severity, category, description, location, suggestion, level }): LoopIssue => {
    return {
      severity,
      description,
      level: typeof level === 'string' ? level : undefined,
      category,
      location,
      suggestion,
    };
  });
  return { approved, issues: all, summary, ...(Object.keys(levels).length === 0 ? {} : { levels }) };
}
