import type { Spot, StopAnswer, StopMemory, StopRequest } from '../domain/stop.ts';
import { findSpot } from '../io/spot.ts';
import { isAsTraced } from '../io/trace.ts';
import { treePrint } from '../io/tree-print.ts';
import { decideStop } from '../plan/decide-stop.ts';
import { isPullRequest } from '../plan/pull-request.ts';
import { stopDocument } from '../report/stop-document.ts';
import { readMemory, snoozedUntil } from '../stores/stop-memory.ts';
import { countBlocks } from './count-blocks.ts';

/**
 * What is told to the program of an agent that wants to stop; null: nothing. What was judged and is as it was is answered from memory, before anything else is
 * loaded; nothing that goes wrong here may trap the agent.
 */
export async function answerStop(text: string, deadlineSeconds: number): Promise<object | null> {
  // Whatever we started must not wait for itself.
  if (process.env['ONCEOVER_ACTIVE'] !== undefined) return null;
  const request = readRequest(text, deadlineSeconds);
  const answer = fromMemory(request) ?? (await (await import('./judge-stop.ts')).judgeStop(request));
  return stopDocument(answer);
}

function fromMemory({ cwd, session }: StopRequest): StopAnswer | null {
  const spot = findSpot(cwd, process.env);
  if (spot === null) return null;
  const until = snoozedUntil(spot, Date.now());
  if (until !== null) return { kind: 'let-go', why: { kind: 'asleep', until: new Date(until) } };
  const memory = readMemory(spot);
  // There another configuration counts than the one in the working tree.
  if (isPullRequest(process.env) || !isAsJudged(spot, memory)) return null;
  const decided = decideStop(memory.judged.verdict, memory.sessions[session] ?? null);
  const isNothing = decided.blocks === null && memory.sessions[session] === undefined;
  return isNothing ? decided.answer : countBlocks(spot, memory, session, decided);
}

type Judged = StopMemory & { readonly judged: NonNullable<StopMemory['judged']> };

/** Whether the tree and all that the verdict depends on are as they were when it was given. */
function isAsJudged(spot: Spot, memory: StopMemory): memory is Judged {
  const { judged } = memory;
  return judged !== null && isAsTraced(judged.traces) && treePrint(spot, judged.index)?.print === judged.print;
}

// An unreadable request is a stop all the same.
function readRequest(text: string, deadlineSeconds: number): StopRequest {
  const told = parse(text);
  const session = typeof told?.['session_id'] === 'string' ? told['session_id'].slice(0, 100) : '';
  // An agent that has gone elsewhere is still asked about the project that it was started in.
  const folders = [told?.['cwd'], process.env['CLAUDE_PROJECT_DIR'], process.env['GEMINI_PROJECT_DIR'], '.'];
  const given = folders.filter((one) => typeof one === 'string' && one !== '') as string[];
  return {
    cwd: given.find((folder) => findSpot(folder, process.env) !== null) ?? given[0] ?? '.',
    // By itself it could be the name of something that every object has.
    session: `session ${session}`,
    deadlineSeconds,
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}
