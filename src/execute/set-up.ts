import type { RepoPath } from '../domain/brand.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { GatesFound, HookAgent, RootFiles, SetUpOutcome, SetUpStep } from '../domain/set-up.ts';
import { MCP_FILE } from '../domain/set-up.ts';
import { SETTINGS_FILE } from '../domain/settings.ts';
import { CHECK_SOURCES, checkCommands, programsOf } from '../plan/check-commands.ts';
import { addHookEntry, hookFile } from '../plan/hook-entry.ts';
import type { JsonChange } from '../plan/json-config.ts';
import { projectShape } from '../plan/languages.ts';
import { addMcpEntry } from '../plan/mcp-entry.ts';
import { toolWrittenGlobs } from '../plan/tool-written.ts';
import { CODE_QUALITY, starterGates, starterSettings } from '../prompt/starter-gates.ts';
import { starterRules } from '../prompt/starter-rules.ts';
import { planCarriedGates } from './carry-over.ts';
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

const PROMPT = '.onceover/reviews/code-quality.md' as RepoPath;
const RULES = '.deepreview' as RepoPath;

/** What is to be set up. */
type Wanted = {
  /** Null: no gates. */
  readonly gates: WantedGates | null;
  readonly rules: boolean;
  readonly mcp: boolean;
  readonly hook: HookAgent | null;
};

/** Writes what is asked for and not there yet; if one of the files is in the way, none is written. */
export async function setUp(ports: SetUpPorts, wanted: Wanted): Promise<Result<SetUpOutcome>> {
  const planned: PlannedFile[] = [];
  let found: GatesFound | null = null;
  if (wanted.gates !== null) {
    const { foreign } = wanted.gates;
    const gates = await (foreign === null
      ? planGates(ports, wanted.gates)
      : planCarriedGates(ports, wanted.gates, foreign));
    if (!gates.ok) return gates;
    planned.push(...gates.value.files);
    found = gates.value.found;
  }
  const { hook } = wanted;
  const plans = [
    ...(wanted.rules ? [planRules] : []),
    ...(wanted.mcp ? [planMcp] : []),
    ...(hook === null ? [] : [(own: SetUpPorts) => planHook(own, hook)]),
  ];
  for (const plan of plans) {
    const file = await plan(ports);
    if (!file.ok) return file;
    planned.push(file.value);
  }
  const steps = await write(ports, planned);
  if (!steps.ok) return steps;
  const isAllNew = wanted.gates !== null && (await isAllThatChanged(ports, wanted.gates.base, steps.value));
  return done({ steps: steps.value, gates: found === null ? null : { ...found, isAllNew }, hook });
}

// Where that cannot be told, a run says why.
async function isAllThatChanged(
  { repository }: SetUpPorts,
  base: string | null,
  steps: readonly SetUpStep[],
): Promise<boolean> {
  const changes = await repository.changes(base);
  if (!changes.ok || changes.value.deleted.length > 0) return false;
  const own = new Set(steps.map(({ path }) => path));
  return changes.value.changed.length > 0 && changes.value.changed.every((path) => own.has(path));
}

async function write(
  { files, repository }: SetUpPorts,
  planned: readonly PlannedFile[],
): Promise<Result<readonly SetUpStep[]>> {
  const steps: SetUpStep[] = [];
  for (const { text, ...step } of planned) {
    if (text !== null) {
      const written = await files.write(step.path, text);
      if (!written.ok) return written;
    }
    const ignored = await repository.ignores(step.path);
    if (!ignored.ok) return ignored;
    steps.push({ ...step, ignored: ignored.value });
  }
  return done(steps);
}

