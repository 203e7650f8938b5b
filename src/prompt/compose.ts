/** A part of a prompt: the same in every iteration, or not. */
export type PromptSection = { readonly kind: 'stable' | 'dynamic'; readonly text: string };

/** A prompt that knows where its stable part ends. */
export type ComposedPrompt = {
  readonly stable: string;
  readonly dynamic: string;
  /** Characters of the whole prompt as it is sent. */
  readonly length: number;
};

/** Puts the stable sections first, each kind in the order given; empty sections leave no trace. */
export function composePrompt(sections: readonly PromptSection[]): ComposedPrompt {
  const stable = join(sections, 'stable');
  const dynamic = join(sections, 'dynamic');
  return { stable, dynamic, length: wholeText({ stable, dynamic }).length };
}

/** Both parts as the one text that most agents are sent. */
export function wholeText({ stable, dynamic }: Pick<ComposedPrompt, 'stable' | 'dynamic'>): string {
  return [stable, dynamic].filter((part) => part !== '').join('\n\n');
}

function join(sections: readonly PromptSection[], kind: PromptSection['kind']): string {
  return sections
    .filter((section) => section.kind === kind && section.text.trim() !== '')
    .map((section) => section.text.trim())
    .join('\n\n');
}
