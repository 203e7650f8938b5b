import type { Clock } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { STORE_TOKEN } from '@onceover/base/platform/secret-variables';
import { type BasePolicy, type NoBasePolicy, readBasePolicy } from '@onceover/repo/config/base-policy';
import type { RunSettings } from '@onceover/repo/config/effective-settings';
import { hasTeamStore } from '@onceover/store/has-store';
import { noTeamPackage } from '@onceover/store/in-store';
import { auditSecret } from './audit-secret.ts';
import { openGitCarrier } from './git-carrier.ts';
import { type CarriedPasses, openCarriedPasses } from './open-passes.ts';
import { readSigners } from './signers.ts';
import type { PassCarrier, PassTrust } from './types.ts';

/** Passed reviews that other clones share, with the base branch's policy that decides which of them count. */
export type TrustedPasses = {
  readonly policy: BasePolicy;
  readonly trust: PassTrust;
  readonly carrier: PassCarrier;
  readonly passes: CarriedPasses;
};

type OpenedPasses =
  | { readonly ok: true; readonly value: TrustedPasses }
  | { readonly ok: false; readonly why: NoBasePolicy };

/** Opens the passed reviews that other clones share, as the base branch configures. Fetches nothing yet. */
export async function openTrusted(repo: RepositoryPaths, settings: RunSettings, clock: Clock): Promise<OpenedPasses> {
  const basePolicy = await readBasePolicy(repo, settings);
  if (!basePolicy.ok) return basePolicy;
  const { policy } = basePolicy;
  const carrier = await openCarrier(repo, policy);
  if (!carrier.ok) return { ok: false, why: { kind: 'failed', failure: carrier.failure } };
  const { passes, signers, waiverSigners } = policy;
  const secret = passes.audit === 0 ? null : auditSecret(repo.commonDir, process.env);
  const trust: PassTrust = {
    policy: passes,
    signers: readSigners(signers.text, signers.revoked),
    waiverSigners: waiverSigners === null ? null : readSigners(waiverSigners.text, waiverSigners.revoked),
    auditSecret: secret?.ok === true ? secret.value : null,
  };
  return {
    ok: true,
    value: { policy, trust, carrier: carrier.value, passes: openCarriedPasses(carrier.value, trust, clock) },
  };
}

/** Opens the git remote or HTTP store in the settings. If there is a store for teams, that store is used instead. */
async function openCarrier(
  repo: RepositoryPaths,
  { passes: { remote, store } }: BasePolicy,
): Promise<Result<PassCarrier>> {
  if (hasTeamStore() && !ONCEOVER_TEAM) return err(noTeamPackage().failure);
  if (ONCEOVER_TEAM && hasTeamStore()) {
    const [{ postgresCarrier }, { teamStore }] = await Promise.all([
      import('./postgres-carrier.ts'),
      import('@onceover/store/store'),
    ]);
    return ok(postgresCarrier('the store of the team', () => teamStore(repo.commonDir)));
  }
  if (store === null) return openGitCarrier(repo, remote ?? '');
  // Few users have an HTTP store, and loading HTTP takes longer than all other code for passes, so load it only if
  // needed.
  const { openHttpCarrier } = await import('./http-carrier.ts');
  return openHttpCarrier(store, { token: process.env[STORE_TOKEN] ?? null });
}
