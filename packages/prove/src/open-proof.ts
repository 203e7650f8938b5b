import { copyFileSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { openLedger } from '@onceover/agents/ledger/store';
import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import { grouped } from '@onceover/base/kernel/collections';
import { type CommitId, type GateId, type RepoPath, sha256 } from '@onceover/base/kernel/ids';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { tryDisk } from '@onceover/base/platform/files';
import { openLock } from '@onceover/base/platform/lock';
import { makeNamedScratch, namedScratchPath } from '@onceover/base/platform/scratch';
import { runsRemotely } from '@onceover/gates/run/open-run';
import { leavePullRequest } from '@onceover/repo/config/pull-request';
import { asResult, gitText } from '@onceover/repo/git/git';
import { modelEnvironment } from './decide/answerer.ts';
import { isSourceFile } from './decide/commits.ts';
import {
  chooseCases,
  estimateCall,
  mostCallsOf,
  type ProofBudget,
  type ProofChoice,
  pathsOf,
  tasksOf,
} from './decide/plan.ts';
import { publicSet } from './decide/public-set.ts';
import { saysMore } from './decide/staleness.ts';
import { copyDependencies } from './do/case-repository.ts';
import { type ProofProgress, playProof } from './do/play-proof.ts';
import { compareVariants, scoreReviewers, scoreTrials, scoreVariants, variantKey } from './judge/scores.ts';
import { gatherCases } from './read/gather.ts';
import { readOwnCases } from './read/own-cases.ts';
import { loadParsers, type Parsers } from './read/parsers.ts';
import { type ProofConfig, readProofConfig } from './read/proof-config.ts';
import { openKeptAnswers } from './record/kept.ts';
import { openProofs } from './record/proofs.ts';
import type { PlayedProve, ProvePlan } from './result-types.ts';
import type { CaseResult, CaseSource, GateProof, ProofCase } from './types.ts';

export type ProveOptions = ProofChoice & {
  readonly gates: readonly string[];
  readonly cases: number;
  readonly seed: number;
  readonly budget: ProofBudget;
  /** Use only test cases from these sources; empty for all sources. */
  readonly sources: readonly CaseSource[];
  /** Use the test cases that come with onceover instead of cases from this repository. */
  readonly set: boolean;
  /** Whether the team's workers run the reviewers; by default, what the user's own config file says. */
  readonly remote?: boolean;
  /** A folder with the user's own test cases as patches; `null` if there is none. */
  readonly own: string | null;
};

type Prepared = { readonly plan: ProvePlan; readonly config: ProofConfig; readonly candidates: readonly ProofCase[] };

/** Returns what `onceover prove` would review and what that would cost. Calls no agent and writes nothing. */
export async function planProof(repository: RepositoryPaths, options: ProveOptions): Promise<Result<ProvePlan>> {
  const preparation = await prepare(repository, options);
  return preparation.ok ? ok(preparation.value.plan) : preparation;
}

async function prepare(repository: RepositoryPaths, options: ProveOptions): Promise<Result<Prepared>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  leavePullRequest(process.env);
  const config = await readProofConfig(repository, options.gates, { everywhere: options.set });
  if (!config.ok) return config;
  const parsers = loadParsers(repository.root);
  const caseList = await gather(repository, options, config.value, parsers);
  if (!caseList.ok) return caseList;
  const isWanted = (candidate: ProofCase) =>
    (options.sources.length === 0 || options.sources.includes(candidate.source)) &&
    config.value.gatesFor(pathsOf(candidate)).length > 0;
  const coveredCases = caseList.value.filter(isWanted);
  const selection = chooseCases(coveredCases, options.cases);
  const spare = coveredCases.filter((candidate) => !selection.includes(candidate));
  const tasks = selection.flatMap((proofCase) => tasksOf(proofCase, options));
  const ledger = await openLedger(repository.commonDir).all();
  const gates = [
    ...new Set(
      selection.flatMap((proofCase) =>
        config.value.gatesFor(pathsOf(proofCase)).map(({ id }) => config.value.originalId(id)),
      ),
    ),
  ];
  const plan: ProvePlan = {
    gates,
    cases: [...grouped(selection, ({ source }) => source)].map(([source, group]) => ({ source, count: group.length })),
    classes: [
      ...grouped(
        selection.flatMap(({ planted }) => planted?.class ?? []),
        (bugClass) => bugClass,
      ),
    ].map(([name, group]) => ({ class: name, count: group.length })),
    variants: [...new Map(tasks.map(({ variant }) => [variantKey(variant), variant])).values()],
    repeat: options.repeat,
    seed: options.seed,
    calls: tasks.reduce((sum, task) => sum + mostCallsOf(task, config.value.gatesFor), 0),
    perCall: ledger.ok ? estimateCall(ledger.value.entries, gates) : null,
    budget: options.budget,
    checks: config.value.checks.length,
    install: options.set ? [] : installable(parsers, await sourceExtensions(repository)),
    titles: selection.map(({ source, title, planted }) => ({ source, title, class: planted?.class ?? null })),
  };
  return ok({ plan, config: config.value, candidates: [...selection, ...spare] });
}

