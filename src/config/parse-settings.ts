import type { RepoPath } from '../domain/brand.ts';
import { compileGlob } from '../domain/glob.ts';
import { repoPath } from '../domain/repo-path.ts';
import type { Settings } from '../domain/settings.ts';
import { keyName } from './key-name.ts';
import { settingsSchema, type WrittenSettings } from './settings-schema.ts';
import { checkShape, type PlacedProblem, readYaml, valueAt, type YamlFile } from './yaml-file.ts';

export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] };

/** Reads the text of an `onceover.yml`; '' gives the defaults. */
export function parseSettings(text: string): ParsedSettings {
  const read = readYaml(text);
  if (!read.ok) return read;
  const checked = checkShape(settingsSchema, read.value ?? {}, read.yaml);
  if (!checked.ok) return checked;
  const problems = checkPaths(checked.value, read.yaml);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, settings: toSettings(checked.value, read.yaml) };
}

function checkPaths(written: WrittenSettings, yaml: YamlFile): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const inside = (path: string, at: PropertyKey[]) => {
    const found = repoPath(path);
    if (found === null || found === '' || found.split('/').includes('.git')) {
      const said = 'must be a path inside the repository, relative to its root';
      problems.push({
        ...yaml.place(at),
        what: { kind: 'bad-value', key: keyName(at, (part) => valueAt(written, part)), said },
      });
    }
  };
  const glob = (source: string, at: PropertyKey[]) => {
    if (source === '.') return;
    const compiled = compileGlob(source, '');
    if (!compiled.ok)
      problems.push({ ...yaml.place(at), what: { kind: 'bad-glob', glob: source, said: compiled.said } });
  };
  inside(written.log_dir, ['log_dir']);
  for (const [i, entry] of written.gates.entries()) {
    glob(entry.path, ['gates', i, 'path']);
    for (const [n, exclude] of entry.exclude.entries()) glob(exclude, ['gates', i, 'exclude', n]);
    for (const [name, review] of Object.entries(entry.reviews))
      inside(review.prompt, ['gates', i, 'reviews', name, 'prompt']);
  }
  return problems;
}

function toSettings(written: WrittenSettings, yaml: YamlFile): Settings {
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
    recheckDomain: written.recheck_domain,
    trustMarks: written.trust_marks,
    budget: { usd: written.budget.usd ?? null, dispatches: written.budget.dispatches ?? null },
    agent: mapValues(written.agent, (own) => ({
      model: own.model ?? null,
      command: own.command ?? null,
      path: own.path ?? null,
      resume: own.resume ?? false,
      env: own.env,
      sandbox: own.sandbox,
      timeoutSeconds: own.timeout ?? null,
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

// checkPaths has refused every path for which this would be null.
function checkedPath(path: string): RepoPath {
  return repoPath(path) ?? ('' as RepoPath);
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, make: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value, key)]));
}
