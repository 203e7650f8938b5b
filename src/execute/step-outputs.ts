import type { RepoPath } from '../domain/brand.ts';
import type { Step } from '../domain/job.ts';
import type { Contents } from '../domain/ports.ts';
import type { StepOutputs } from '../domain/quality.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { UnusableOutput } from '../domain/workflow-failure.ts';
import { outputFiles } from '../plan/quality-tasks.ts';
import type { WorkflowPorts } from './workflow-ports.ts';

/** The outputs by paths from the root, each a plain file inside it that can be read. */
export async function locateOutputs(
  { locate }: Pick<WorkflowPorts, 'locate'>,
  contents: Contents,
  step: Step,
  outputs: StepOutputs,
): Promise<Result<StepOutputs>> {
  const located: [string, string | readonly string[]][] = [];
  for (const [name, value] of Object.entries(outputs)) {
    const paths: string[] = [];
    for (const path of typeof value === 'string' ? [value] : value) {
      const found = path === '' ? null : locate(path);
      const why = path === '' ? 'missing' : found === null ? 'outside' : await unusable(contents, found);
      if (why !== null) return failed({ kind: 'unusable-output', step: step.id, name, path, why });
      if (found !== null && !paths.includes(found)) paths.push(found);
    }
    located.push([name, typeof value === 'string' ? (paths[0] ?? value) : paths]);
  }
  return done(Object.fromEntries(located));
}

async function unusable(contents: Contents, path: RepoPath): Promise<UnusableOutput | null> {
  // Nothing of it is read here: it may be large, and it need not be text.
  const text = await contents.text(path, 0);
  if (text.kind === 'text') return null;
  switch (text.why) {
    case 'missing':
    case 'outside':
      return text.why;
    case 'not-a-file':
      return (await contents.exists(path)) === 'folder' ? 'folder' : 'not-a-file';
    default:
      return 'unreadable';
  }
}

/** Digests of what the files hold, by their paths; one that cannot be read has none. */
export async function digestsOf(contents: Contents, outputs: StepOutputs): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(outputFiles(outputs).map(({ path }) => path))] as RepoPath[];
  const { files } = await contents.digest(paths);
  return new Map(files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256] as const])));
}
