import { type OutputFiles, QualityGateError, type StepOutputs } from '../domain/quality.ts';
import { type OutputFile, outputFiles } from '../plan/quality-tasks.ts';
import { listedPayload, onOneLine, type ShownOutput, shownPayload } from '../prompt/quality-payload.ts';
import { openQueue } from './queue.ts';

/** What is judged, and how to get at it. */
export type QualitySubject = {
  readonly files: OutputFiles;
  readonly root: string;
  readonly outputs: StepOutputs;
  /** Null: the author says nothing. */
  readonly notes: string | null;
};

const READ_AT_ONCE = 8;

/** The outputs as a reviewer gets them: with their contents up to so many files, else by their paths. */
export async function qualityPayload(subject: QualitySubject, mostInline: number): Promise<string> {
  const files = outputFiles(subject.outputs);
  await refuseOutside(subject);
  if (files.length > mostInline) return listedPayload({ files, root: subject.root }, subject.notes);
  const inTurn = openQueue(READ_AT_ONCE);
  const shown = await Promise.all(files.map((file) => inTurn(() => readOutput(subject, file))));
  return shownPayload(shown, subject.notes);
}

/** Throws where an output leads out of the project. */
export async function refuseOutside({ files, root, outputs }: Omit<QualitySubject, 'notes'>): Promise<void> {
  const inTurn = openQueue(READ_AT_ONCE);
  await Promise.all(
    outputFiles(outputs).map((file) =>
      inTurn(async () => {
        if ((await files.find(file.path)) === 'outside') throw outside(file, root);
      }),
    ),
  );
}

async function readOutput({ files, root }: QualitySubject, file: OutputFile): Promise<ShownOutput> {
  const content = await files.read(file.path);
  // It may have been exchanged since it was looked at.
  if (content.kind === 'outside') throw outside(file, root);
  return { path: file.path, content };
}

function outside({ output, path }: OutputFile, root: string): QualityGateError {
  return new QualityGateError(
    `Output '${output}' names ${onOneLine(path)}, which leads out of the project or into its git folder. Name files below ${onOneLine(root)}.`,
  );
}
