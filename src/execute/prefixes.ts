/** Those who send the same beginning of a prompt: whoever comes second reads what the first one wrote to the provider's cache. */
export type Prefixes = {
  /**
   * Waits until whoever was first has heard from its agent. The first does not wait: the others do until it calls what it
   * is given, which it must. Null: nothing is shared.
   */
  join(prefix: string | null): Promise<() => void>;
};

export function openPrefixes(): Prefixes {
  const warm = new Map<string, Promise<void>>();
  return {
    async join(prefix) {
      if (prefix === null) return () => {};
      const leader = warm.get(prefix);
      if (leader !== undefined) {
        await leader;
        return () => {};
      }
      let begun = () => {};
      warm.set(
        prefix,
        new Promise((resolve) => {
          begun = resolve;
        }),
      );
      return begun;
    },
  };
}
