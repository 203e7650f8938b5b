import type { Failure } from '@onceover/base/kernel/failure';
import type { Clock } from '@onceover/base/kernel/ports';
import { ok, type Result } from '@onceover/base/kernel/result';
import { decideAccept, findBaseChange } from './decide-accept.ts';
import { decideWaiver } from './decide-waiver.ts';
import { readStatement } from './json-statement.ts';
import type {
  Acceptance,
  AcceptedWaiver,
  PassCarrier,
  PassRequest,
  PassTrust,
  SignedFile,
  WaiverRequest,
} from './types.ts';

/** The passes and waivers from other clones that count in this clone. */
type AcceptedPasses = {
  /** For each request, in the same order, whether a pass counts. */
  readonly passes: readonly Acceptance[];
  /** The accepted waivers by the identity of the waived finding. */
  readonly waivers: ReadonlyMap<string, AcceptedWaiver>;
  /**
   * Why the shared passes could not be read; `null` if they could. If set, every request is refused, usually as
   * `unreachable`.
   */
  readonly failure: Failure | null;
};

/** Passed reviews that other clones share. A pass or waiver counts only after its signature was verified. */
export interface CarriedPasses {
  /**
   * Decides which passes and waivers count, among the files that were last fetched. `stop` aborts requests to an HTTP
   * store.
   */
  accept(
    requests: readonly PassRequest[],
    waivers: readonly WaiverRequest[],
    stop?: AbortSignal | null,
  ): Promise<AcceptedPasses>;
  /** Like `accept`, for one gate. If no pass is found, also searches all stored passes for the reason. */
  explain(request: PassRequest): Promise<Acceptance>;
}

/**
 * How long `explain` may search through all stored passes. Anyone who can push may have added very many, so there must
 * be a limit.
 */
const LONGEST_SEARCH_MS = 5000;

/** Returns the shared passes, judged by the rules of the base branch. */
export function openCarriedPasses(carrier: PassCarrier, trust: PassTrust, clock: Clock): CarriedPasses {
  const accept: CarriedPasses['accept'] = async (requests, waiverRequests, stop = null) => {
    const isWaivable = trust.waiverSigners !== null;
    const searchResult = await findAll(carrier, requests, isWaivable ? waiverRequests : null, stop);
    if (!searchResult.ok) return unreachable(requests, trust, clock.now(), searchResult.failure);
    const files = searchResult.value;
    const now = clock.now();
    const passes = requests.map((request) =>
      decideAccept(request, { passes: files.get(request.subject.content) ?? [], waivers: files }, trust, now),
    );
    return { passes, waivers: waiversIn(files, waiverRequests, trust, now), failure: null };
  };
  return {
    accept,
    async explain(request) {
      const { passes } = await accept([request], []);
      const [answer = NO_STATEMENT] = passes;
      if (answer.kind === 'accepted' || answer.why !== 'no-statement') return answer;
      const carriedFiles = await carrier.all(AbortSignal.timeout(LONGEST_SEARCH_MS));
      return (carriedFiles.ok ? findBaseChange(request, carriedFiles.value, trust, clock.now()) : null) ?? answer;
    },
  };
}

const NO_STATEMENT: Acceptance = { kind: 'refused', why: 'no-statement', statement: null };

type Files = ReadonlyMap<string, readonly SignedFile[]>;

/**
 * Returns the signed files for the gates of `requests` and for the findings of `waiverRequests`, and the waivers on
 * which the found passes depend. If waivers from other clones do not count, `waiverRequests` is `null` and no waiver is
 * looked up.
 */
async function findAll(
  carrier: PassCarrier,
  requests: readonly PassRequest[],
  waiverRequests: readonly WaiverRequest[] | null,
  stop: AbortSignal | null,
): Promise<Result<Files>> {
  const contents = requests.map(({ subject }) => subject.content);
  const keys = new Set([...contents, ...(waiverRequests ?? []).map(({ finding }) => finding)]);
  if (keys.size === 0) return ok(new Map());
  const searchResult = await carrier.find([...keys], stop);
  if (!searchResult.ok || waiverRequests === null) return searchResult;
  const waivedFindings = new Set(
    contents.flatMap((content) => (searchResult.value.get(content) ?? []).flatMap(waivedIn)),
  );
  const missing = [...waivedFindings].filter((finding) => !keys.has(finding)).slice(0, MOST_NAMED);
  if (missing.length === 0) return searchResult;
  const waiverResult = await carrier.find(missing, stop);
  return waiverResult.ok ? ok(new Map([...searchResult.value, ...waiverResult.value])) : waiverResult;
}

/**
 * The maximum number of waivers to look up because passes name them. Anyone may have written these passes, so there
 * must be a limit.
 */
const MOST_NAMED = 1000;

const NOTHING_WAIVED = Buffer.from('"waived":[]');

function waivedIn({ statement }: SignedFile): readonly string[] {
  // Almost no pass depends on a waiver, so return early without parsing if this pass depends on none.
  if (Buffer.from(statement.buffer, statement.byteOffset, statement.byteLength).includes(NOTHING_WAIVED)) return [];
  const result = readStatement(statement);
  return result.ok && result.statement.kind === 'pass' ? result.statement.waived : [];
}

function waiversIn(
  files: Files,
  waiverRequests: readonly WaiverRequest[],
  { waiverSigners }: PassTrust,
  now: Date,
): AcceptedPasses['waivers'] {
  const waivers = new Map<string, AcceptedWaiver>();
  if (waiverSigners === null) return waivers;
  for (const request of waiverRequests) {
    const decision = decideWaiver(request, files.get(request.finding) ?? [], waiverSigners, now);
    if (decision.ok) waivers.set(request.finding, decision.waiver);
  }
  return waivers;
}

// A gate with excluded files must be reviewed in this clone even if the shared passes can be read, so such a gate keeps
// the reason `excluded-path`.
function unreachable(requests: readonly PassRequest[], trust: PassTrust, now: Date, failure: Failure): AcceptedPasses {
  const passes = requests.map((request): Acceptance => {
    const answer = decideAccept(request, { passes: [], waivers: new Map() }, trust, now);
    return answer.kind === 'refused' && answer.why === 'excluded-path'
      ? answer
      : { kind: 'refused', why: 'unreachable', statement: null };
  });
  return { passes, waivers: new Map(), failure };
}
