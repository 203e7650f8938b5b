import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoAnswer, type DemoMemory, demoAnswer } from '../demo/answer.ts';
import { estimateTokens } from '../plan/estimate.ts';

/** Where scripted reviewers keep their sessions; whoever has no such folder is not in the demo's repository. */
export const DEMO_SESSIONS = '.git/demo-sessions';

type Told = DemoAnswer & {
  readonly session_id: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
};

/** Answers as a scripted reviewer; null where this is not the demo, or the session to go on with is not known. */
export function answerAsReviewer(name: string, prompt: string, session: string | null): Told | null {
  const memory = session === null ? { seen: [] } : recall(session);
  if (memory === null) return null;
  const said = demoAnswer(name, prompt, memory);
  const id = session ?? randomUUID();
  if (!remember(id, said.memory)) return null;
  // There is no model: its tokens are estimated from what was really sent and said.
  const usage = {
    input_tokens: estimateTokens(prompt.length),
    output_tokens: estimateTokens(JSON.stringify(said.answer).length),
  };
  return { ...said.answer, session_id: id, usage };
}

function recall(session: string): DemoMemory | null {
  try {
    return JSON.parse(readFileSync(fileOf(session), 'utf8')) as DemoMemory;
  } catch {
    return null;
  }
}

function remember(session: string, memory: DemoMemory): boolean {
  try {
    writeFileSync(fileOf(session), JSON.stringify(memory));
    return true;
  } catch {
    return false;
  }
}

// Ids are ours, and are asked for by whoever starts us.
function fileOf(session: string): string {
  return join(DEMO_SESSIONS, `${session.replace(/[^\w-]/g, '_')}.json`);
}
