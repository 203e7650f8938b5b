import { byCodePoint } from '@onceover/base/kernel/collections';
import type { ReviewSubject } from '@onceover/base/kernel/review-subject';
import type { Settings } from '@onceover/repo/config/settings';

/**
 * The settings that cannot change what a reviewer answers or how onceover judges the answer. All other settings count,
 * also those that are added later.
 */
const CANNOT_CHANGE_A_VERDICT: ReadonlySet<string> = new Set<keyof Settings>([
  // The content says what the change is compared with, and each gate has its own subject.
  ...(['base', 'gates'] as const),
  // A reviewer is a number, whichever agent fills it. Agents are compared for passes of other clones.
  ...(['agents', 'agent'] as const),
  // How reviewers are called. A reviewer that does not answer has no verdict, and the kind of session is recorded.
  ...(['concurrency', 'timeoutSeconds', 'idleTimeoutSeconds', 'budget', 'cacheTtl', 'shareReading'] as const),
  // These choose the gates and reviewers that run.
  ...(['maxRetries', 'certify', 'afterPass', 'unchangedGates'] as const),
  // These choose the marks, waivers and passes of other clones that count beside the verdict. Every run judges that.
  ...(['cache', 'trustMarks', 'waivers', 'passes'] as const),
  // Only for phases.
  ...(['finalValidation', 'deltaGuard', 'resumeWhenCold', 'recheckDomain'] as const),
  // The place of records, and settings without effect.
  ...(['logDir', 'ignored'] as const),
]);

/** The defaults of the other settings. A setting that has its default is not part of the subject. */
const DEFAULTS: Readonly<Record<string, string>> = {
  failOn: '"low"',
  rerunNewIssueThreshold: '"low"',
  convergence: '{"unchangedCode":"block"}',
};

/** Returns the settings that a verdict depends on and that differ from their default, each as JSON. */
export function verdictSettings(settings: object): ReviewSubject['settings'] {
  const entries = Object.entries(settings)
    .filter(([key, value]) => !CANNOT_CHANGE_A_VERDICT.has(key) && value !== undefined)
    .map(([key, value]) => [key, JSON.stringify(value)] as const)
    .filter(([key, json]) => json !== DEFAULTS[key])
    .sort(([a], [b]) => byCodePoint(a, b));
  return Object.fromEntries(entries);
}
