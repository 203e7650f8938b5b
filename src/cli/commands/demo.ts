import { demoMistakes, playDemo } from '../../app.ts';
import { demoDocument } from '../../report/demo-document.ts';
import { tellDemoBeginning, tellDemoEnd, tellDemoRun } from '../../text/demo.ts';
import { interruptible } from '../interrupt.ts';
import { pageLooks } from '../looks.ts';
import { answer, answerJson, fail } from '../output.ts';

export async function demoCommand(options: { readonly keep?: boolean; readonly json?: boolean }): Promise<void> {
  const { keep = false, json = false } = options;
  const looks = pageLooks(process);
  if (!json) answer(tellDemoBeginning(await demoMistakes(), looks));
  const played = await interruptible(
    (stop) =>
      playDemo({
        reviewer: [process.execPath, process.argv[1] ?? '', 'demo-reviewer'],
        keep,
        stop,
        tell(number, outcome) {
          if (!json) answer(tellDemoRun(number, outcome, looks));
        },
      }),
    json,
    async () => INTERRUPTED,
  );
  if (played === 'interrupted') return;
  if (!played.ok) return fail(played.failure, json);
  if (json) answerJson(demoDocument(played.value));
  else answer(tellDemoEnd(played.value, looks));
  if (played.value.strayed !== null) process.exitCode = 3;
}

const INTERRUPTED = {
  told: 'The temporary repository is removed.',
  fields: {},
  words: {
    what: 'Interrupted: what was started has been ended.',
    next: 'To see the demo to its end, run it again.',
  },
};
