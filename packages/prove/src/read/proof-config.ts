import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '@onceover/gates/gate-types';
import { planGates, selectGates } from '@onceover/gates/run/decide/gate-list';
import { previewGates, READ_ONLY } from '@onceover/gates/run/open-run';
import type { RunRequest } from '@onceover/gates/run/ports';
import { SETTINGS_FILE } from '@onceover/repo/config/settings';
import { readYaml } from '@onceover/repo/config/yaml';
import { diskFiles } from '@onceover/repo/git/tree-files';
import { agentsDigestOf } from '../decide/staleness.ts';
import type { ProofFile, ProofVariant } from '../types.ts';
import { answerersIn } from './programs.ts';

/** The user's configuration, in the form in which test cases use it. */
export type ProofConfig = {
  /** The prompts and rules of the working tree. They replace those of the commit on which a test case is based. */
  readonly files: readonly ProofFile[];
  /**
   * Returns the text of `onceover.yml` for test cases that are reviewed with a given configuration. The text has no
   * checks, and `main` is its base branch.
   */
  settingsFor(variant: ProofVariant): string;
  /** Returns the selected review gates that cover at least one of these files. */
  gatesFor(paths: readonly RepoPath[]): readonly ReviewGate[];
  /** Returns the id of the gate in the user's configuration to which a gate of a test case corresponds. */
  originalId(id: GateId): GateId;
  readonly gates: readonly string[];
  agentsDigest(gate: Pick<ReviewGate, 'agents'>): string;
  /** Returns a digest of an agent's settings and scripts. */
  answererOf(name: string): string;
  readonly checks: readonly { readonly command: string; readonly timeoutSeconds: number }[];
};

/**
 * Reads the configuration of the working tree. With `everywhere`, every review covers every file, because the test
 * cases that come with onceover are not in the user's folders.
 */
export async function readProofConfig(
  repository: RepositoryPaths,
  gates: readonly string[],
  { everywhere }: { readonly everywhere: boolean },
): Promise<Result<ProofConfig>> {
  const preview = await previewGates(repository, { ...READ_ONLY, selection: { kind: 'change', base: null } });
  if (!preview.ok) return preview;
  const { request, configFiles } = preview.value;
  const disk = diskFiles(repository.root);
  const textAt = (path: string) => {
    const file = disk.read(path, LONGEST);
    return file.kind === 'unusable' || file.cut ? null : file.text;
  };
  const yaml = readYaml(textAt(SETTINGS_FILE) ?? '');
  const raw = yaml.ok && isRecord(yaml.value) ? yaml.value : {};
  const files = [...configFiles]
    .filter((path) => path !== SETTINGS_FILE && !path.endsWith('/') && textAt(path) !== null)
    .map((path): ProofFile => ({ path: path as RepoPath, text: textAt(path) }));
  const scopedRequest = everywhere ? everywhereSettings(request) : request;
  const gatesFor = (paths: readonly RepoPath[]): readonly ReviewGate[] => {
    const entries = [...new Set(paths)].map((path) => ({ path, mode: '100644', baseBlob: null, headBlob: '0' }));
    const plan = planGates({
      settings: scopedRequest.settings.gates,
      rules: scopedRequest.rules,
      entries,
      rubrics: scopedRequest.rubrics,
      unchanged: () => [],
    });
    const selection = selectGates(plan.gates, { ...scopedRequest, gates, paths: [] });
    return selection.ok ? selection.value.filter((gate): gate is ReviewGate => gate.kind !== 'check') : [];
  };
  const wholeSelection = selectGates([], { ...scopedRequest, gates, paths: [] });
  if (!wholeSelection.ok) return wholeSelection;
  const { settings } = scopedRequest;
  const answererOf = answerersIn(repository.root, settings.agent);
  const checks = request.settings.gates.flatMap((entry) =>
    Object.values(entry.checks).map(({ run, timeoutSeconds }) => ({
      command: run,
      timeoutSeconds: timeoutSeconds ?? settings.timeoutSeconds,
    })),
  );
  const reviews = settings.gates.reduce((sum, entry) => sum + Object.keys(entry.reviews).length, 0);
  if (reviews + scopedRequest.rules.length === 0) return err({ kind: 'not-configured', base: null });
  return ok({
    files: everywhere ? files.filter(({ path }) => !path.endsWith('.deepreview')) : files,
    settingsFor: (variant) => settingsText(raw, variant, { everywhere, root: repository.root }),
    gatesFor,
    originalId: (id) => (everywhere ? originalGate(request, id) : id),
    gates,
    agentsDigest: ({ agents }) => agentsDigestOf(settings, agents, answererOf),
    answererOf,
    checks,
  });
}

