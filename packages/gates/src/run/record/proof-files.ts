import type { RepoPath } from '@onceover/base/kernel/ids';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import type { TamperGuard } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { parseJson } from '@onceover/base/platform/private-files';
import { openTamperGuard, type RemovedIfNew, type RestoredIfWeaker } from '@onceover/repo/trust/tamper-guard';
import { readFinding, readResolution } from '../../findings/open-findings.ts';
import { INSTRUCTIONS_FOLDER } from '../../rules/passes.ts';

/**
 * Protects the files from which onceover reads passes, findings and approved commands, because a fixing agent may write
 * to them.
 */
export function guardProof(
  { root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  logDir: RepoPath,
): TamperGuard {
  const gitFolder = (folder: string) => ({ top: commonDir, folder });
  const sources: readonly RemovedIfNew[] = [
    { ...gitFolder('onceover/receipts'), name: /\.json$/, isReported: true },
    { ...gitFolder('onceover/passes'), name: /\.json$/, isReported: true },
    { top: root, folder: logDir, name: /\.json$/, isReported: true },
    { top: root, folder: `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`, name: /\.passed$/, isReported: true },
    // onceover recreates these cache files itself, so the user gets no message if one was deleted.
    { ...gitFolder('onceover'), name: /^parsed\.json$/, isReported: false },
    { ...gitFolder('onceover/answers'), name: /./, isReported: false },
    { ...gitFolder('onceover/indexes'), name: /./, isReported: false },
    { ...gitFolder('onceover/hook'), name: /\.json$/, isReported: false },
  ];
  const texts: readonly RestoredIfWeaker[] = [
    { ...gitFolder('onceover/findings'), name: /^F\d+(?:\.said)?\.json$/, isLess: isWeaker },
    { ...gitFolder('onceover'), name: /^trusted\.json$/, isLess: () => true },
  ];
  return openTamperGuard(sources, texts);
}

/**
 * Whether a change to the file could let a failing gate pass: the file contained a finding that was not closed, or it
 * contains a waiver now. A new or reopened finding does not count, because another worktree may have written it.
 */
function isWeaker(before: string | null, now: string | null, name: string): boolean {
  if (name.includes('.said.')) return readResolution(parseJson(now ?? ''))?.how === 'skipped';
  return before !== null && readFinding(parseJson(before))?.kept !== 'closed';
}
