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

/** Returns the prompt that asks an agent to repeat an unreadable answer in the same session. */
export function repairPrompt(why: string): string {
  return `Your last answer could not be read: ${why}. Repeat your answer as one JSON object of the requested form, and nothing else.`;
}
