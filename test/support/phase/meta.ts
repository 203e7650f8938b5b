import type { MetaUpdate } from '@onceover/loops/src/phases/types.ts';

const AT = '2026-03-04T05:06:07.000Z';

/** Returns the meta update of a phase with one round; `differs` overrides it. */
export function metaOf(differs: Partial<MetaUpdate> = {}): MetaUpdate {
  return {
    phase: 'specify',
    started: AT,
    completed: null,
    loops: [
      { stage: 'domain', started: AT, completed: null, iterations: 1, approved: false, reviewerNotes: ['a note'] },
    ],
    reviewerNotes: ['a note'],
    resuming: { kind: 'unknown' },
    ...differs,
  };
}
