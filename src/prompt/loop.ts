import type { PhaseName } from '../domain/phase.ts';
import type { Ask } from '../domain/phase-step.ts';
import { ARTIFACT_OF, type Role, type Roles, roleName } from '../domain/role.ts';
import { answerSchema, type JsonSchema } from './answer-schema.ts';
import type { AnswerKind, Answers } from './answers.ts';
import type { ComposedPrompt } from './compose.ts';
import { freshLoopFixPrompt, resumedLoopFixPrompt } from './loop-fix.ts';
import { freshReviewPrompt, type LoopSubject, PLAIN_FORM } from './loop-fresh.ts';
import { finalValidationPrompt, type LoopDelta, resumedReviewPrompt } from './loop-resumed.ts';
import { simplifierPrompt, testOutlinePrompt, testWritingPrompt } from './loop-work.ts';
import { type FeaturePaths, mustRead } from './required-artifacts.ts';
import { formSchema } from './review-form.ts';

/** What a prompt of a loop is made of, besides the question. */
export type LoopMaterial = {
  readonly roles: Roles;
  readonly phase: PhaseName;
  readonly feature: FeaturePaths;
  /** The document under review, whole; of code, nothing. */
  readonly document: string;
  /** The files under work: of a document phase the document. */
  readonly files: readonly string[];
  /** Files of code that the change deletes. */
  readonly deleted: readonly string[];
  /** For a resumed dispatch: what opened the session, and what changed since. */
  readonly resumed: {
    readonly opening: string;
    readonly delta: LoopDelta;
    readonly changedFiles: readonly string[];
  } | null;
  /** For the second half of the test-deepener: what the first came to. */
  readonly outline: Answers['outline'] | null;
};

/** The prompt for a question of a loop, by its template. */
export function loopPrompt(ask: Ask, material: LoopMaterial): ComposedPrompt {
  const { phase, feature, files, resumed } = material;
  const role = roleOf(ask, material.roles);
  const task = { role, phase, feature };
  const { iteration, most } = ask;
  const review = {
    opening: resumed?.opening ?? '',
    form: role.form ?? PLAIN_FORM,
    delta: resumed?.delta ?? { stat: null, diff: '', upstream: '' },
    fixes: ask.fixes,
    iteration,
    most,
  };
  switch (ask.template) {
    case 'I1-R4':
    case 'I3': {
      const round = { iteration, most, previous: ask.issues, isFallback: ask.template === 'I3' };
      return freshReviewPrompt(task, subjectOf(ask, material), round);
    }
    case 'I2': {
      const artifact = phase === 'implement' ? null : ARTIFACT_OF[phase];
      return resumedReviewPrompt({ ...review, artifact, hadIssues: ask.issues.length > 0 });
    }
    case 'I2-FV':
      return finalValidationPrompt({ ...review, lastIteration: ask.lastIteration ?? iteration });
    case 'I7-fresh':
      return freshLoopFixPrompt(
        task,
        { files, issues: ask.issues },
        ask.why === 'resume-failed' || ask.why === 'session-lost',
      );
    case 'I7-resumed':
      return resumedLoopFixPrompt(review.opening, { files, issues: ask.issues }, resumed?.changedFiles ?? []);
    case null:
      if (ask.role === 'code-simplifier') return simplifierPrompt(task, files);
      if (ask.part !== 'B') return testOutlinePrompt(task);
      return testWritingPrompt(task, material.outline ?? { outlines: [], summary: '' }, files);
  }
}

/** What the dispatch is called. */
export function loopLabel(ask: Pick<Ask, 'role' | 'part' | 'iteration'>, phase: PhaseName): string {
  if (ask.role === 'implementer') return `Fix review issues iteration ${ask.iteration}`;
  if (ask.role === 'code-simplifier') return 'Simplify new code';
  if (ask.role === 'test-deepener') return ask.part === 'B' ? 'Write missing tests' : 'Derive tests from the documents';
  const subject = phase === 'implement' ? 'the implementation' : ARTIFACT_OF[phase];
  return `Review ${subject} as ${ask.role}, iteration ${ask.iteration}`;
}

/** What the answer to a question has to be: how it is read, and the schema for agents that take one. */
export function loopAnswer(ask: Pick<Ask, 'role' | 'part'>, roles: Roles): LoopAnswerForm {
  const { form } = roleOf(ask, roles);
  if (form !== null) return { kind: 'loop', schema: formSchema(form) };
  const kind = ask.role === 'test-deepener' && ask.part !== 'B' ? 'outline' : 'fixer';
  return { kind, schema: answerSchema(kind) };
}

type LoopAnswerForm = { readonly kind: Extract<AnswerKind, 'loop' | 'fixer' | 'outline'>; readonly schema: JsonSchema };

/** The files that whoever is asked must have read. */
export function loopMustRead(
  ask: Pick<Ask, 'role' | 'part'>,
  { roles, phase, feature }: Pick<LoopMaterial, 'roles' | 'phase' | 'feature'>,
): readonly string[] {
  return mustRead(roleOf(ask, roles), phase, feature);
}

function roleOf({ role, part }: Pick<Ask, 'role' | 'part'>, roles: Roles): Role {
  return roles[roleName(role, part)];
}

function subjectOf(ask: Ask, { phase, document, files, deleted }: LoopMaterial): LoopSubject {
  if (phase === 'implement') return { kind: 'files', files, deleted };
  if (ask.role === 'phase-reviewer') return { kind: 'handed-over', outcome: ask.domainOutcome };
  return { kind: 'document', artifact: ARTIFACT_OF[phase], text: document };
}
