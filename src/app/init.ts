import { findProgram } from '../agents/find.ts';
import { knownAgents } from '../agents/inspect.ts';
import type { ForeignTool } from '../domain/carry-over.ts';
import type { Place } from '../domain/change.ts';
import type { ProjectFiles, Repository } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { HookAgent, SetUpOutcome } from '../domain/set-up.ts';
import type { Settings } from '../domain/settings.ts';
import { setUp } from '../execute/set-up.ts';
import type { WantedGates } from '../execute/set-up-plan.ts';
import { openProjectFiles } from '../stores/project-files.ts';
import { openSetUpNotes } from '../stores/set-up-notes.ts';
import { tellNothingThere, tellSeveral } from '../text/carry-over.ts';
import { findForeign, readForeign } from './foreign.ts';

/** What is to be set up. */
export type SetUpWish = {
  readonly gates: boolean;
  /** Another tool whose configuration is carried over into the gates; 'any': whichever is here. */
  readonly from: ForeignTool | 'any' | null;
  readonly rules: boolean;
  readonly mcp: boolean;
  readonly hook: HookAgent | null;
};

type Project = { readonly place: Place; readonly repository: Repository; readonly settings: Settings };

/** Sets up what is asked for in a repository. */
export async function setUpProject(
  { place, repository, settings }: Project,
  wish: SetUpWish,
): Promise<Result<SetUpOutcome>> {
  const files = openProjectFiles(place.root);
  const gates = wish.gates ? await wantedGates(files, place, settings, wish.from) : done(null);
  if (!gates.ok) return gates;
  const outcome = await setUp({ files, repository }, { ...wish, gates: gates.value });
  const notes = openSetUpNotes(place.commonDir);
  for (const { path, did, added } of outcome.ok ? outcome.value.steps : []) {
    // Without the note, the file is taken for the user's own.
    if (did === 'written' && added !== null) notes.note(path, added);
  }
  return outcome;
}

async function wantedGates(
  files: ProjectFiles,
  place: Place,
  settings: Settings,
  from: SetUpWish['from'],
): Promise<Result<WantedGates>> {
  const agents = knownAgents(settings.agent, process.env, place.root)
    .filter(({ program }) => program !== null)
    .map(({ agent }) => agent.name);
  const here = await findForeign(files);
  const known = {
    agents,
    configured: settings.gates,
    foreign: null,
    others: here,
    base: settings.base,
    isHere: (program: string) => findProgram(program, process.env['PATH'] ?? '', place.root) !== null,
  };
  if (from === null) return done(known);
  const [tool, ...more] = from === 'any' ? here : [from];
  const said =
    tool === undefined || !here.includes(tool)
      ? tellNothingThere(tool ?? null)
      : more.length > 0
        ? tellSeveral(here)
        : null;
  if (tool === undefined || said !== null) return failed({ kind: 'wrong-usage', said: said ?? '', command: 'init' });
  const foreign = await readForeign(files, tool);
  return foreign.ok ? done({ ...known, foreign: foreign.value }) : foreign;
}
