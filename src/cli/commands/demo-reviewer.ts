import { answerAsReviewer } from '../../app.ts';
import { fail } from '../output.ts';
import { readStdin } from '../standard-input.ts';

/** A scripted reviewer of the demo, started as any command agent is: prompt on standard input, JSON on standard output. */
export async function demoReviewerCommand(name: string): Promise<void> {
  const read = await readStdin(null);
  if (!read.ok) return fail(read.failure, false);
  const answer = await answerAsReviewer(name, read.value ?? '', process.env['ONCEOVER_SESSION'] ?? null);
  if (answer === null) {
    process.stderr.write('onceover: This is a part of "onceover demo", and knows only its repository and sessions.\n');
    process.exitCode = 1;
  } else process.stdout.write(`${JSON.stringify(answer)}\n`);
}
