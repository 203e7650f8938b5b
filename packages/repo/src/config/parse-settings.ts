import type { ApiSettings } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import type { PassSettings, Settings } from './settings.ts';
import { API_DEFAULTS, type SettingsFile, settingsSchema } from './settings-schema.ts';
import { type Checked, checkShape, readYaml, type YamlFile } from './yaml.ts';

export type ParsedSettings = Checked<{ readonly settings: Settings }>;

/** Parses the text of an `onceover.yml`. An empty text gives the defaults. */
export function parseSettings(text: string): ParsedSettings {
  const parsedYaml = readYaml(text);
  if (!parsedYaml.ok) return parsedYaml;
  const settingsFile = checkShape(settingsSchema, parsedYaml.value ?? {}, parsedYaml.yaml);
  return settingsFile.ok ? { ok: true, settings: toSettings(settingsFile.value, parsedYaml.yaml) } : settingsFile;
}

function toSettings(file: SettingsFile, yaml: YamlFile): Settings {
  return {
    base: file.base ?? null,
    agents: file.agents ?? null,
    concurrency: file.concurrency,
    timeoutSeconds: file.timeout,
    idleTimeoutSeconds: file.idle_timeout,
    logDir: checkedPath(file.log_dir),
    maxRetries: file.max_retries,
    rerunNewIssueThreshold: file.rerun_new_issue_threshold,
    failOn: file.fail_on,
    cache: file.cache,
    certify: file.certify,
    afterPass: file.after_pass,
    unchangedGates: file.unchanged_gates,
    finalValidation: file.final_validation,
    deltaGuard: file.delta_guard,
    resumeWhenCold: file.resume_when_cold,
    cacheTtl: file.cache_ttl,
    shareReading: file.share_reading,
    recheckDomain: file.recheck_domain,
    trustMarks: file.trust_marks,
    convergence: { unchangedCode: file.convergence.unchanged_code },
    ...(file.convergence.ratchet === undefined ? {} : { ignored: ['convergence.ratchet'] }),
    waivers: {
      who: file.waivers.who,
      signers: file.waivers.signers === undefined ? null : checkedPath(file.waivers.signers),
    },
    passes: file.passes === undefined ? null : toPassSettings(file.passes),
    budget: { usd: file.budget.usd ?? null, dispatches: file.budget.dispatches ?? null },
    agent: mapValues(file.agent, (agent) => ({
      model: agent.model ?? null,
      command: agent.command ?? null,
      ...(agent.acp === undefined ? {} : { acp: agent.acp }),
      ...toApiSettings(agent),
      path: agent.path ?? null,
      resume: agent.resume ?? false,
      env: agent.env,
      sandbox: agent.sandbox,
      timeoutSeconds: agent.timeout ?? (agent.tier === 'batch' ? BATCH_SECONDS : null),
    })),
    gates: file.gates.map((entry, i) => ({
      path: entry.path,
      exclude: entry.exclude,
      checks: mapValues(entry.checks, (check) => ({ run: check.run, timeoutSeconds: check.timeout ?? null })),
      reviews: mapValues(entry.reviews, (review, name) => ({
        prompt: checkedPath(review.prompt),
        promptAt: yaml.place(['gates', i, 'reviews', name, 'prompt']),
        numReviews: review.num_reviews,
        agents: review.agents ?? null,
        timeoutSeconds: review.timeout ?? null,
      })),
    })),
  };
}

const MOST_OUTPUT_TOKENS = 16_000;

/** The time within which providers promise the result of a batch. */
const BATCH_SECONDS = 86_400;

/**
 * Returns the settings of an API reviewer. The provider's own key is used by default only with the provider's own
 * address.
 */
function toApiSettings(agent: SettingsFile['agent'][string]): { readonly api?: ApiSettings } {
  if (agent.api === undefined || agent.model === undefined) return {};
  const usual = API_DEFAULTS[agent.api];
  const isUsual = agent.base_url === undefined;
  const api: ApiSettings = {
    dialect: agent.api,
    model: agent.model,
    isProvider: isUsual,
    baseUrl: (agent.base_url ?? usual.baseUrl).replace(/\/+$/, ''),
    endpoint: agent.endpoint ?? (isUsual ? 'responses' : 'chat'),
    key: agent.key ?? (isUsual ? usual.key : null),
    headers: agent.headers ?? {},
    maxOutputTokens: agent.max_tokens ?? MOST_OUTPUT_TOKENS,
    tier: agent.tier ?? 'standard',
  };
  return { api };
}

function toPassSettings(passes: NonNullable<SettingsFile['passes']>): PassSettings {
  return {
    remote: passes.remote ?? null,
    store: passes.store ?? null,
    share: passes.share,
    signers: checkedPath(passes.signers),
    accept: passes.accept,
    maxAgeDays: Number.parseInt(passes.max_age, 10),
    minSigners: passes.min_signers,
    neverFor: passes.never_for,
    audit: passes.audit,
  };
}

// `repoPath` does not return `null` here, because the schema has rejected every path outside the repository.
function checkedPath(path: string): RepoPath {
  return repoPath(path) ?? ('' as RepoPath);
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, make: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value, key)]));
}
