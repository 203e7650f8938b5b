import type { ReviewId } from '../domain/brand.ts';
import type { Changes, Listing } from '../domain/change.ts';
import type { ReviewExplanation } from '../domain/explanation.ts';
import type { InstructionsOutcome, Notice } from '../domain/instructions.ts';
import type { Repository } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Rule } from '../domain/rule.ts';
import {
  type InstructionPorts,
  type InstructionsRequest,
  type PreparedInstructions,
  prepareInstructions,
  writeInstructions,
} from '../execute/instructions.ts';
import { withoutChange } from '../execute/select-files.ts';
import { openContents } from '../io/contents.ts';
import { explainReview } from '../plan/explain-review.ts';
import { matchRules } from '../plan/match.ts';
import { openInstructionFiles } from '../stores/instruction-files.ts';
import { markerPath, openPasses } from '../stores/passes.ts';
import { type GivenFiles, toPaths } from './given-files.ts';
import { openProject, rulesOf } from './project.ts';

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
  const named = toPaths(project.value.place, files);
  if (!named.ok) return named;
  const there = await project.value.repository.listing();
  if (!there.ok) return there;
  const loaded = await rulesOf(project.value, there.value.listing);
  const notices = [...loaded.notices, ...named.value.notices];
  if (named.value.listed === null) return done({ rules: loaded.rules, notices });
  const matches = matchRules(loaded.rules, named.value.listed);
  return done({ rules: loaded.rules.filter((rule) => (matches.get(rule) ?? []).length > 0), notices });
}

/** Why a review is asked for or not. */
export async function explainReviewId(
  cwd: string,
  id: string,
  base: string | null,
): Promise<Result<ReviewExplanation>> {
  const prepared = await prepare(cwd, { files: null, base });
  if (!prepared.ok) return prepared;
  const { passes } = prepared.value.ports;
  const marked = await passes.marked();
  if (!marked.ok) return marked;
  const past = { passed: marked.value.ids.has(id), receipt: await passes.receipt(id as ReviewId) };
  const explanation = explainReview(id, prepared.value.prepared, past);
  return explanation === null ? failed({ kind: 'unknown-subject', name: id }) : done(explanation);
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
  const named = toPaths(place, options.files);
  if (!named.ok) return named;
  const { listed } = named.value;
  const base = options.base ?? settings.base;
  let loading: ReturnType<typeof rulesOf> | null = null;
  const onListing = (listing: Listing) => {
    loading = rulesOf(project.value, listing);
  };
  const changes = listed === null ? await repository.changes(base, onListing) : await listingOnly(repository);
  if (!changes.ok) return changes;
  const loaded = await (loading ?? rulesOf(project.value, changes.value.listing));
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
    listed,
    base,
    markerPath,
  };
  const prepared = await prepareInstructions(ports, request);
  if (!prepared.ok) return prepared;
  const notices = [...loaded.notices, ...named.value.notices, ...prepared.value.notices];
  return done({ ports, request, prepared: { ...prepared.value, notices } });
}

async function listingOnly(repository: Repository): Promise<Result<Changes>> {
  const there = await repository.listing();
  return there.ok ? done(withoutChange(there.value)) : there;
}
