import { setMaxListeners } from 'node:events';
import type { LedgerLoop } from '@onceover/agents/ledger/entries';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { LoopTemplate, PhaseName } from '@onceover/base/kernel/review-loops';
import { ROLE_NAMES, type RoleName } from '@onceover/base/kernel/review-loops';
import type { PhaseOutcome, PhasePorts, PhaseRequest } from '@onceover/loops/phases/run-types';
import { runPhase } from '@onceover/loops/src/phases/do/run-phase.ts';
import type { LoopIssue } from '@onceover/loops/src/phases/types.ts';
import type { Settings } from '@onceover/repo/config/settings';
import type { Event } from '@onceover/web/progress/state';
import { BUILT_IN } from '../loop-asks.ts';
import { memoryCommits } from '../memory/commits.ts';
import { memoryContents } from '../memory/contents.ts';
import { memoryCoolings } from '../memory/coolings.ts';
import { memoryFeatureFiles } from '../memory/feature-files.ts';
import { differences, type MemoryWorktree, memoryClone, memoryWorktree } from '../memory/git.ts';
import { memoryLedger } from '../memory/ledger.ts';
import { type MemoryPhaseLogs, memoryPhaseLogs } from '../memory/phase-logs.ts';
import { memoryPhaseLoops } from '../memory/phase-loops.ts';
import { memoryProof } from '../memory/proof.ts';
import { answers, memoryReviewers, type ScriptedAgent } from '../memory/reviewers.ts';
import { type MemorySnapshots, memorySnapshots } from '../memory/snapshots.ts';
import { settingsOf } from '../run-model/setup.ts';
import { SETUP } from '../run-model/setup-sample.ts';

export const FEATURE = 'docs/f' as RepoPath;
export const CODE = 'src/a.ts' as RepoPath;

/** Returns the path of a file of the feature, from the root. */
export const at = (name: string) => `${FEATURE}/${name}` as RepoPath;

/** One call: its role and its prompt. */
export type Put = {
  readonly role: RoleName;
  readonly template: LoopTemplate | 'prepare' | 'repair';
  readonly agent: string;
  readonly question: Question;
};

/** The scripted reply of an agent: an answer, a failure, or an action before the answer. */
export type Word = object | ((put: Put, scene: Scene) => object | Promise<object>);

export const APPROVES = { approved: true, issues: [], summary: 'Good.' };

/** Returns an answer that does not approve, with these issues. */
export function objects(...issues: readonly (string | LoopIssue)[]): object {
  const told = issues.map((one) => (typeof one === 'string' ? { severity: 'blocker', description: one } : one));
  return { approved: false, issues: told, summary: 'Not yet.' };
}

/** Writes a file and reports it. */
export function writes(path: RepoPath, text: string, said: object = { summary: `Wrote ${text.trim()}` }): Word {
  return (_, { git }) => {
    git.write(path, text);
    return said;
  };
}

/** Returns a reply that follows an action. */
export function having(happens: (scene: Scene) => void, word: Word): Word {
  return (put, scene) => {
    happens(scene);
    return typeof word === 'function' ? word(put, scene) : word;
  };
}

/** Text that is not an answer. */
export const garbage = (text = 'I did it.', sessionId: string | null = null) =>
  answers({}, { text, structured: undefined, sessionId });

export type PlayPorts = PhasePorts;

/** A feature in memory whose phases run, with everything that a test can observe. */
export type Scene = {
  readonly git: MemoryWorktree;
  readonly ports: PlayPorts;
  readonly snapshots: MemorySnapshots;
  readonly request: PhaseRequest;
  readonly puts: readonly Put[];
  readonly events: readonly Event[];
  readonly logs: MemoryPhaseLogs;
  /** Files that agents are started from, by digest. */
  readonly agentFiles: Map<RepoPath, string>;
  readonly stop: AbortController;
  /** Number of running calls. */
  asking(): number;
  /** Every call in short form: role and prompt. */
  told(): readonly string[];
  read(path: RepoPath): string;
  history(): string;
  /** The paths in each commit of the branch, oldest first. */
  commits(): readonly (readonly string[])[];
  meta(): Record<string, unknown>;
  ledger(): Promise<readonly LedgerLoop[]>;
  wait(ms: number): void;
  try(request?: Partial<PhaseRequest>, ports?: Partial<PlayPorts>): Promise<Result<PhaseOutcome>>;
  play(request?: Partial<PhaseRequest>, ports?: Partial<PlayPorts>): Promise<PhaseOutcome>;
};

