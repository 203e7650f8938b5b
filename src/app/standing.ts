import { join } from 'node:path';
import type { Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunOutcome } from '../domain/run.ts';
import type { Traces } from '../domain/stop.ts';
import { previewRun } from '../execute/run.ts';
import { gitFiles } from '../io/git-files.ts';
import { tracesOf } from '../io/trace.ts';
import { isAskedAlready } from '../plan/asked-already.ts';
import { NOBODY, openRun } from './run.ts';

/** Where the gates stand on what is there now. */
export type Standing = {
  readonly outcome: RunOutcome;
  /** Whether all that a run would ask has been asked. */
  readonly asked: boolean;
  /** What that depends on beside the working tree. */
  readonly traces: Traces;
};

export async function standing(place: Place): Promise<Result<Standing>> {
  const opened = await openRun(place, { ...NOBODY, selection: { kind: 'change', base: null } });
  if (!opened.ok) return opened;
  const { ports, request, configFiles } = opened.value;
  const previewed = await previewRun(ports, request);
  if (!previewed.ok) return previewed;
  const { outcome, plan, facts } = previewed.value;
  const files = await gitFiles(place, outcome.baseName, process.env);
  if (!files.ok) return files;
  const paths = [
    ...[...configFiles].map((file) => join(place.root, file)),
    `${join(place.root, request.settings.logDir)}/`,
    `${join(place.commonDir, 'onceover/findings')}/`,
    ...['receipts', 'trusted.json'].map((name) => join(place.commonDir, 'onceover', name)),
    // By its name a secret stays one; what is too large may shrink.
    ...outcome.withheld.filter(({ why }) => why === 'too-large').map(({ path }) => join(place.root, path)),
    ...files.value,
  ];
  return done({ outcome, asked: isAskedAlready(plan, facts.checks), traces: tracesOf(paths) });
}
