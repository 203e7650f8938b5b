import { isRecord } from '../domain/is-record.ts';
import type { MetaLoop, MetaUpdate } from '../domain/meta.ts';
import type { PhaseName, PhaseStage } from '../domain/phase.ts';

export type MergedMeta = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: 'corrupt' };

type Fields = Readonly<Record<string, unknown>>;

/** `.meta.json` with a phase told in it: all other fields stay. What cannot be read is never written over. */
export function mergeMeta(before: string | null, update: MetaUpdate): MergedMeta {
  const kept = before === null || before.trim() === '' ? {} : parseMeta(before);
  if (kept === null) return { ok: false, why: 'corrupt' };
  const phases = inner(kept['phases']);
  const phase = inner(phases?.[update.phase]);
  const stages = inner(phase?.['stages']);
  if (phases === null || phase === null || stages === null) return { ok: false, why: 'corrupt' };
  const { resuming, completed } = update;
  const { r1_deferred_reason: _outdated, ...others } = kept;
  const merged = {
    ...(resuming.kind === 'works' ? others : kept),
    ...(completed === null ? {} : { lastCompletedPhase: update.phase }),
    ...(resuming.kind === 'deferred' ? { r1_deferred_reason: resuming.why } : {}),
    phases: { ...phases, [update.phase]: { ...phase, ...tellPhase(update), ...tellStages(update, stages) } },
  };
  return { ok: true, text: `${JSON.stringify(merged, null, indentOf(before ?? ''))}\n` };
}

/** Whether a text is a `.meta.json` that can be added to. */
export function isMeta(text: string): boolean {
  return text.trim() === '' || parseMeta(text) !== null;
}

/** The path of the document that the feature was made from, where `.meta.json` names one. */
export function brainstormSource(meta: string): string | null {
  const source = parseMeta(meta)?.['brainstorm_source'];
  return typeof source === 'string' && source.trim() !== '' ? source : null;
}

const STAGES: Readonly<Record<PhaseName, Readonly<Partial<Record<PhaseStage, string>>>>> = {
  specify: { domain: 'specReview', phase: 'phaseReview' },
  design: { domain: 'designReview', phase: 'handoffReview' },
  'create-plan': { domain: 'planReview', phase: 'chainReview' },
  'create-tasks': { domain: 'taskReview', phase: 'chainReview' },
  implement: {},
};

function tellPhase({ started, completed, loops, notes }: MetaUpdate): Fields {
  return {
    started: started.toISOString(),
    completed: completed?.toISOString() ?? null,
    iterations: loops.reduce((sum, loop) => sum + loop.iterations, 0),
    reviewerNotes: notes,
  };
}

function tellStages({ phase, loops }: MetaUpdate, before: Fields): Fields {
  const stages: Record<string, unknown> = { ...before };
  for (const [stage, name] of Object.entries(STAGES[phase])) {
    const loop = loops.find((one) => one.stage === stage);
    const fields = inner(before[name]);
    if (loop !== undefined) stages[name] = { ...fields, ...tellLoop(loop) };
    // What an earlier playing came to says nothing of this one, which has not come so far.
    else if (fields !== null) stages[name] = withoutLoop(fields);
  }
  const told = Object.entries(stages).filter(([, value]) => value !== undefined);
  return { stages: told.length === 0 ? undefined : Object.fromEntries(told) };
}

/** What others wrote beside what we tell of a loop; undefined: nothing. */
function withoutLoop(fields: Fields): Fields | undefined {
  const { started: _, completed: _c, iterations: _i, approved: _a, reviewerNotes: _r, ...others } = fields;
  return Object.keys(others).length === 0 ? undefined : others;
}

function tellLoop({ started, completed, iterations, approved, notes }: MetaLoop): Fields {
  return {
    started: started.toISOString(),
    completed: completed?.toISOString() ?? null,
    iterations,
    approved,
    reviewerNotes: notes,
  };
}

function parseMeta(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The fields of an object inside; none where there is none; null where something else is in its place. */
function inner(value: unknown): Fields | null {
  if (value === undefined || value === null) return {};
  return isRecord(value) ? value : null;
}

/** How the file is indented. */
function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}
