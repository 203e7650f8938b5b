import type { Failure } from '../kernel/failure.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Acceptance, AcceptedWaiver, PassCarrier, PassRequest, PassTrust, WaiverRequest } from './types.ts';

/** The passes and waivers of other clones that count here. */
export type AcceptedPasses = {
  /** One answer per request, in the same order. */
  readonly passes: readonly Acceptance[];
  /** Waivers by the finding's identity. */
  readonly waivers: ReadonlyMap<string, AcceptedWaiver>;
  /** Why the carrier could not be read; `null` if it could. Every pass is then refused as `unreachable`. */
  readonly failure: Failure | null;
};

/** Passes of other clones. Nothing counts before its signature is verified. */
export interface Passes {
  /** Decides which passes and waivers count, from what the carrier last fetched. */
  accept(requests: readonly PassRequest[], waivers: readonly WaiverRequest[]): Promise<AcceptedPasses>;
  /** Like `accept`, for one gate, and also searches all statements for the reason why none counts. */
  explain(request: PassRequest): Promise<Acceptance>;
}

/** Opens the passes that a carrier brings, judged by the rules of the base branch. */
export declare function openPasses(carrier: PassCarrier, trust: PassTrust, clock: Clock): Passes;
