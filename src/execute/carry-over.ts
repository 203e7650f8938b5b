import type { RepoPath } from '../domain/brand.ts';
import type { CarriedOver, ForeignConfig } from '../domain/carry-over.ts';
import { isInside } from '../domain/generated.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { SETTINGS_FILE } from '../domain/settings.ts';
import { nameOf, PROMPTS } from '../plan/carried-prompts.ts';
import { carryOver, notYetIn } from '../plan/carry-over.ts';
import { toolWrittenGlobs } from '../plan/tool-written.ts';
import { carriedGates, carriedSettings } from '../prompt/carried-settings.ts';
import { CODE_QUALITY } from '../prompt/starter-gates.ts';
import {
  create,
  leave,
  NOTHING_FOUND,
  type PlannedFile,
  type PlannedGates,
  pathsOf,
  type SetUpPorts,
  type WantedGates,
} from './set-up-plan.ts';

/** An `onceover.yml` that says what another tool's configuration does, with its prompts; one that is there is left alone. */
export async function planCarriedGates(
  { files, repository }: SetUpPorts,
  { agents, configured }: WantedGates,
  foreign: ForeignConfig,
): Promise<Result<PlannedGates>> {
  const settings = await files.read(SETTINGS_FILE);
  if (!settings.ok) return settings;
  const paths = await pathsOf(repository);
  if (!paths.ok) return paths;
  const named = configured.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  const carried = await planCarryOver(files, foreign, { paths: paths.value, prompts: named });
  if (!carried.ok) return carried;
  const planned: PlannedFile[] = [];
  for (const { path, text, isOurs } of carried.value.prompts) {
    const there = await files.read(path);
    if (!there.ok) return there;
    planned.push({ ...(there.value === null ? create(path, text) : leave(path)), copied: !isOurs });
  }
  const missing = notYetIn(carried.value.entries, configured);
  const { tool, source } = foreign;
  const found = { ...NOTHING_FOUND, agents, carried: { tool, source, left: carried.value.left } };
  // Settings are written last: whoever finds them finds the prompts that they name.
  return settings.value === null
    ? done({ files: [...planned, create(SETTINGS_FILE, carriedSettings(source, agents, carried.value))], found })
    : done({
        files: [...planned, leave(SETTINGS_FILE)],
        found: { ...found, proposed: missing.length === 0 ? null : carriedGates(missing) },
      });
}

/** What the repository has already. */
type Here = {
  /** The files that git knows or would know. */
  readonly paths: readonly RepoPath[];
  /** The prompts that the settings name. */
  readonly prompts: readonly RepoPath[];
};

/** Looks at the prompts that are there, and decides what is carried over. */
async function planCarryOver(files: ProjectFiles, foreign: ForeignConfig, here: Here): Promise<Result<CarriedOver>> {
  const listed = await files.list(PROMPTS as RepoPath);
  if (!listed.ok) return listed;
  const prompts = new Map<string, string | null>();
  for (const name of listed.value) {
    const read = await files.read(`${PROMPTS}/${name}` as RepoPath);
    // One that cannot be read is somebody's all the same.
    prompts.set(nameOf(name), read.ok ? read.value : null);
  }
  return done(
    carryOver(foreign, {
      prompts,
      inUse: new Set(here.prompts.filter((path) => path.startsWith(`${PROMPTS}/`)).map(nameOf)),
      isFolder: (path) => here.paths.some((one) => one !== path && isInside(one, path)),
      toolWritten: toolWrittenGlobs(here.paths),
      standIn: CODE_QUALITY,
    }),
  );
}
