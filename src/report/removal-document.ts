import type { Left, Removal, Taken } from '../domain/removal.ts';

/** What `init --remove --json` answers with. */
export type RemovalDocument = {
  removed: boolean;
  taken: { kind: Taken['kind']; path: string | null; count: number }[];
  left: { path: string; why: Left['why'] }[];
};

export function removalDocument({ isDone, taken, left }: Removal): RemovalDocument {
  return {
    removed: isDone,
    taken: taken.map((one) => ({
      kind: one.kind,
      path: one.kind === 'refs' ? null : one.path,
      count: one.kind === 'refs' ? one.count : 'files' in one ? one.files : 1,
    })),
    left: left.map(({ path, why }) => ({ path, why })),
  };
}
