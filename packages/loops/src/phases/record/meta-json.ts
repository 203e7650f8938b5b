import { isRecord } from '@onceover/base/kernel/json';
import type { PhaseName, PhaseStage } from '@onceover/base/kernel/review-loops';
import type { MetaUpdate } from '../types.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the new text of `.meta.json`, with the fields of this phase. Other fields of the old text `before` stay, if
 * it is readable.
 */
export function mergeMeta(
  before: string | null,
  update: MetaUpdate,
): { readonly text: string; readonly isReadable: boolean } {
  const meta = before === null ? null : parseMeta(before);
  const phases = meta && inner(meta['phases']);
  const phase = phases && inner(phases[update.phase]);
  const stages = phase && inner(phase['stages']);
  if (meta === null || stages === null) return { ...mergeMeta('', update), isReadable: false };
  const { resuming, completed } = update;
  const { r1_deferred_reason: _outdated, ...others } = meta;
  const nextMeta = {
    ...(resuming.kind === 'works' ? others : meta),
    ...(completed === null ? {} : { lastCompletedPhase: update.phase }),
    ...(resuming.kind === 'deferred' ? { r1_deferred_reason: resuming.why } : {}),
    phases: {
      ...phases,
      [update.phase]: {
        ...phase,
        started: update.started,
        completed,
        iterations: update.loops.reduce((sum, loop) => sum + loop.iterations, 0),
        reviewerNotes: update.reviewerNotes,
        ...describeStages(update, stages),
      },
    },
  };
  return { isReadable: true, text: `${JSON.stringify(nextMeta, null, indentOf(before ?? ''))}\n` };
}

/**
 * Reads `.meta.json`. `source` is the path of the PRD (product requirements document) in it. Returns null if the text
 * is unreadable.
 */
export function readMeta(text: string): { readonly source: string | null } | null {
  const meta = parseMeta(text);
  const source = meta?.['brainstorm_source'];
  return meta && { source: typeof source === 'string' && source.trim() !== '' ? source.trim() : null };
}

const STAGES: Readonly<Record<PhaseName, Readonly<Partial<Record<PhaseStage, string>>>>> = {
  specify: { domain: 'specReview', phase: 'phaseReview' },
  design: { domain: 'designReview', phase: 'handoffReview' },
  'create-plan': { domain: 'planReview', phase: 'chainReview' },
  'create-tasks': { domain: 'taskReview', phase: 'chainReview' },
  implement: {},
};

function describeStages({ phase, loops }: MetaUpdate, before: Fields): Fields {
  const stages: Record<string, unknown> = { ...before };
  for (const [stage, name] of Object.entries(STAGES[phase])) {
    const loop = loops.find((candidate) => candidate.stage === stage);
    const fields = inner(before[name]);
    if (loop !== undefined) {
      const { stage: _, ...loopFields } = loop;
      stages[name] = { ...fields, ...loopFields };
    } else if (fields !== null) {
      // This run has not reached the loop yet, so remove the result of an earlier run.
      stages[name] = withoutLoop(fields);
    }
  }
  const definedStages = Object.entries(stages).filter(([, value]) => value !== undefined);
  return { stages: definedStages.length === 0 ? undefined : Object.fromEntries(definedStages) };
}

/** Returns the fields that other tools wrote, without those of onceover; undefined if there are none. */
function withoutLoop(fields: Fields): Fields | undefined {
  const { started: _, completed: _c, iterations: _i, approved: _a, reviewerNotes: _r, ...others } = fields;
  return Object.keys(others).length === 0 ? undefined : others;
}

function parseMeta(text: string): Fields | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns a nested object: an empty object if the value is missing, null if it is not an object. */
function inner(value: unknown): Fields | null {
  if (value === undefined || value === null) return {};
  return isRecord(value) ? value : null;
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}
