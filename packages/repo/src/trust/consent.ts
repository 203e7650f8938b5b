import { digestOf } from '@onceover/base/kernel/ids';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { openListFile } from '@onceover/base/platform/private-files';
import { version } from '@onceover/base/version';
import { loadSettings, openParsedFiles } from '../config/read-file.ts';
import type { Settings } from '../config/settings.ts';
import { sparseFiles } from '../git/tree-files.ts';

/** Returns a digest of all commands in the settings that need approval: those of checks and agents. */
export function commandsDigest(settings: Settings): string {
  return digestOf([checksOf(settings), agentsOf(settings)]);
}

/** Returns the commands in the settings that a user has to approve before an agent may run them. */
export function commandsOf(settings: Settings): readonly string[] {
  return [
    ...checksOf(settings).map(([, , run]) => run),
    ...agentsOf(settings).map(([name, { command, path, env, api = null }]) => {
      if (api !== null) return `send code to ${api.baseUrl}${api.key === null ? '' : ` with the key in ${api.key}`}`;
      const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
      return [...variables, ...(command ?? [path ?? name])].join(' ');
    }),
  ];
}

function checksOf(settings: Settings): (readonly [string, string, string])[] {
  return settings.gates.flatMap((entry) =>
    Object.entries(entry.checks).map(([name, { run }]) => [entry.path, name, run] as const),
  );
}

function agentsOf(settings: Settings): (readonly [string, Settings['agent'][string]])[] {
  return Object.entries(settings.agent).filter(([, agent]) => needsApproval(agent));
}

/**
 * Whether the settings of an agent need approval. They do if they choose the program that is started, or the address to
 * which code and a key are sent. A command, a path or environment variables can start any program. An API agent needs
 * no approval if it uses the provider's own address and usual key.
 */
export function needsApproval({ command, path, env, api = null }: Settings['agent'][string]): boolean {
  if (command !== null || path !== null || Object.keys(env).length > 0) return true;
  return api !== null && !(api.isProvider && /^(?:ANTHROPIC|OPENAI)_API_KEY$/.test(api.key ?? ''));
}

const MOST_DIGESTS = 100;

/** Opens the list of approved configurations in the git folder. If the list is unreadable, nothing is approved. */
export function openConsentStore(commonDir: string) {
  const file = openListFile(commonDir, 'trusted.json');
  return {
    isTrusted: (digest: string) => file.read().includes(digest),
    trust(digest: string): Result<void> {
      const otherDigests = file.read().filter((entry) => typeof entry === 'string' && entry !== digest);
      return file.write([...otherDigests, digest].slice(-MOST_DIGESTS));
    },
  };
}

/**
 * Approves the commands of the current configuration, so that runs started by agents may execute them. Returns the
 * commands.
 */
export async function trustConfig(repo: RepositoryPaths): Promise<Result<readonly string[]>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'agreed-inside-a-run' });
  const settings = await loadSettings(sparseFiles(repo), openParsedFiles(repo.commonDir, version));
  if (!settings.ok) return settings;
  const result = openConsentStore(repo.commonDir).trust(commandsDigest(settings.value));
  return result.ok ? ok(commandsOf(settings.value)) : result;
}

/** Fails if the user has not approved the commands in the configuration. Agents may start only approved commands. */
export async function checkTrust(repo: RepositoryPaths): Promise<Result<void>> {
  const settings = await loadSettings(sparseFiles(repo), openParsedFiles(repo.commonDir, version));
  return settings.ok ? requireConsent(repo, settings.value, 'agent') : settings;
}

/** Fails if the configured commands are not approved. If a person started the run, that approves them. */
export function requireConsent(repo: RepositoryPaths, settings: Settings, by: 'person' | 'agent'): Result<void> {
  const commands = commandsOf(settings);
  if (commands.length === 0) return ok(undefined);
  const trust = openConsentStore(repo.commonDir);
  const digest = commandsDigest(settings);
  if (trust.isTrusted(digest)) return ok(undefined);
  return by === 'person' ? trust.trust(digest) : err({ kind: 'not-trusted', commands });
}
