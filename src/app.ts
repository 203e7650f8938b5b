import { loadRules } from './config/load-rules.ts';
import { loadSettings } from './config/load-settings.ts';
import { openParsedFiles, type ParsedFiles } from './config/parsed-files.ts';
import type { RepoPath, ReviewId } from './domain/brand.ts';
import type { Changes, Listing, Place } from './domain/change.ts';
import type { ReviewExplanation } from './domain/explanation.ts';
import type { InstructionsOutcome, Notice } from './domain/instructions.ts';
import type { MarkReceipt } from './domain/pass.ts';
import type { Repository } from './domain/ports.ts';
import { done, failed, type Result } from './domain/result.ts';
import type { Rule } from './domain/rule.ts';
import type { SetUpStep } from './domain/set-up.ts';
import type { Settings } from './domain/settings.ts';
import {
  type InstructionPorts,
  type InstructionsRequest,
  type PreparedInstructions,
  prepareInstructions,
  writeInstructions,
} from './execute/instructions.ts';
import { withoutChange } from './execute/select-files.ts';
import { openContents } from './io/contents.ts';
import { findPlace, openRepository } from './io/repository.ts';
import { type NameSource, userPath } from './io/user-path.ts';
import { explainReview } from './plan/explain-review.ts';
import { matchRules } from './plan/match.ts';
import { checkReviewId } from './plan/review-id.ts';
import { openInstructionFiles } from './stores/instruction-files.ts';
import { markerPath, openPasses } from './stores/passes.ts';
import { version } from './version.ts';

/** Names of files as they were given, and where from. */
export type GivenFiles = { readonly names: readonly string[]; readonly source: NameSource };

/** Writes the instruction files of all reviews that the change, or the given files, ask for. */
export async function instructions(
  cwd: string,
  options: { readonly files: GivenFiles | null; readonly base: string | null },
): Promise<Result<InstructionsOutcome>> {
  const prepared = await prepare(cwd, options);
  if (!prepared.ok) return prepared;
  return writeInstructions(prepared.value.ports, prepared.value.request, prepared.value.prepared);
}

/** The configured rules; with files, those that match one of them. A pass makes no difference. */
export async function rules(
  cwd: string,
  files: GivenFiles | null,
): Promise<Result<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }>> {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const listed = files === null ? null : toPaths(project.value.place, files);
  if (listed !== null && !listed.ok) return listed;
  const listing = await project.value.repository.listing();
  if (!listing.ok) return listing;
  const loaded = await rulesOf(project.value, listing.value);
  if (listed === null) return done(loaded);
  const matches = matchRules(loaded.rules, listed.value);
  return done({ ...loaded, rules: loaded.rules.filter((rule) => (matches.get(rule) ?? []).length > 0) });
}

/** Marks a review as passed. */
export async function pass(
  cwd: string,
  id: string,
  by: MarkReceipt['by'],
): Promise<Result<{ readonly id: ReviewId; readonly vouched: boolean }>> {
  const why = checkReviewId(id);
  if (why !== null) return failed({ kind: 'bad-review-id', id, why });
  const place = await findPlace(cwd);
  if (!place.ok) return place;
  const marked = await openPasses(place.value).mark(id as ReviewId, by, new Date());
  return marked.ok ? done({ id: id as ReviewId, vouched: marked.value.vouched }) : marked;
}

/** Why the review with this id is done or not. */
export async function explain(
  cwd: string,
  id: string,
  options: { readonly base: string | null },
): Promise<Result<ReviewExplanation>> {
  const prepared = await prepare(cwd, { files: null, base: options.base });
  if (!prepared.ok) return prepared;
  const { passes } = prepared.value.ports;
  const marked = await passes.marked();
  if (!marked.ok) return marked;
  const past = { passed: marked.value.ids.has(id), receipt: await passes.receipt(id as ReviewId) };
  const explanation = explainReview(id, prepared.value.prepared, past);
  return explanation === null ? failed({ kind: 'unknown-review', id }) : done(explanation);
}

/** Writes what is asked for and not there yet. */
export async function init(
  cwd: string,
  options: { readonly rules: boolean; readonly mcp: boolean },
): Promise<Result<readonly SetUpStep[]>> {
  if (!options.rules && !options.mcp) return failed({ kind: 'nothing-to-set-up' });
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const listing = await project.value.repository.listing();
  if (!listing.ok) return listing;
  const [{ setUpMcp, setUpRules }, { openProjectFiles }] = await Promise.all([
    import('./execute/set-up.ts'),
    import('./stores/project-files.ts'),
  ]);
  const files = openProjectFiles(project.value.place.root);
  const steps: SetUpStep[] = [];
  for (const step of [...(options.rules ? [setUpRules] : []), ...(options.mcp ? [setUpMcp] : [])]) {
    const result = await step(files, listing.value);
    if (!result.ok) return result;
    steps.push(result.value);
  }
  return done(steps);
}

type Project = {
  readonly place: Place;
  readonly repository: Repository;
  readonly settings: Settings;
  readonly parsed: ParsedFiles;
};

async function openProject(cwd: string): Promise<Result<Project>> {
  const place = await findPlace(cwd);
  if (!place.ok) return place;
  const parsed = openParsedFiles(place.value.commonDir, version);
  const settings = await loadSettings(place.value.root, parsed);
  if (!settings.ok) return settings;
  const repository = openRepository(place.value);
  return done({ place: place.value, repository, settings: settings.value, parsed });
}

type Prepared = {
  readonly ports: InstructionPorts;
  readonly request: InstructionsRequest;
  readonly prepared: PreparedInstructions;
};

async function prepare(
  cwd: string,
  options: { readonly files: GivenFiles | null; readonly base: string | null },
): Promise<Result<Prepared>> {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const { place, repository, settings } = project.value;
  const listed = options.files === null ? done(null) : toPaths(place, options.files);
  if (!listed.ok) return listed;
  const base = options.base ?? settings.base;
  const changes = listed.value === null ? await repository.changes(base) : await listingOnly(repository);
  if (!changes.ok) return changes;
  const loaded = await rulesOf(project.value, changes.value.listing);
  const ports: InstructionPorts = {
    repository,
    contents: openContents(place.root),
    passes: openPasses(place),
    instructionFiles: openInstructionFiles(place.root),
  };
  const request: InstructionsRequest = {
    rules: loaded.rules,
    changes: changes.value,
    settings,
    listed: listed.value,
    base,
    markerPath,
  };
  const prepared = await prepareInstructions(ports, request);
  if (!prepared.ok) return prepared;
  const notices = [...loaded.notices, ...prepared.value.notices];
  return done({ ports, request, prepared: { ...prepared.value, notices } });
}

async function listingOnly(repository: Repository): Promise<Result<Changes>> {
  const listing = await repository.listing();
  return listing.ok ? done(withoutChange(listing.value)) : listing;
}

async function rulesOf(
  project: Project,
  listing: Listing,
): Promise<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }> {
  const loaded = await loadRules(project.place.root, listing, project.parsed);
  project.parsed.save();
  return { rules: loaded.rules, notices: loaded.problems.map((problem) => ({ kind: 'problem', problem })) };
}

function toPaths(place: Place, files: GivenFiles): Result<readonly RepoPath[]> {
  const paths: RepoPath[] = [];
  for (const name of files.names) {
    const path = userPath(place, name, files.source);
    if (path === null) return failed({ kind: 'path-outside', path: name });
    paths.push(path);
  }
  return done(paths);
}