/** A first `onceover.yml` with the prompt that it names; one that is there is left alone. */
async function planGates(
  { files, repository }: SetUpPorts,
  { agents, configured, others, isHere }: WantedGates,
): Promise<Result<PlannedGates>> {
  const settings = await files.read(SETTINGS_FILE);
  if (!settings.ok) return settings;
  const prompt = await files.read(PROMPT);
  if (!prompt.ok) return prompt;
  const promptFile = prompt.value === null ? create(PROMPT, CODE_QUALITY) : leave(PROMPT);
  if (configured.length > 0) {
    const left = [...(prompt.value === null ? [] : [promptFile]), leave(SETTINGS_FILE)];
    return done({ files: left, found: { ...NOTHING_FOUND, agents } });
  }
  const paths = await pathsOf(repository);
  if (!paths.ok) return paths;
  const { checks, passedOver } = checkCommands(await rootFiles(files, paths.value));
  const facts = { checks, exclude: toolWrittenGlobs(paths.value), prompt: PROMPT };
  const missing = programsOf(checks).filter((program) => !isHere(program));
  const found = { ...NOTHING_FOUND, agents, passedOver, missing, others };
  // Settings are written last: whoever finds them finds the prompt that they name.
  return settings.value === null
    ? done({
        files: [promptFile, create(SETTINGS_FILE, starterSettings(agents, facts))],
        found,
      })
    : done({
        files: [promptFile, leave(SETTINGS_FILE)],
        found: { ...found, proposed: starterGates(facts) },
      });
}

const LONGEST_SOURCE = 256 * 1024;

// What cannot be read names no command; it is the project's own tools that complain about it.
async function rootFiles(files: ProjectFiles, paths: readonly RepoPath[]): Promise<RootFiles> {
  const names = new Set(paths.filter((path) => !path.includes('/')));
  const texts = new Map<string, string>();
  for (const name of names) {
    if (!CHECK_SOURCES.has(name)) continue;
    const read = await files.read(name);
    if (read.ok && read.value !== null && read.value.length <= LONGEST_SOURCE) texts.set(name, read.value);
  }
  return { names, texts, packages: await packageFiles(files, paths) };
}

const MOST_PACKAGES = 200;

async function packageFiles(files: ProjectFiles, paths: readonly RepoPath[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths.filter((one) => one.endsWith('/package.json')).slice(0, MOST_PACKAGES)) {
    const read = await files.read(path);
    if (read.ok && read.value !== null && read.value.length <= LONGEST_SOURCE) texts.set(path, read.value);
  }
  return texts;
}

/** A starter `.deepreview`; one that is there is left alone. */
async function planRules({ files, repository }: SetUpPorts): Promise<Result<PlannedFile>> {
  const present = await files.read(RULES);
  if (!present.ok) return present;
  if (present.value !== null) return done(leave(RULES));
  const there = await repository.listing();
  if (!there.ok) return there;
  const { tracked, untracked } = there.value.listing;
  return done(create(RULES, starterRules(projectShape([...tracked, ...untracked]))));
}

/** The MCP server in `.mcp.json`; everything else in it is kept. */
function planMcp(ports: SetUpPorts): Promise<Result<PlannedFile>> {
  return planJson(ports, MCP_FILE, addMcpEntry);
}

/** The stop hook in the settings of an agent's program; everything else in them is kept. */
function planHook(ports: SetUpPorts, agent: HookAgent): Promise<Result<PlannedFile>> {
  return planJson(ports, hookFile(agent), (present) => addHookEntry(agent, present));
}

async function planJson(
  { files }: SetUpPorts,
  path: RepoPath,
  change: (present: string | null) => JsonChange,
): Promise<Result<PlannedFile>> {
  const present = await files.read(path);
  if (!present.ok) return present;
  const changed = change(present.value);
  switch (changed.kind) {
    case 'leave':
      return done(leave(path));
    case 'unreadable':
      return failed({ kind: 'unreadable-json', path, said: changed.said });
    case 'write': {
      const did = present.value === null ? 'written' : 'extended';
      return done({ path, did, added: changed.added, text: changed.text });
    }
  }
}
