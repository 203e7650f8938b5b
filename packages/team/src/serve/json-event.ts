import * as z from 'zod';
import { CHECK_MODES, type ReviewRequest, type ServerEvent } from './types.ts';

/** Returns a server event as one line of JSON, for programs that collect logs. */
export function jsonServerEvent(event: ServerEvent, at: Date): string {
  const level = event.kind === 'bug' || event.kind === 'store-lost' ? 'error' : 'info';
  return JSON.stringify({ at: at.toISOString(), level, ...event });
}

const request = z.strictObject({ checks: z.enum(CHECK_MODES), isFork: z.boolean(), base: z.string().min(1) });

/** Reads the request that the server sends to a run's process; returns `null` if the value is not such a request. */
export function readReviewRequest(value: unknown): ReviewRequest | null {
  const result = request.safeParse(value);
  return result.success ? result.data : null;
}
