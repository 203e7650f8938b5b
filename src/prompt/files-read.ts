/**
 * Whether an agent read what it had to, by the files that it was seen to open, else by its own word; null: there was nothing
 * to read. It is asked of the reply as it came, before the answer in it is read.
 */
export function readsConfirmed(
  required: readonly string[],
  reply: { readonly text: string; readonly filesRead: readonly string[] | null },
): boolean | null {
  if (required.length === 0) return null;
  const { filesRead } = reply;
  if (filesRead === null) return reply.text.includes('Files read:');
  return required.every((path) => filesRead.some((one) => isSame(one, path)));
}

// An agent may name a file from where it is, or from the root of the disk.
function isSame(opened: string, path: string): boolean {
  const [a, b] = [plain(opened), plain(path)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/');
}
