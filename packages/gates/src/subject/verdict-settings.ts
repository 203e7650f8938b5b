import { byCodePoint } from '@onceover/base/kernel/collections';
import { digestOf } from '@onceover/base/kernel/ids';
import type { ReviewSubject } from '@onceover/base/kernel/review-subject';
import type { Settings } from '@onceover/repo/config/settings';

/**
 * The settings that cannot change what a reviewer answers or how onceover judges the answer, each with the reason. All
 * other settings count, also those that are added later.
 */
const CANNOT_CHANGE_A_VERDICT = {
  base: 'the content says what the change is compared with',
  agents: 'a reviewer is a number, whichever agent fills it; the agent is recorded',
  agent: 'the settings of an agent are compared for passes of other clones',
  concurrency: 'how many reviewers run at once',
  timeoutSeconds: 'a reviewer that did not answer has no verdict',
  idleTimeoutSeconds: 'a reviewer that did not answer has no verdict',
  logDir: 'where records are written',
  maxRetries: 'which gates run',
  cache: 'which marks count',
  certify: 'which reviewers run',
  afterPass: 'which reviewers run',
  unchangedGates: 'which gates run',
  finalValidation: 'only for phases',
  deltaGuard: 'only for phases',
  recheckDomain: 'only for phases',
  resumeWhenCold: 'the session is recorded',
  cacheTtl: 'the session is recorded',
  shareReading: 'the session is recorded',
  trustMarks: 'which marks count',
  ignored: 'it has no effect',
  waivers: 'a waiver counts beside the verdict and is judged in every run',
  passes: 'which passes of other clones count',
  budget: 'how much may be spent',
  gates: 'the content, the instructions and the number of the reviewer say what is reviewed',
} as const satisfies Partial<Record<keyof Settings, string>>;

/** The defaults of the other settings. A setting that has its default is not part of the subject. */
const DEFAULTS: Readonly<Record<string, string>> = {
  failOn: '"low"',
  rerunNewIssueThreshold: '"low"',
  convergence: '{"unchangedCode":"block"}',
};

/** Returns the settings that a verdict depends on and that differ from their default, each as JSON. */
export function verdictSettings(settings: object): ReviewSubject['settings'] {
  const entries = Object.entries(settings)
    .filter(([key, value]) => !Object.hasOwn(CANNOT_CHANGE_A_VERDICT, key) && value !== undefined)
    .map(([key, value]) => [key, JSON.stringify(value)] as const)
    .filter(([key, json]) => json !== DEFAULTS[key])
    .sort(([a], [b]) => byCodePoint(a, b));
  return Object.fromEntries(entries);
}

/**
 * Returns a digest of the settings of an agent. Each clone computes it from its own `onceover.yml`. So a pass of another
 * clone does not match if it was given with a weaker model or another command.
 */
export function agentSettingsDigest({ agent }: Pick<Settings, 'agent'>, name: string): string {
  const settings = Object.hasOwn(agent, name) ? agent[name] : undefined;
  const env = Object.entries(settings?.env ?? {}).sort(([a], [b]) => byCodePoint(a, b));
  const api = [settings?.api, settings?.acp].filter((setting) => setting != null);
  const program = [
    settings?.model ?? null,
    settings?.command ?? null,
    settings?.path ?? null,
    env,
    settings?.sandbox ?? false,
    ...api,
  ];
  return digestOf(['agent-settings/v1', name, program]);
}
