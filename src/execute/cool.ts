import type { AgentFailure } from '../domain/agent.ts';
import type { Clock, Coolings } from '../domain/ports.ts';

const HOUR_MS = 3_600_000;

/** Remembers that an agent has reached a limit. That it could not be remembered costs one more try later, and nothing else. */
export async function coolAgent(
  { coolings, clock }: { readonly coolings: Coolings; readonly clock: Clock },
  agent: string,
  { resetAt, said }: Extract<AgentFailure, { kind: 'limit' }>,
): Promise<void> {
  await coolings.add({ agent, until: resetAt ?? new Date(clock.now().getTime() + HOUR_MS), said });
}
