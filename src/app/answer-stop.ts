import type { Spot, StopAnswer, StopMemory, StopRequest } from '../domain/stop.ts';
import { findSpot } from '../io/spot.ts';
import { trace, treePrint } from '../io/tree-print.ts';
import { decideStop } from '../plan/decide-stop.ts';
import { stopDocument } from '../report/stop-document.ts';
import { readMemory, snoozedUntil, withSession, writeMemory } from '../stores/stop-memory.ts';

/**
 * Answers an agent that wants to stop. What was judged and is as it was is answered from memory, before anything else is
 * loaded; nothing that goes wrong here may trap the agent.
 */
export async function answerStop(text: string, cwd: string, deadlineSeconds: number): Promise<void> {
  // Whatever we started must not wait for itself.
  if (process.env['ONCEOVER_ACTIVE'] !== undefined) return;
  const request = readRequest(text, cwd, deadlineSeconds);
  const answer = fromMemory(request) ?? (await (await import('./judge-stop.ts')).judgeStop(request));
  const document = stopDocument(answer);
  if (document !== null) process.stdout.write(`${JSON.stringify(document)}\n`);
}

function fromMemory({ cwd, session }: StopRequest): StopAnswer | null {
  const spot = findSpot(cwd, process.env);
  if (spot === null) return null;
  const until = snoozedUntil(spot, Date.now());
  if (until !== null) return asleep(until);
  const memory = readMemory(spot);
  if (!isAsJudged(spot, memory) || memory.judged === null) return null;
  const { answer, blocks } = decideStop(memory.judged.verdict, memory.sessions[session] ?? null);
  if (blocks !== null || session in memory.sessions) writeMemory(spot, withSession(memory, session, blocks));
  return answer;
}

function asleep(until: number): StopAnswer {
  const time = new Date(until).toTimeString().slice(0, 5);
  return { kind: 'let-go', message: `onceover's stop hook sleeps until ${time}; nothing was judged.` };
}

/** Whether the tree and all that the verdict depends on are as they were when it was given. */
function isAsJudged(spot: Spot, { judged }: StopMemory): boolean {
  if (judged === null) return false;
  if (Object.entries(judged.traces).some(([path, was]) => trace(path) !== was)) return false;
  return treePrint(spot)?.print === judged.print;
}

// An unreadable request is a stop all the same.
function readRequest(text: string, cwd: string, deadlineSeconds: number): StopRequest {
  try {
    const told = JSON.parse(text) as Record<string, unknown> | null;
    return {
      cwd: typeof told?.['cwd'] === 'string' ? told['cwd'] : cwd,
      session: typeof told?.['session_id'] === 'string' ? told['session_id'].slice(0, 100) : '',
      deadlineSeconds,
    };
  } catch {
    return { cwd, session: '', deadlineSeconds };
  }
}
