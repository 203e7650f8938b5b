import { resolve } from '../../app.ts';
import { resolvedDocument } from '../../report/run-document.ts';
import { tellResolved } from '../../text/resolved.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function resolveCommand(
  id: string,
  options: { readonly fixed?: string | true; readonly skip?: string; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const usage = (said: string) => fail({ kind: 'wrong-usage', said, command: 'resolve' }, json);
  if ((options.fixed === undefined) === (options.skip === undefined)) {
    return usage('Say either --fixed, or --skip with the reason.');
  }
  if (options.skip !== undefined && options.skip.trim() === '') return usage('--skip needs a reason.');
  const word =
    options.skip === undefined
      ? ({ how: 'fixed', why: typeof options.fixed === 'string' ? options.fixed : '' } as const)
      : ({ how: 'skipped', why: options.skip.trim() } as const);
  const resolved = await resolve(workingDirectory(), id, word);
  if (!resolved.ok) return fail(resolved.failure, json);
  const { finding } = resolved.value;
  if (json) answerJson(resolvedDocument(finding));
  else answer(tellResolved(finding));
}