const LONGEST = 1024 * 1024;

/** Returns the request with every review moved to the root of the repository, and without rules. */
function everywhereSettings(request: RunRequest): RunRequest {
  const gates = request.settings.gates.map((entry) => ({ ...entry, path: '.', exclude: [] }));
  const usedNames = new Set<string>();
  const once = gates.map((entry) => ({
    ...entry,
    reviews: Object.fromEntries(
      Object.entries(entry.reviews).filter(([name]) => !usedNames.has(name) && usedNames.add(name).size > 0),
    ),
  }));
  return { ...request, rules: [], settings: { ...request.settings, gates: once } };
}

function originalGate({ settings }: RunRequest, id: GateId): GateId {
  const name = id.slice(id.lastIndexOf(':') + 1);
  const entry = settings.gates.find(({ reviews }) => Object.hasOwn(reviews, name));
  return entry === undefined ? id : `review:${entry.path.replace(/^\.\/(?=.)|\/$/g, '')}:${name}`;
}

type SettingsOptions = { readonly everywhere: boolean; readonly root: string };

/** Returns the settings of a test case as JSON, which is also valid YAML. */
function settingsText(
  raw: Readonly<Record<string, unknown>>,
  { reviewers, reading }: ProofVariant,
  options: SettingsOptions,
): string {
  const usedNames = new Set<string>();
  const entries = listOf(raw['gates']).map((entry) => {
    const { checks: _checks, reviews, path, exclude, ...otherFields } = entry;
    const reviewEntries = Object.entries(isRecord(reviews) ? reviews : {}).filter(([name]) => {
      const isNew = !options.everywhere || !usedNames.has(name);
      usedNames.add(name);
      return isNew;
    });
    const newReviews = reviewEntries.map(([name, review]) => [
      name,
      reviewers === null || !isRecord(review) ? review : { ...review, num_reviews: reviewers },
    ]);
    const where = options.everywhere ? { path: '.' } : { path, ...(exclude === undefined ? {} : { exclude }) };
    return { ...where, ...otherFields, reviews: Object.fromEntries(newReviews) };
  });
  const agent = isRecord(raw['agent']) ? raw['agent'] : {};
  // Leave out shared passes: a pass from another clone would replace the reviewers that are to be measured.
  const { budget: _budget, max_retries: _retries, passes: _passes, ...otherSettings } = raw;
  const settings = {
    ...otherSettings,
    ...(reading === null ? {} : { share_reading: reading }),
    base: 'main',
    max_retries: 20,
    agent: Object.fromEntries(
      Object.entries(agent).map(([name, agentSettings]) => [name, withFullPath(agentSettings, options.root)]),
    ),
    gates: entries.filter(({ reviews }) => Object.keys(reviews).length > 0),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/**
 * Returns the settings of an agent with a custom command. Programs inside the repository get their full path in the
 * user's working tree.
 */
function withFullPath(agent: unknown, root: string): unknown {
  if (!isRecord(agent) || !Array.isArray(agent['command'])) return agent;
  const command = agent['command'].map((word: unknown) => {
    if (typeof word !== 'string' || word.startsWith('/') || word.startsWith('-')) return word;
    return diskFiles(root).read(word, 1).kind === 'unusable' ? word : `${root}/${word.replace(/^\.\//, '')}`;
  });
  return { ...agent, command };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
