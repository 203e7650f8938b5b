import type { Database } from '@onceover/store/connect';
import type { StoreKeep } from '@onceover/store/user-config';

/** The maximum number of rows that one round deletes from a table, so that it never holds locks for long. */
const MOST_CALLS = 1000;
const MOST_SNAPSHOTS = 50;

/**
 * Deletes old rows from the queue's tables: ended agent calls, their attempts, unused snapshots, and workers that are
 * gone.
 */
export async function pruneCalls({ query }: Database, { callsDays, snapshotHours }: StoreKeep): Promise<void> {
  // Open agent calls stay, however old they are. The database deletes the list of waiting clients together with a call.
  await query(
    `DELETE FROM onceover.calls WHERE id IN (
       SELECT id FROM onceover.calls
       WHERE ended_at < now() - make_interval(days => $1) AND state IN ('answered', 'failed', 'cancelled')
       ORDER BY ended_at LIMIT ${MOST_CALLS} FOR UPDATE SKIP LOCKED)`,
    [callsDays],
  );
  // Ids grow with time, so the oldest attempts are found without an index on the time.
  await query(
    `DELETE FROM onceover.call_starts WHERE id IN (
       SELECT id FROM (SELECT id, beat_at FROM onceover.call_starts ORDER BY id LIMIT ${MOST_CALLS}) AS oldest
       WHERE beat_at < now() - make_interval(days => $1))`,
    [callsDays],
  );
  await query(
    `DELETE FROM onceover.snapshots WHERE (repository, tree, base) IN (
       SELECT repository, tree, base FROM onceover.snapshots
       WHERE used_at < now() - make_interval(hours => $1) LIMIT ${MOST_SNAPSHOTS} FOR UPDATE SKIP LOCKED)`,
    [snapshotHours],
  );
  await query("DELETE FROM onceover.workers WHERE seen_at < now() - interval '1 day'");
}
