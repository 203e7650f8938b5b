import type { Assigned } from '@onceover/base/kernel/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignAgents } from '../../src/dispatch/assign-agents.ts';

const THREE = ['codex', 'claude', 'gemini'];

test.each<[number, readonly string[], Assigned | null]>([
  [1, THREE, { agent: 'codex', others: ['claude', 'gemini'] }],
  [2, THREE, { agent: 'claude', others: ['gemini', 'codex'] }],
  [3, THREE, { agent: 'gemini', others: ['codex', 'claude'] }],
  [4, THREE, { agent: 'codex', others: ['claude', 'gemini'] }],
  [2, ['codex'], { agent: 'codex', others: [] }],
  [1, [], null],
])('slot %i of %j', (slot, available, expected) => {
  expect(assignAgents(slot, available)).toEqual(expected);
});

test('assigns available[(k-1) mod n] to slot k; all other agents may take over', () => {
  const names = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), names, (slot, available) => {
      const assignment = assignAgents(slot, available);
      expect(assignment?.agent).toBe(available[(slot - 1) % available.length]);
      expect([assignment?.agent, ...(assignment?.others ?? [])].sort()).toEqual([...available].sort());
    }),
  );
});
