import { type AnswerKind, type Answers, answerSchema, type JsonSchema } from '@onceover/agents/dispatch/answer-schemas';
import { closeFence } from '@onceover/base/kernel/escape';
import { type ComposedPrompt, composePrompt } from '@onceover/base/kernel/prompt';
import type { PhaseName } from '@onceover/base/kernel/review-loops';
import { ARTIFACT_OF, artifactsOf, DEFAULT_FORM, type Role, type Roles, roleName } from '../roles/types.ts';
import type { Ask } from '../state.ts';
import { artifactPath, describeForm, type FeaturePaths, formSchema, requiredArtifacts } from './forms.ts';
import {
  describeChanges,
  describeIssues,
  describeOutlines,
  describeSubject,
  FIX_ANSWER,
  iterationContext,
  type LoopDelta,
  type LoopSubject,
  listFiles,
  nextPhaseExpectations,
  OUTLINE_ANSWER,
  REVIEW_RULES,
} from './sections.ts';

/** Everything that a prompt is built from, except the question itself (`Ask`). */
export type LoopMaterial = LoopSubject & {
  readonly roles: Roles;
  readonly feature: FeaturePaths;
  /**
   * For a resumed session: the start of its first prompt, which must stay the same, and the changes since its last
   * call. Null for a new session.
   */
  readonly resumed: {
    readonly opening: string;
    readonly delta: LoopDelta;
    readonly changedFiles: readonly string[];
  } | null;
  /** The test outlines that part A of the test-deepener wrote, for the prompt of part B; null for other prompts. */
  readonly outline: Answers['outline'] | null;
};

const NOT_RESUMED = { opening: '', delta: { stat: null, diff: '', upstream: '', others: '' }, changedFiles: [] };

/**
 * Returns the prompt for a question. Its stable part is the same in every iteration, so that providers can cache it.
 */
export function loopPrompt(ask: Ask, material: LoopMaterial): ComposedPrompt {
  const { phase, files, feature, outline } = material;
  const { iteration, most, issues, fixes } = ask;
  const role = roleOf(ask, material.roles);
  const [rubric, coda, checklist] = [role.rubric, role.coda ?? '', role.checklist ?? ''].map(closeFence);
  const artifactsSection = requiredArtifacts(role, phase, feature);
  const instructions = [rubric, coda, artifactsSection, checklist];
  const form = describeForm(role.form ?? DEFAULT_FORM);
  const { opening, delta, changedFiles } = material.resumed ?? NOT_RESUMED;
  const implementationFiles = `## Implementation Files\n${listFiles(files)}`;
  switch (ask.template) {
    case 'I1-R4':
    case 'I3':
      return promptOf(
        [rubric, coda, REVIEW_RULES, artifactsSection, checklist, nextPhaseExpectations(role, phase), form],
        [describeSubject(ask, material), iterationContext(ask)],
      );
    case 'I2': {
      const artifact = phase === 'implement' ? 'the implementation files' : ARTIFACT_OF[phase];
      return promptOf(
        [opening],
        [
          `You already have the upstream artifacts and the previous version of ${artifact} in context from your prior review.`,
          `The following changes were made${issues.length > 0 ? ' to address your previous issues' : ''}:`,
          ...describeChanges('Delta', delta, fixes),
          'Review the changes above. Assess whether your previous issues are resolved and check for new issues introduced by the fixes.',
          `This is iteration ${iteration} of ${most}.`,
          form,
        ],
      );
    }
    case 'I2-FV':
      return promptOf(
        [opening],
        [
          `You already have the upstream artifacts and implementation files in context from your prior review at iteration ${ask.lastIteration ?? iteration}.`,
          'Since your last review, the following fixes were applied to address issues from other reviewers:',
          ...describeChanges('Changes Since Your Last Review', delta, fixes),
          'Perform a full regression check. Verify your previous approval still holds given these changes, and check for any new issues.',
          `This is the final validation round (iteration ${iteration} of ${most}).`,
          form,
        ],
      );
    case 'I7-fresh': {
      const isFallback = ask.why === 'resume-failed' || ask.why === 'session-lost';
      return promptOf(
        ['Fix the following review issues:', ...instructions, FIX_ANSWER],
        [
          `## All Implementation Files\n${listFiles(files)}`,
          `## Issues to Fix\n${describeIssues(issues)}`,
          isFallback ? '(Fresh dispatch — prior fix session unavailable.)' : '',
        ],
      );
    }
    case 'I7-resumed':
      return promptOf(
        [opening],
        [
          'You already have the upstream artifacts and implementation files in context from your previous fix session.',
          `## New Issues to Fix\n${describeIssues(issues)}`,
          `## Changed Files to Re-read\n${listFiles(changedFiles)}`,
          `## All Implementation Files (for reference)\n${listFiles(files)}`,
          'Answer as before, with one JSON object.',
          'Fix all listed issues. After fixing, briefly summarize what you changed.',
        ],
      );
    case null:
      if (ask.role === 'code-simplifier') return promptOf([...instructions, FIX_ANSWER], [implementationFiles]);
      if (ask.part === 'B') {
        const outlines = describeOutlines(outline ?? { outlines: [], summary: '' });
        return promptOf([...instructions, FIX_ANSWER], [implementationFiles, ...outlines]);
      }
      return promptOf(
        [...instructions, OUTLINE_ANSWER],
        ['Read the documents, then answer with the JSON object described above.'],
      );
  }
}

function promptOf(stable: readonly (string | undefined)[], dynamic: readonly string[]): ComposedPrompt {
  return composePrompt([
    ...stable.map((text = '') => ({ kind: 'stable', text }) as const),
    ...dynamic.map((text) => ({ kind: 'dynamic', text }) as const),
  ]);
}

/** Returns the title of a call, for progress output. */
export function loopLabel(ask: Pick<Ask, 'role' | 'part' | 'iteration'>, phase: PhaseName): string {
  if (ask.role === 'implementer') return `Fix review issues iteration ${ask.iteration}`;
  if (ask.role === 'code-simplifier') return 'Simplify new code';
  if (ask.role === 'test-deepener') return ask.part === 'B' ? 'Write missing tests' : 'Derive tests from the documents';
  const subject = phase === 'implement' ? 'the implementation' : ARTIFACT_OF[phase];
  return `Review ${subject} as ${ask.role}, iteration ${ask.iteration}`;
}

/** Returns the kind of answer that a question asks for, and its JSON schema for agents that accept a schema. */
export function loopAnswer(
  ask: Pick<Ask, 'role' | 'part'>,
  roles: Roles,
): { readonly kind: Extract<AnswerKind, 'loop' | 'fixer' | 'outline'>; readonly schema: JsonSchema } {
  const { form } = roleOf(ask, roles);
  if (form !== null) return { kind: 'loop', schema: formSchema(form) };
  const kind = ask.role === 'test-deepener' && ask.part !== 'B' ? 'outline' : 'fixer';
  return { kind, schema: answerSchema(kind) };
}

/**
 * Returns the paths of the files that the agent must read for this question. A missing PRD (product requirements
 * document) is left out.
 */
export function loopMustRead(
  ask: Pick<Ask, 'role' | 'part'>,
  { roles, phase, feature }: Pick<LoopMaterial, 'roles' | 'phase' | 'feature'>,
): readonly string[] {
  return artifactsOf(roleOf(ask, roles), phase).flatMap((artifact) => artifactPath(artifact, feature) ?? []);
}

function roleOf({ role, part }: Pick<Ask, 'role' | 'part'>, roles: Roles): Role {
  return roles[roleName(role, part)];
}