async function gather(
  repository: RepositoryPaths,
  { set, own, seed, cases: maxCases, sources }: ProveOptions,
  config: ProofConfig,
  parsers: Parsers,
): Promise<Result<readonly ProofCase[]>> {
  if (set) return ok(publicSet());
  const covers = (path: RepoPath) => config.gatesFor([path]).length > 0;
  const bugsPerChange = config.checks.length === 0 ? 1 : BUGS_PER_CHANGE;
  const caseList = await gatherCases({ repository, parsers, seed, most: maxCases, sources, bugsPerChange, covers });
  if (!caseList.ok || own === null) return caseList;
  const head = await asResult(gitText(repository.root, ['rev-parse', '--verify', 'HEAD^{commit}']));
  if (!head.ok) return head;
  const folder = isAbsolute(own) ? own : join(repository.root, repository.prefix, own);
  const ownCases = readOwnCases(folder, head.value as CommitId);
  return ownCases.ok ? ok([...ownCases.value, ...caseList.value]) : ownCases;
}

// Good tests catch most planted bugs, so a case that counts may need several tries.
const BUGS_PER_CHANGE = 8;

async function sourceExtensions({ root }: RepositoryPaths): Promise<readonly string[]> {
  const listing = await asResult(gitText(root, ['ls-files']));
  return listing.ok ? listing.value.split('\n').filter(isSourceFile) : [];
}

/** Returns the parser packages that must be installed so that bugs can be planted in this repository's files. */
function installable({ missing }: Parsers, files: readonly string[]): readonly string[] {
  const neededParsers = missing.filter(({ extensions }) => files.some((file) => extensions.test(file)));
  return [...new Set(neededParsers.flatMap(({ packages }) => packages))];
}

/** Receives the progress of `onceover prove`. Aborting `stop` ends it. */
export type ProvePorts = { readonly stop: AbortSignal; tell(progress: ProofProgress): void };

/**
 * Reviews the test cases and stores the scores. If this run of `onceover prove` is interrupted, the next one reuses the
 * answers that were already received.
 */
