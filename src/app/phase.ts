import type { PhaseWish } from '../app.ts';
import type { Place } from '../domain/change.ts';
import type { PhaseOutcome, PhasePlan } from '../domain/phase-run.ts';
import { failed, type Result } from '../domain/result.ts';

/** Plays a phase as it is wished. */
export async function playWish(_place: Place, wish: PhaseWish): Promise<Result<PhaseOutcome>> {
  return failed({ kind: 'unknown-phase', name: wish.phase });
}

/** What playing it would do next. */
export async function previewWish(_place: Place, wish: PhaseWish): Promise<Result<PhasePlan>> {
  return failed({ kind: 'unknown-phase', name: wish.phase });
}
