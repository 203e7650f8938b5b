import type { Question } from './ports.ts';

/** A part of a prompt. Stable parts are the same in every iteration, so that the provider can cache them. */
export type PromptSection = { readonly kind: 'stable' | 'dynamic'; readonly text: string };

export type ComposedPrompt = {
  readonly stable: string;
  readonly dynamic: string;
  /** The length in characters of the whole prompt as it is sent. */
  readonly length: number;
};

/** Joins the sections of a prompt: first the stable ones, then the others. Empty sections are left out. */
export function composePrompt(sections: readonly PromptSection[]): ComposedPrompt {
  const stable = joinSections(sections, 'stable');
  const dynamic = joinSections(sections, 'dynamic');
  return { stable, dynamic, length: joinPrompt({ stable, dynamic }).length };
}

function joinSections(sections: readonly PromptSection[], kind: PromptSection['kind']): string {
  return sections
    .filter((section) => section.kind === kind && section.text.trim() !== '')
    .map((section) => section.text.trim())
    .join('\n\n');
}

/**
 * Returns the stable and the dynamic part as one text. Prompts are measured and sent in this form, so that what is
 * budgeted is what is sent.
 */
export function joinPrompt({ stable, dynamic }: Pick<ComposedPrompt, 'stable' | 'dynamic'>): string {
  return [stable, dynamic].filter((part) => part !== '').join('\n\n');
}

/** Returns the text of a question as it is sent. A resumed or forked session already contains the stable part. */
export function sentText(question: Pick<Question, 'stable' | 'dynamic' | 'sessionId' | 'forkOf'>): string {
  const startsSession = question.sessionId === null && question.forkOf === undefined;
  return startsSession ? joinPrompt(question) : question.dynamic;
}