export async function playPlannedProof(
  repository: RepositoryPaths,
  options: ProveOptions,
  { stop, tell }: ProvePorts,
): Promise<Result<PlayedProve>> {
  const preparation = await prepare(repository, options);
  if (!preparation.ok) return preparation;
  const { plan, config, candidates } = preparation.value;
  const name = `prove-${sha256(repository.commonDir).slice(0, 16)}`;
  const path = namedScratchPath(repository.root, name);
  if (!path.ok) return path;
  const folder = path.value;
  const lock = await openLock({ root: folder, commonDir: repository.commonDir }).take();
  if (!lock.ok) return lock;
  const scratch = makeNamedScratch(folder);
  try {
    if (!scratch.ok) return scratch;
    const ready = await prepareFolder(repository, folder, config);
    if (!ready.ok) return ready;
    const remote = options.remote === undefined ? await runsRemotely() : ok(options.remote);
    if (!remote.ok) return remote;
    const keptAnswers = openKeptAnswers(repository.commonDir);
    const ledger = openLedger(repository.commonDir);
    const ports = {
      ...{ folder, kept: keptAnswers, stop, repository, isRemote: remote.value, dependencies: ready.value },
      modelEnvironment: modelEnvironment(process.env),
      reporter: { tell: () => {} },
    };
    const request = { candidates, most: options.cases, choice: options, budget: options.budget, tell };
    const proofResult = await playProof(request, config, ports, ledger.add);
    if (!proofResult.ok) return proofResult;
    keptAnswers.cleanUp();
    const proofs = proofsOf(inOrder(proofResult.value.results, plan), config, proofResult.value.cases);
    const outdone: GateId[] = [];
    // An interrupted run covers fewer test cases than planned, so its scores must not replace stored ones.
    if (proofResult.value.end === 'done' || proofResult.value.end === 'budget') {
      const store = openProofs(repository.commonDir);
      for (const proof of proofs) {
        const earlier = store.read(proof.gate);
        if (earlier !== null && saysMore(earlier, proof)) {
          outdone.push(proof.gate);
          continue;
        }
        const writeResult = store.write(proof);
        if (!writeResult.ok) return writeResult;
      }
    }
    return ok({ ...proofResult.value, plan, proofs, outdone });
  } finally {
    if (scratch.ok) scratch.value.remove();
    await lock.value.release();
  }
}

async function prepareFolder(repository: RepositoryPaths, folder: string, { checks }: ProofConfig) {
  const copyResult = tryDisk('write', folder, () => {
    mkdirSync(join(folder, 'onceover'), { recursive: true });
    for (const name of ['capabilities.json', 'versions.json']) {
      tryDisk('read', name, () =>
        copyFileSync(join(repository.commonDir, 'onceover', name), join(folder, 'onceover', name)),
      );
    }
  });
  if (!copyResult.ok) return copyResult;
  return checks.length === 0 ? ok([]) : copyDependencies(repository.root, folder);
}

/**
 * Sorts results by configuration, in the planned order. In the order of the test cases, another configuration would come
 * first if the first review of the first test case has no verdict.
 */
function inOrder(results: readonly CaseResult[], { variants }: ProvePlan): readonly CaseResult[] {
  const order = variants.map(variantKey);
  return [...results].sort((a, b) => order.indexOf(variantKey(a.variant)) - order.indexOf(variantKey(b.variant)));
}

/** Returns the scores of each gate that has results. */
function proofsOf(
  results: readonly CaseResult[],
  config: ProofConfig,
  cases: readonly ProofCase[],
): readonly GateProof[] {
  const rubrics = new Map(
    cases.flatMap((proofCase) =>
      config.gatesFor(pathsOf(proofCase)).map((gate) => [config.originalId(gate.id), gate] as const),
    ),
  );
  const at = new Date().toISOString();
  return [...grouped(results, ({ gate }) => gate)].flatMap(([id, gateResults]) => {
    const gate = rubrics.get(id);
    const [first] = gateResults;
    if (gate === undefined || first === undefined) return [];
    // Take the main scores from the first configuration only, so that each test case counts once.
    const headline = gateResults.filter(({ variant }) => variantKey(variant) === variantKey(first.variant));
    const reviewers = scoreReviewers(headline);
    return [
      {
        ...{ gate: id, promptDigest: gate.rubric.digest, agentsDigest: config.agentsDigest(gate), at },
        agents: reviewers.map(({ agent, model }) => ({ agent, model })),
        scores: scoreTrials(headline),
        reviewers,
        variants: scoreVariants(gateResults),
        comparisons: compareVariants(gateResults),
        usage: gateResults.reduce((sum: Usage | null, { usage }) => addUsage(sum, usage), null),
        calls: gateResults.reduce((sum, { calls }) => sum + calls, 0),
      },
    ];
  });
}
