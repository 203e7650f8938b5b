import type { MetaUpdate } from '../../../src/domain/meta.ts';

const AT = new Date('2026-03-04T05:06:07.000Z');

/** What a phase of one round tells, and what differs from it. */
export function metaOf(differs: Partial<MetaUpdate> = {}): MetaUpdate {
  return {
    phase: 'specify',
    started: AT,
    completed: null,
    loops: [{ stage: 'domain', started: AT, completed: null, iterations: 1, approved: false, notes: ['a note'] }],
    notes: ['a note'],
    resuming: { kind: 'unknown' },
    ...differs,
  };
}
