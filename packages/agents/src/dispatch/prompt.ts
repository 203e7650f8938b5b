/**
 * Whether an agent read all `requiredFiles`; `null` if none are required. If the agent's events do not show which
 * files it opened, the text "Files read:" in its reply is enough.
 */
export function readsConfirmed(
  requiredFiles: readonly string[],
  reply: { readonly text: string; readonly filesRead: readonly string[] | null },
): boolean | null {
  if (requiredFiles.length === 0) return null;
  const { filesRead } = reply;
  if (filesRead === null) return reply.text.includes('Files read:');
  return requiredFiles.every((path) => filesRead.some((readPath) => isSamePath(readPath, path)));
}

// An agent may report a file by a relative or an absolute path, so compare only the ends of both paths.
function isSamePath(openedPath: string, path: string): boolean {
  const [a, b] = [normalizePath(openedPath), normalizePath(path)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function normalizePath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/');
}

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
  const stable = join(sections, 'stable');
  const dynamic = join(sections, 'dynamic');
  return { stable, dynamic, length: wholeText({ stable, dynamic }).length };
}

/** Returns the stable and the dynamic part as one text, the form in which most agents get a prompt. */
export function wholeText({ stable, dynamic }: Pick<ComposedPrompt, 'stable' | 'dynamic'>): string {
  return [stable, dynamic].filter((part) => part !== '').join('\n\n');
}

function join(sections: readonly PromptSection[], kind: PromptSection['kind']): string {
  return sections
    .filter((section) => section.kind === kind && section.text.trim() !== '')
    .map((section) => section.text.trim())
    .join('\n\n');
}

/** Returns the prompt that asks an agent to repeat an unreadable answer in the same session. */
export function repairPrompt(why: string): string {
  return `Your last answer could not be read: ${why}. Repeat your answer as one JSON object of the requested form, and nothing else.`;
}
