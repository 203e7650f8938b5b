import type { Failure } from '@onceover/base/kernel/failure';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { TextFiles } from '../git/tree-files.ts';
import type { RunSettings } from './effective-settings.ts';
import { filesAheadAt, tipOfBranch } from './read-ahead.ts';
import { loadSettings, readNonEmpty } from './read-file.ts';
import { type PassSettings, SETTINGS_FILE, type Settings } from './settings.ts';

/** The base branch's rules about passes and waivers of other clones, with the keys whose signatures count. */
export type BasePolicy = {
  /** The branch from which these rules were read. */
  readonly base: string;
  readonly passes: PassSettings;
  readonly signers: SignersText;
  /** The people whose signed waivers count; `null` if waivers of other clones do not count. */
  readonly waiverSigners: SignersText | null;
};

/**
 * The text of a signers file, and that of the list of revoked keys (`<signers>.revoked`) beside it, if there is one.
 */
type SignersText = { readonly text: string; readonly revoked: string | null };

/** The reason why the base branch has no usable rules about passes of other clones. */
export type NoBasePolicy =
  /** The base branch has no block `passes`. A change that adds the block must not decide whose passes count for it. */
  | { readonly kind: 'base-has-none'; readonly base: string }
  | { readonly kind: 'no-base' }
  | { readonly kind: 'no-signers'; readonly base: string; readonly path: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

type ReadPolicy =
  | { readonly ok: true; readonly policy: BasePolicy }
  | { readonly ok: false; readonly why: NoBasePolicy };

/**
 * Reads the rules about whose passes count. On a pull request, they are at the tip of the target branch; elsewhere at
 * the tip of the default base branch, or of the branch that its own settings name. The change under review decides
 * nothing: its `onceover.yml`, its signers file and its `base` are ignored.
 */
export async function readBasePolicy(repo: RepositoryPaths, run: RunSettings): Promise<ReadPolicy> {
  const noPolicy = (why: NoBasePolicy): ReadPolicy => ({ ok: false, why });
  const baseConfig = await baseSettings(repo, run);
  if (baseConfig === null) return noPolicy({ kind: 'no-base' });
  if (!baseConfig.ok) return noPolicy({ kind: 'failed', failure: baseConfig.failure });
  const { name: base, files, settings } = baseConfig.value;
  const { passes, waivers } = settings;
  if (passes === null) return noPolicy({ kind: 'base-has-none', base });
  const signers = readSignersText(files, passes.signers);
  if (signers === null) return noPolicy({ kind: 'no-signers', base, path: passes.signers });
  if (waivers.signers === null) return { ok: true, policy: { base, passes, signers, waiverSigners: null } };
  const waiverSigners = readSignersText(files, waivers.signers);
  if (waiverSigners === null) return noPolicy({ kind: 'no-signers', base, path: waivers.signers });
  return { ok: true, policy: { base, passes, signers, waiverSigners } };
}

type BaseSettings = { readonly name: string; readonly files: TextFiles; readonly settings: Settings };

async function baseSettings(repo: RepositoryPaths, run: RunSettings): Promise<Result<BaseSettings> | null> {
  const { source, written } = run;
  if (source.from !== null) return ok({ name: source.from, files: source.files, settings: written });
  const usual = repo.usualBase;
  if (usual === null) return null;
  const first = await settingsAt(repo, run, usual);
  if (!first.ok || first.value.settings.base === null || first.value.settings.base === usual) return first;
  // The settings on the default branch may name another base branch, such as "develop". Follow that name, but only
  // once.
  const { base } = first.value.settings;
  const tip = await tipOfBranch(repo, base);
  return tip.ok ? settingsAt(repo, run, base) : tip;
}

async function settingsAt(
  repo: RepositoryPaths,
  { parsed, written }: Pick<RunSettings, 'parsed' | 'written'>,
  name: string,
): Promise<Result<BaseSettings>> {
  // The change probably names the same signers files as the base branch, so read these at once. Others are read when
  // they are needed.
  const signers = [written.passes?.signers, written.waivers.signers].filter((path) => path != null);
  const paths = new Set([SETTINGS_FILE, ...signers.flatMap((path) => [path, `${path}.revoked`])]);
  const files = await filesAheadAt(repo, name, [...paths]);
  if (!files.ok) return files;
  const settings = await loadSettings(files.value, parsed);
  return settings.ok ? ok({ name, files: files.value, settings: settings.value }) : settings;
}

function readSignersText(files: TextFiles, path: string): SignersText | null {
  const signers = readNonEmpty(files, path);
  if (!signers.ok) return null;
  const revokedList = readNonEmpty(files, `${path}.revoked`);
  if (revokedList.ok) return { text: signers.text, revoked: revokedList.text };
  // If the list of revoked keys exists but cannot be read, fail: revoked keys must not become valid.
  return revokedList.why === 'missing' || revokedList.why === 'empty' ? { text: signers.text, revoked: null } : null;
}
