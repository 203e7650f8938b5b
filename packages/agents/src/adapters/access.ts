import { join } from 'node:path';
import type { AccessState } from '@onceover/base/kernel/agent';
import { statIfPresent } from '@onceover/base/platform/files';
import { decodeUtf8, readPlainFile } from '@onceover/base/platform/private-files';
import type { Fetch } from '@onceover/base/platform/proxy';
import { runProcessGroup } from '@onceover/base/platform/run-process';

/** How `onceover doctor` finds out, without a paid call, whether an agent can work. */
export type AgentAccess = {
  /**
   * The command that prints whether the user is logged in, if the agent has one. onceover runs it only from the version
   * `since` on, because an older one could take the command for a prompt and answer it.
   */
  readonly status?: { readonly args: readonly string[]; readonly since: string };
  /**
   * Two paths in the home folder. The file `settings` can name another model service; the file `credentials` exists
   * after a login.
   */
  readonly settings?: string;
  readonly credentials?: string;
  /** The way to log in, as text for the user: "run …" or "set …". */
  readonly logIn: string;
  judgeLogin(facts: LoginFacts): AccessState;
  /** Returns the address of the model service; `null` if the address is in settings that onceover does not read. */
  service(facts: LoginFacts): string | null;
};

export type LoginFacts = {
  /** The result of the command that prints the login state; `null` if it did not run or did not end. */
  readonly status: Awaited<ReturnType<typeof runBriefly>>;
  /** The text of the settings file; `null` if it does not exist. */
  readonly settings: string | null;
  /** Whether the file with the login exists. Its content is never read. */
  readonly hasCredentials: boolean;
  readonly env: Readonly<Record<string, string>>;
};

type Access = { readonly login: AccessState; readonly service: AccessState };

const PROGRAM_TIMEOUT_MS = 15_000;

/**
 * Runs a program without input. Returns its exit code and all its output; `null` if it was killed, for example because
 * it took too long.
 */
export async function runBriefly(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: string } | null> {
  const limits = { timeoutMs: PROGRAM_TIMEOUT_MS, idleMs: null, signal: null };
  const end = await runProcessGroup({ program, args, env, cwd, input: '', ...limits });
  if (end.kind !== 'ended' || end.ending !== 'by-itself') return null;
  return { code: end.code, output: `${end.stdout.text}\n${end.stderr.text}` };
}

const LONGEST_FILE = 64 * 1024;

export const UNKNOWN_ACCESS: AccessState = { state: 'unknown', why: null };

/** Returns whether an installed agent is logged in and whether its service can be reached. Sends nothing to a model. */
export async function readAccess(
  knownAgent: {
    readonly agent: { readonly access?: AgentAccess };
    readonly program: string | null;
    readonly env: Readonly<Record<string, string>>;
  },
  version: string | null,
  cwd: string,
  send: Fetch | null = null,
): Promise<Access> {
  const { access } = knownAgent.agent;
  if (access === undefined || knownAgent.program === null) return { login: UNKNOWN_ACCESS, service: UNKNOWN_ACCESS };
  const { env, program } = knownAgent;
  const { args, since } = access.status ?? { args: [], since: null };
  const isSafe = since !== null && version !== null && isAtLeast(version, since);
  const status = isSafe ? await runBriefly(program, args, env, cwd) : null;
  const inHome = (name: string) => join(env['HOME'] ?? '/', name);
  const settingsFile = access.settings === undefined ? null : readPlainFile(inHome(access.settings), LONGEST_FILE);
  const settings =
    settingsFile?.ok === true ? (decodeUtf8(settingsFile.bytes, { isCut: settingsFile.cut })?.text ?? '') : null;
  const hasCredentials = access.credentials !== undefined && statIfPresent(inHome(access.credentials)) !== null;
  const facts = { status, settings, hasCredentials, env };
  const login = access.judgeLogin(facts);
  const address = access.service(facts);
  return {
    login,
    service: address === null || login.state === 'no' ? UNKNOWN_ACCESS : await reach(address, env, send),
  };
}

/** Returns the state "logged in" with the first of these environment variables that is set; `null` if none is set. */
export function loginVariable(env: LoginFacts['env'], names: readonly string[]): AccessState | null {
  const name = names.find((variable) => (env[variable] ?? '') !== '');
  return name === undefined ? null : { state: 'yes', why: name };
}

/** Whether `version` is the same as `minimumVersion` or newer. */
export function isAtLeast(version: string, minimumVersion: string): boolean {
  const numbers = (text: string) => text.split(/[^\d]+/, 3).map(Number);
  const [a, b] = [numbers(version), numbers(minimumVersion)];
  const differs = [0, 1, 2].find((at) => (a[at] ?? 0) !== (b[at] ?? 0));
  return differs === undefined || (a[differs] ?? 0) > (b[differs] ?? 0);
}

const REACH_TIMEOUT_MS = 5000;

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/** Sends one request without a login. Any answer shows that the service can be reached. */
async function reach(address: string, env: Readonly<Record<string, string>>, send: Fetch | null): Promise<AccessState> {
  // Only API reviewers connect as onceover does. A program may use the proxy in another way.
  if (send === null && PROXIES.some((name) => (env[name] ?? '') !== '')) return UNKNOWN_ACCESS;
  try {
    const signal = AbortSignal.timeout(REACH_TIMEOUT_MS);
    const { origin } = new URL(address);
    await (await (send ?? fetch)(origin, { method: 'HEAD', redirect: 'manual', signal })).body?.cancel();
    return { state: 'yes', why: origin };
  } catch (error) {
    return { state: 'no', why: `${address}: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = (error.cause ?? error) as { code?: unknown };
  if (error.name === 'TimeoutError') return `no answer within ${REACH_TIMEOUT_MS / 1000} seconds`;
  return typeof code === 'string' ? code : error.message;
}
