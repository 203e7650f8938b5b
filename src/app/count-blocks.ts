import type { Blocks, Spot, StopAnswer, StopMemory } from '../domain/stop.ts';
import { withSession, writeMemory } from '../stores/stop-memory.ts';

type Decided = { readonly answer: StopAnswer; readonly blocks: Blocks | null };

/** Keeps the memory with what was decided for a session; where it cannot be kept, nobody could count, and nobody is held. */
export function countBlocks(spot: Spot, memory: StopMemory, session: string, { answer, blocks }: Decided): StopAnswer {
  const isKept = writeMemory(spot, withSession(memory, session, blocks));
  if (isKept || answer.kind === 'let-go') return answer;
  return { kind: 'let-go', why: { kind: 'not-counted', folder: spot.commonDir } };
}
