import { readFileSync } from 'node:fs';
import { answerStop } from '../app/answer-stop.ts';

const USUAL_DEADLINE_SECONDS = 540;

/** Answers an agent's program that tells of a stop on standard input; whatever goes wrong, the agent is not held. */
export async function hookStop(deadlineSeconds: number | null): Promise<void> {
  try {
    await answerStop(readFileSync(0, 'utf8'), process.cwd(), deadlineSeconds ?? USUAL_DEADLINE_SECONDS);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const systemMessage = `onceover could not judge this change, so nothing was passed: ${said}`;
    process.stdout.write(`${JSON.stringify({ systemMessage })}\n`);
  }
}
