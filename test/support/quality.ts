import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { QualityCall, QualityCli } from '@onceover/loops/workflows/quality/types';
import { temporaryFolder } from './repo.ts';

export const PASSED = { passed: true, feedback: 'Good.', criteria_results: [] };
export const FAILED = { passed: false, feedback: 'Not good.', criteria_results: [] };

/** A scripted reviewer; `calls` lists its calls. */
export function scriptedCli(
  answer: (call: QualityCall, n: number) => unknown = () => PASSED,
): QualityCli & { readonly calls: readonly QualityCall[] } {
  const calls: QualityCall[] = [];
  return {
    calls,
    async run(call) {
      calls.push(call);
      return answer(call, calls.length);
    },
  };
}

/** Makes a folder with these files that is not a repository. */
export function projectWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** Returns the thrown error, if any. */
export async function thrownBy(act: () => Promise<unknown>): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
