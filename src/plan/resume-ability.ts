import type { ResumeAbility, ResumeResult } from '../domain/capability.ts';

/** What is known of an agent's version: a probe on this machine counts more than the results that come with the package. */
export function resumeAbility(
  agent: { readonly name: string; readonly version: string | null },
  results: { readonly probed: readonly ResumeResult[]; readonly tested: readonly ResumeResult[] },
): ResumeAbility {
  const find = (list: readonly ResumeResult[]) =>
    list.find((one) => one.agent === agent.name && one.version === agent.version);
  const probed = find(results.probed);
  if (probed !== undefined) return said(probed, 'probed');
  const tested = find(results.tested);
  return tested === undefined ? { kind: 'unknown' } : said(tested, 'tested');
}

function said(result: ResumeResult, from: 'tested' | 'probed'): ResumeAbility {
  if (result.failed === null) return { kind: 'yes', from };
  return { kind: 'no', from, why: deferredReason(result.failed) };
}

/** `{test}: {what failed}`, as it is kept where resuming is put off. */
function deferredReason(failed: NonNullable<ResumeResult['failed']>): string {
  return `${failed.test}: ${failed.how}`;
}