export type SceneOptions = {
  readonly phase?: PhaseName;
  readonly files?: Readonly<Record<string, string | null>>;
  /** The replies per role, in order; then its default reply. */
  readonly says?: Partial<Record<RoleName, readonly Word[]>>;
  /** The default reply of a role. */
  readonly usually?: Partial<Record<RoleName, Word>>;
  /** The agents in order of preference; `fay` is the fixer. */
  readonly agents?: Readonly<Record<string, Partial<ScriptedAgent>>>;
  readonly settings?: Partial<Settings>;
};

const FILES: Readonly<Record<string, string>> = {
  'docs/f/prd.md': '# PRD\n\nWe want it.\n',
  'docs/f/spec.md': '# Spec\n\nIt is fast.\n',
  'docs/f/design.md': '# Design\n\nA way.\n',
  'docs/f/plan.md': '# Plan\n\nSteps.\n',
  'docs/f/tasks.md': '# Tasks\n\n1. Do it.\n',
  [CODE]: 'one\n',
  'README.md': '# Read me\n',
};

const MINUTE_MS = 60_000;

/** Makes a feature with all its documents on branch work, and changed code. */
export function openScene(options: SceneOptions = {}): Scene {
  const phase = options.phase ?? 'specify';
  const files = Object.entries({ ...FILES, ...options.files }).flatMap(([path, text]) =>
    text === null ? [] : [[path, text]],
  );
  const clone = memoryClone(Object.fromEntries(files));
  const first = clone.branches.get('main');
  if (first === undefined) throw new Error('no commit');
  const git = memoryWorktree(clone, 'work', first);
  git.write(CODE, 'two\n');
  const puts: Put[] = [];
  const events: Event[] = [];
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const agentFiles = new Map<RepoPath, string>();
  const logs = memoryPhaseLogs();
  let [asking, ids, time] = [0, 0, Date.parse('2026-03-01T12:00:00.000Z')];

  const answer = async (agent: string, question: Question): Promise<AskEnd> => {
    const role = roleIn(question);
    const put: Put = { role, template: templateIn(role, question), agent, question };
    const before = puts.filter((one) => one.role === role).length;
    puts.push(put);
    time += MINUTE_MS;
    const word = options.says?.[role]?.[before] ?? options.usually?.[role] ?? usual(role);
    asking++;
    try {
      const said = typeof word === 'function' ? await word(put, scene) : word;
      return isEnd(said) ? said : answers(said, { filesRead: requiredIn(question) });
    } finally {
      asking--;
    }
  };
  const agents = Object.entries({ ...(options.agents ?? { ann: {} }), fay: options.agents?.['fay'] ?? {} });
  const reviewers = memoryReviewers(
    Object.fromEntries(agents.map(([name, more]) => [name, { answer: (question) => answer(name, question), ...more }])),
    Object.keys(options.agents ?? { ann: {} }).filter((name) => name !== 'fay'),
  );
  const contents = () =>
    memoryContents(Object.fromEntries([...git.now().files].map(([path, { text }]) => [path, text])));
  const ledger = memoryLedger();
  const store = {
    read: (path: RepoPath) => git.now().files.get(path)?.text ?? null,
    write: git.write,
    remove: git.remove,
  };
  const snapshots = memorySnapshots(clone, git);
  const ports: PlayPorts = {
    snapshots,
    feature: memoryFeatureFiles(store, FEATURE),
    loops: memoryPhaseLoops(),
    logs,
    commits: memoryCommits(git),
    cooldowns: memoryCoolings(),
    ledger,
    clock: { now: () => new Date(time) },
    reporter: { tell: (event) => void events.push(event) },
    reviewers,
    proof: memoryProof(),
    visibility: async () => ok({ settings: 'as before', unseen: new Map() }),
    contents: {
      digest: (paths) => contents().digest(paths),
      text: (path, limit) => contents().text(path, limit),
      exists: (path) => contents().exists(path),
    },
    newId: () => `loop-${++ids}`,
  };
  const request: PhaseRequest = {
    root: '/memory',
    settings: { ...settingsOf(SETUP), concurrency: 4, ...options.settings },
    roles: BUILT_IN,
    phase,
    feature: FEATURE,
    fixing: { by: 'fixer', agent: 'fay' },
    rerun: false,
    acceptWithNotes: false,
    mostIterations: null,
    commits: true,
    preparations: [],
    selection: { kind: 'change', base: null },
    kept: ['onceover.yml', '.onceover', at('.review-history.md'), at('.meta.json'), 'tools/agent.sh'] as RepoPath[],
    agentFiles: () => new Map(agentFiles),
    startedBy: 'person',
    stop: stop.signal,
  };
  const attempt: Scene['try'] = (given, other) => runPhase({ ...ports, ...other }, { ...request, ...given });
  const scene: Scene = {
    git,
    ports,
    snapshots,
    request,
    puts,
    events,
    logs,
    agentFiles,
    stop,
    asking: () => asking,
    told: () => puts.map(({ role, template }) => `${role} ${template}`),
    read: (path) => store.read(path) ?? '',
    history: () => store.read(at('.review-history.md')) ?? '',
    commits() {
      const found: string[][] = [];
      for (let now = git.now().commit, parent = clone.parentOf(now); parent !== null; parent = clone.parentOf(now)) {
        found.unshift(differences(clone.treeOf(parent), clone.treeOf(now)).map(({ path }) => path));
        now = parent;
      }
      return found;
    },
    meta: () => JSON.parse(store.read(at('.meta.json')) ?? '{}'),
    async ledger() {
      const all = await ledger.all();
      return all.ok ? all.value.entries.filter((entry) => entry.kind === 'loop') : [];
    },
    wait(ms) {
      time += ms;
    },
    try: attempt,
    async play(given, other) {
      const ended = await attempt(given, other);
      if (!ended.ok) throw new Error(JSON.stringify(ended.failure));
      return ended.value;
    },
  };
  return scene;
}

