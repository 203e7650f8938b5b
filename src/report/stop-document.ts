import type { StopAnswer } from '../domain/stop.ts';
import { tellLetGo } from '../text/let-go.ts';

/** The answer as Claude Code, Codex and Gemini CLI read it; null: nothing is printed. */
export function stopDocument(answer: StopAnswer): object | null {
  if (answer.kind === 'block') return { decision: 'block', reason: answer.reason };
  return answer.why === null ? null : { systemMessage: tellLetGo(answer.why) };
}
