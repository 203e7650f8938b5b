import type { ApiSettings } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import type { PassSettings, Settings } from './settings.ts';
import { API_DEFAULTS, type SettingsFile, settingsSchema } from './settings-schema.ts';
import { type Checked, checkShape, readYaml, type YamlFile } from './yaml.ts';

export type ParsedSettings = Checked<{ readonly settings: Settings }>;

/** Parses the text of an `onceover.yml`. An empty text gives the defaults. */
export function parseSettings(text: string): ParsedSettings {
  const read = readYaml(text);
  if (!read.ok) return read;
  const checked = checkShape(settingsSchema, read.value ?? {}, read.yaml);
  return checked.ok ? { ok: true, settings: toSettings(checked.value, read.yaml) } : checked;
}

function toSettings(written: SettingsFile, yaml: YamlFile): Settings {
  return {
    base: written.base ?? null,
    agents: written.agents ?? null,
    concurrency: written.concurrency,
    timeoutSeconds: written.timeout,
    idleTimeoutSeconds: written.idle_timeout,
    logDir: checkedPath(written.log_dir),
    maxRetries: written.max_retries,
    rerunNewIssueThreshold: written.rerun_new_issue_threshold,
    failOn: written.fail_on,
    cache: written.cache,
    certify: written.certify,
    afterPass: written.after_pass,
    unchangedGates: written.unchanged_gates,
    finalValidation: written.final_validation,
    deltaGuard: written.delta_guard,
    resumeWhenCold: written.resume_when_cold,
    cacheTtl: written.cache_ttl,
    shareReading: written.share_reading,
    recheckDomain: written.recheck_domain,
    trustMarks: written.trust_marks,
    convergence: { unchangedCode: written.convergence.unchanged_code, ratchet: isOn(written.convergence.ratchet) },
    waivers: {
      who: written.waivers.who,
      signers: written.waivers.signers === undefined ? null : checkedPath(written.waivers.signers),
    },
    passes: written.passes === undefined ? null : toPassSettings(written.passes),
    budget: { usd: written.budget.usd ?? null, dispatches: written.budget.dispatches ?? null },
    agent: mapValues(written.agent, (own) => ({
      model: own.model ?? null,
      command: own.command ?? null,
      ...(own.acp === undefined ? {} : { acp: own.acp }),
      ...toApiSettings(own),
      path: own.path ?? null,
      resume: own.resume ?? false,
      env: own.env,
      sandbox: own.sandbox,
      timeoutSeconds: own.timeout ?? (own.tier === 'batch' ? BATCH_SECONDS : null),
    })),
    gates: written.gates.map((entry, i) => ({
      path: entry.path,
      exclude: entry.exclude,
      checks: mapValues(entry.checks, (own) => ({ run: own.run, timeoutSeconds: own.timeout ?? null })),
      reviews: mapValues(entry.reviews, (own, name) => ({
        prompt: checkedPath(own.prompt),
        promptAt: yaml.place(['gates', i, 'reviews', name, 'prompt']),
        numReviews: own.num_reviews,
        agents: own.agents ?? null,
        timeoutSeconds: own.timeout ?? null,
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
function toApiSettings(own: SettingsFile['agent'][string]): { readonly api?: ApiSettings } {
  if (own.api === undefined || own.model === undefined) return {};
  const usual = API_DEFAULTS[own.api];
  const isUsual = own.base_url === undefined;
  const api: ApiSettings = {
    dialect: own.api,
    model: own.model,
    isProvider: isUsual,
    baseUrl: (own.base_url ?? usual.baseUrl).replace(/\/+$/, ''),
    endpoint: own.endpoint ?? (isUsual ? 'responses' : 'chat'),
    key: own.key ?? (isUsual ? usual.key : null),
    headers: own.headers ?? {},
    maxOutputTokens: own.max_tokens ?? MOST_OUTPUT_TOKENS,
    tier: own.tier ?? 'standard',
  };
  return { api };
}

function toPassSettings(written: NonNullable<SettingsFile['passes']>): PassSettings {
  return {
    remote: written.remote ?? null,
    store: written.store ?? null,
    share: written.share,
    signers: checkedPath(written.signers),
    accept: written.accept,
    maxAgeDays: Number.parseInt(written.max_age, 10),
    minSigners: written.min_signers,
    neverFor: written.never_for,
    audit: written.audit,
  };
}

// `repoPath` does not return `null` here, because the schema has rejected every path outside the repository.
function checkedPath(path: string): RepoPath {
  return repoPath(path) ?? ('' as RepoPath);
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, make: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value, key)]));
}

/** YAML 1.2 reads `on` and `off` as texts, but people write them as booleans, as in YAML 1.1. */
function isOn(value: boolean | 'on' | 'off'): boolean {
  return value === true || value === 'on';
}
