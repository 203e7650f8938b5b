import { GATE_ENGINE } from '@onceover/gates/src/run/do/prompt.ts';
import { expect } from 'vitest';
import { compareRequests } from './model-sim/compare.ts';
import { type LoggedRequest, totalUse } from './model-sim/log.ts';
import type { AgentName } from './real-person.ts';
import type { Iteration, RealRun } from './real-run.ts';
import { addedText, outputTokens, sessionOf } from './wire.ts';

/** Returns the states of all slots in a document, in order. */
export function slotsOf(end: Iteration | null | undefined) {
  return end?.gates.flatMap(({ slots }) => slots) ?? [];
}

/** Returns the id of a slot's finding. */
export function idOf(end: Iteration, slot: number): string {
  const found = end.findings.find((one) => one.slot === slot);
  if (found === undefined) throw new Error(`@${slot} found nothing`);
  return found.id;
}

/**
 * Expects that the agent resumed its conversation: the earlier part is equal, it comes from the cache, and the prompt
 * is not that of a new session. Returns the prompt.
 */
export function expectGoesOn(who: AgentName, before: Iteration, after: Iteration): string {
  const text = expectResumed(who, before.sent(who).at(-1), after.sent(who)[0]);
  expect(text).not.toContain(GATE_ENGINE.slice(0, 100));
  return text;
}

/** Expects that a request continues an earlier conversation; returns the new prompt. */
export function expectResumed(
  who: AgentName,
  earlier: LoggedRequest | undefined,
  later: LoggedRequest | undefined,
): string {
  if (earlier === undefined || later === undefined) throw new Error(`${who} was not asked`);
  expect(sessionOf(later)).toBe(sessionOf(earlier));
  expect(compareRequests(earlier, later)).toMatchObject({
    toolsIdentical: true,
    systemIdentical: true,
    messagesPrefixIdentical: true,
  });
  // Codex's provider counts cached tokens in whole steps.
  const step = who === 'claude' ? 1 : 2048;
  expect(later.use?.read).toBeGreaterThan((earlier.use?.total ?? 0) - step);
  const text = addedText(earlier, later);
  expect(text).not.toBe('');
  return text;
}

/**
 * Expects that the record names the session of the requests, and the usage that the simulator counted for this call
 * alone.
 */
export function expectRecorded(user: RealRun, name: string, who: AgentName, iteration: Iteration): void {
  const { adapter, session, usage } = user.record(name);
  const requests = iteration.sent(who);
  const use = totalUse(requests);
  expect({ adapter, session: session?.id }).toEqual({ adapter: who, session: sessionOf(requests[0]) });
  expect(usage).toMatchObject({
    inputTokens: use.input,
    cachedInputTokens: use.read,
    cacheWriteTokens: use.write,
    outputTokens: outputTokens(requests),
  });
}