function isEnd(said: object): said is AskEnd {
  return 'ok' in said;
}

function usual(role: RoleName): object {
  if (role === 'test-deepener-a') return { outlines: [], summary: 'Nothing to test.' };
  return role.endsWith('-reviewer') ? APPROVES : { summary: 'Nothing to do.' };
}

/** Returns the role by its text in the prompt. */
function roleIn({ stable }: Question): RoleName {
  const found = ROLE_NAMES.filter((name) => stable.includes(BUILT_IN[name].rubric.trim().slice(0, 200)));
  const [role] = found;
  if (role === undefined || found.length > 1) throw new Error(`whose prompt is this? ${stable.slice(0, 200)}`);
  return role;
}

function templateIn(role: RoleName, { dynamic, sessionId }: Question): Put['template'] {
  if (dynamic.includes('Your last answer could not be read')) return 'repair';
  if (dynamic.includes('## New Issues to Fix')) return 'I7-resumed';
  if (dynamic.includes('## Issues to Fix')) return 'I7-fresh';
  if (!role.endsWith('-reviewer')) return 'prepare';
  if (dynamic.includes('## Changes Since Your Last Review')) return 'I2-FV';
  if (dynamic.includes('prior review session unavailable')) return 'I3';
  return sessionId === null ? 'I1-R4' : 'I2';
}

/** Returns the files that a prompt asks to read. */
function requiredIn({ stable }: Question): readonly string[] {
  return [...stable.matchAll(/^- (?:PRD|Spec|Design|Plan|Tasks): (\/.*)$/gm)].map((match) => match[1] ?? '');
}
