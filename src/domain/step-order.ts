type Node = { readonly id: string; readonly dependencies: readonly string[] };

/** Everything that a step needs, directly or by way of others; ids that no step has are left out. */
export function allDependencies(steps: readonly Node[], id: string): ReadonlySet<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const found = new Set<string>();
  const open = [...(byId.get(id)?.dependencies ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const step = byId.get(next);
    if (step === undefined || found.has(next)) continue;
    found.add(next);
    open.push(...step.dependencies);
  }
  return found;
}

/** Steps that need one another in a circle, the first once more at the end; null where there is no circle. */
export function findCycle(steps: readonly Node[]): readonly string[] | null {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const cleared = new Set<string>();
  const follow = (id: string, path: readonly string[]): readonly string[] | null => {
    const at = path.indexOf(id);
    if (at !== -1) return [...path.slice(at), id];
    if (cleared.has(id)) return null;
    for (const next of byId.get(id)?.dependencies ?? []) {
      const found = follow(next, [...path, id]);
      if (found !== null) return found;
    }
    cleared.add(id);
    return null;
  };
  for (const { id } of steps) {
    const found = follow(id, []);
    if (found !== null) return found;
  }
  return null;
}

/** The ids in the order in which they are written, but each after those that it needs; there must be no circle. */
export function inOrder(steps: readonly Node[]): readonly string[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const placed = new Set<string>();
  const place = (id: string): void => {
    const step = byId.get(id);
    if (step === undefined || placed.has(id)) return;
    for (const needed of step.dependencies) place(needed);
    placed.add(id);
  };
  for (const { id } of steps) place(id);
  return [...placed];
}
