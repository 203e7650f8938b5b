import { PAGE_WIDTH, shownOn } from '@onceover/base/ui/terminal';
import { describeDemoBeginning, describeDemoEnd, describeDemoRun } from '../../demo/describe.ts';
import { demoDocument } from '../../demo/json.ts';
import { readStdin } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, type Flags, finish, printResult } from '../output.ts';

/**
 * Answers as a scripted reviewer. The demo uses this command as a custom agent: the prompt comes on stdin, and the
 * answer is JSON on stdout.
 */
export async function demoReviewerCommand(name: string): Promise<void> {
  const input = await readStdin(null);
  if (!input.ok) return exitWith(input.failure, false);
  const { answerAsReviewer } = await import('../../demo/reviewer.ts');
  const answer = await answerAsReviewer(name, input.value ?? '', process.env['ONCEOVER_SESSION'] ?? null);
  if (answer === null) {
    process.stderr.write('onceover: "demo-reviewer" is a part of "onceover demo" and works only there.\n');
    process.exitCode = 1;
  } else process.stdout.write(`${JSON.stringify(answer)}\n`);
}

export async function demoCommand({ keep = false, json = false }: Flags<never, 'keep'>) {
  const { paint, width } = shownOn(process.stdout, process.env);
  const looks = { paint, width: width ?? PAGE_WIDTH };
  if (!json) printResult(describeDemoBeginning(looks));
  const { playDemo } = await import('../../demo/play.ts');
  const demoResult = await interruptible(
    (stop) =>
      playDemo({
        reviewer: [process.execPath, process.argv[1] ?? '', 'demo-reviewer'],
        keep,
        stop,
        tell(number, outcome) {
          if (!json) printResult(describeDemoRun(number, outcome, looks));
        },
      }),
    json,
    () => INTERRUPTED,
  );
  await finish(demoResult, json, {
    document: demoDocument,
    text: (demo) => describeDemoEnd(demo, looks),
    exitCode: ({ strayed }) => (strayed === null ? 0 : 3),
  });
}

const INTERRUPTED = {
  text: 'The temporary repository was removed.',
  words: {
    what: 'Interrupted: onceover stopped the demo.',
    next: 'Run "onceover demo" again to see the rest.',
  },
};
