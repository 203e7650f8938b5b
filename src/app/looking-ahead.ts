import type { Comparison, LeftOut, Snapshot, Snapshots } from '../domain/ports.ts';
import type { Result } from '../domain/result.ts';
import type { Selection } from '../domain/scope.ts';

type Ahead = {
  readonly snapshots: Snapshots;
  /** What the first look sees; null where it fails. */
  readonly first: Promise<Snapshot | null>;
};

/** Begins the first look at the working tree at once, while the rest is still being read; what was seen counts once. */
export function lookingAhead(
  snapshots: Snapshots,
  selection: Selection,
  usualBase: string | null,
  left: LeftOut,
): Ahead {
  const comparing = snapshots.compare(selection, usualBase);
  const looking = comparing.then((compared) => (compared.ok ? snapshots.take(compared.value, left) : null));
  let begun: { readonly compared: Promise<Result<Comparison>>; readonly looked: typeof looking } | null = {
    compared: comparing,
    looked: looking,
  };
  return {
    first: looking.then(
      (looked) => (looked?.ok === true ? looked.value : null),
      () => null,
    ),
    snapshots: {
      ...snapshots,
      compare: (...asked) => begun?.compared ?? snapshots.compare(...asked),
      async take(comparison, leftOut) {
        const looked = begun === null ? null : await begun.looked;
        begun = null;
        return looked ?? snapshots.take(comparison, leftOut);
      },
    },
  };
}
