/** Runs work as a user without root rights, because file modes do not stop root. */
export async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(65534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
