import { doctor } from '../../app.ts';
import { doctorDocument } from '../../report/documents.ts';
import { tellDoctor } from '../../text/doctor.ts';
import { interruptible } from '../interrupt.ts';
import { shownOn } from '../looks.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function doctorCommand(options: {
  readonly resume?: string | true;
  readonly json?: boolean;
}): Promise<void> {
  const json = options.json === true;
  const resume = options.resume === undefined ? null : options.resume === true ? 'all' : options.resume;
  const report = await interruptible(
    (signal) =>
      doctor(workingDirectory(), {
        resume,
        signal,
        tell: (agent) => process.stderr.write(`${agent}: trying to resume it (four short questions) …\n`),
      }),
    json,
  );
  if (report === 'interrupted') return;
  if (!report.ok) return fail(report.failure, json);
  if (json) answerJson(doctorDocument(report.value));
  else answer(tellDoctor(report.value, shownOn(process.stdout, process.env)));
  const tried = report.value.agents.filter(
    (agent) => agent.program !== null && (resume === 'all' || agent.name === resume),
  );
  if (tried.some((agent) => agent.resume.kind === 'no' && agent.resume.from === 'probed')) process.exitCode = 1;
}
