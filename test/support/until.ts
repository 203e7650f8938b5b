/** Waits until a condition holds, at most 20 seconds. */
export async function until(holds: () => boolean | Promise<boolean>, mostMs = 20_000): Promise<void> {
  const end = Date.now() + mostMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('The condition did not become true in time.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
