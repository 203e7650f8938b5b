import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PhaseRole } from '@onceover/base/kernel/review-loops';
import type { PhaseDocument } from '@onceover/loops/phases/json-schema';
import { usersFolder } from './agent-clis.ts';
import { type CliEnd, onceover } from './cli.ts';
import { conversationOf, type LoggedRequest } from './model-sim/log.ts';
import type { Answer, RequestSummary, Script } from './model-sim/script.ts';
import type { ModelSim } from './model-sim/server.ts';
import { type AgentName, agentSettings, realAgent, realPerson } from './real-person.ts';
import { repoWith, type TestRepo, temporaryFolder } from './repo.ts';
import { dispatchesOf } from './wire.ts';

/** The answers of each role, request by request, over the whole phase. */
export type RoleScripts = Readonly<Partial<Record<PhaseRole | 'probe', RoleScript>>>;
type RoleScript = readonly (Answer | (() => Answer))[] | ((request: RequestSummary) => Answer);

/** A user who runs phases of a feature with the built program and a real agent that talks to the simulator. */
export type RealPhase = TestRepo & {
  readonly who: AgentName;
  /** The folder of the feature, from the root. */
  readonly feature: string;
  /** The absolute path of a file. */
  at(path: string): string;
  play(phase: string, scripts: RoleScripts, args?: readonly string[]): Promise<Played>;
  /** A file of the feature. */
  own(name: string): string;
  /** Deletes a session from the agent's storage. */
  forget(session: string): void;
};

/** The result of a call: the document, the printed lines, and the requests of the agent per role. */
export type Played = PhaseDocument &
  Omit<CliEnd, 'stdout'> & {
    sent(role: PhaseRole | 'probe'): readonly LoggedRequest[];
    /** The same, call by call. */
    dispatches(role: PhaseRole): readonly (readonly LoggedRequest[])[];
    /** All roles, in the order of their calls. */
    readonly order: readonly string[];
  };

let phases = 0;

/** Sets up the user: these files are committed on main, and the changes are on a branch. */
export function realPhase(
  sim: ModelSim,
  given: {
    readonly who: AgentName;
    readonly files: Readonly<Record<string, string>>;
    readonly changed?: Readonly<Record<string, string>>;
    /** Additional settings in `onceover.yml`. */
    readonly settings?: string;
    readonly claudeVersion?: string;
  },
): RealPhase {
  const { who } = given;
  const label = `phase-${++phases}-${who}`;
  const folder = temporaryFolder(usersFolder());
  const { env, home } = realPerson(folder, () => sim.baseUrl(label), given.claudeVersion);
  const repo = repoWith({ 'onceover.yml': `${agentSettings([who])}${given.settings ?? ''}`, ...given.files });
  for (const [path, text] of Object.entries(given.changed ?? {})) repo.write(path, text);
  return {
    ...repo,
    who,
    feature: FEATURE,
    at: (path) => join(repo.root, path),
    own: (name) => readFileSync(join(repo.root, FEATURE, name), 'utf8'),
    forget: (session) => forget(home, session),
    async play(phase, scripts, args = []) {
      const before = sim.requests().length;
      sim.script(label, byRole(scripts));
      const end = await onceover(repo.root, ['phase', phase, FEATURE, '--json', ...args], { env, timeoutMs: 90_000 });
      const all = conversationOf(sim.requests().slice(before), label);
      const sent = (role: PhaseRole | 'probe') => all.filter(({ body }) => roleIn(body) === role);
      const document = JSON.parse(end.stdout === '' ? '{}' : end.stdout) as PhaseDocument;
      return {
        ...document,
        code: end.code,
        stderr: end.stderr,
        sent,
        dispatches: (role) => dispatchesOf(sent(role)),
        order: dispatchesOf(all).map(([first]) => roleIn(first?.body ?? null)),
      };
    },
  };
}

export const FEATURE = 'docs/features/007-export';

/** Words that identify each role's prompt; a resumed prompt has them in the repeated part. */
const SIGNS: Readonly<Partial<Record<PhaseRole, string>>> = {
  implementer: 'Fix the following review issues:',
  'spec-reviewer': '# Specification review',
  'phase-reviewer': '# Phase review',
  'implementation-reviewer': '# Implementation review',
  'code-quality-reviewer': '# Code quality review',
  'security-reviewer': '# Security review',
};

/** Returns the role of a request; requests without a role belong to the probe of V1 to V4. */
function roleIn(body: unknown): PhaseRole | 'probe' {
  const text = JSON.stringify(body);
  const found = Object.entries(SIGNS).find(([, sign]) => text.includes(sign));
  return (found?.[0] as PhaseRole | undefined) ?? 'probe';
}

function byRole(scripts: RoleScripts): Script {
  const turns = new Map<string, number>();
  return (request) => {
    const role = roleIn(request.body);
    const script = scripts[role] ?? [];
    if (typeof script === 'function') return script(request);
    const turn = turns.get(role) ?? 0;
    turns.set(role, turn + 1);
    const next = script[turn];
    if (next === undefined) return { kind: 'text', text: `${role} has nothing more to say.` };
    return typeof next === 'function' ? next() : next;
  };
}

const WHERE_SESSIONS_ARE = ['.claude/projects', '.codex/sessions'];

function forget(home: string, session: string): void {
  const kept = WHERE_SESSIONS_ARE.map((folder) => join(home, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(`${session}.jsonl`));
  if (kept.length !== 1) throw new Error(`${kept.length} files are kept of ${session}`);
  for (const path of kept) rmSync(path);
}

/** Returns tool calls by which the agent reads files, one per request. */
export function reading({ who, at }: RealPhase, ...paths: readonly string[]): Answer[] {
  return paths.map((path) => ({ kind: 'tools', calls: [realAgent(who).read(at(path))] }));
}

/** Returns tool calls by which the agent replaces a text in a file. */
export function editing(user: RealPhase, path: string, [before, after]: readonly [string, string]): Answer[] {
  if (user.who === 'codex') {
    const cmd = `sed -i 's#${before}#${after}#' ${user.at(path)}`;
    return [{ kind: 'tools', calls: [{ name: 'exec_command', input: { cmd } }] }];
  }
  const edit = { file_path: user.at(path), old_string: before, new_string: after };
  return [...reading(user, path), { kind: 'tools', calls: [{ name: 'Edit', input: edit }] }];
}

/** Returns the final answer of a fixer. */
export function fixed(summary: string): Answer {
  return { kind: 'structured', value: { summary, dispositions: [] } };
}

type Issue = { readonly severity: string; readonly description: string; readonly [more: string]: string };

/** Returns the final answer of a reviewer; without issues it approves. */
export function verdict(issues: readonly Issue[], more: Readonly<Record<string, unknown>> = {}): Answer {
  const summary = issues.length === 0 ? 'Nothing is left.' : 'Something is left.';
  const value = { approved: issues.length === 0, ...more, issues, summary };
  return { kind: 'structured', value: value as Extract<Answer, { kind: 'structured' }>['value'] };
}
