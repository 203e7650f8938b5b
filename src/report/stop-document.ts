import type { StopAnswer } from '../domain/stop.ts';

/** The answer as Claude Code, Codex and Gemini CLI read it; null: nothing is printed. */
export function stopDocument(answer: StopAnswer): object | null {
  if (answer.kind === 'block') return { decision: 'block', reason: answer.reason };
  return answer.message === null ? null : { systemMessage: answer.message };
}
