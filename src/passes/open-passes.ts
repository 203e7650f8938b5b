import type { Failure } from '../kernel/failure.ts';
import type { Clock } from '../kernel/ports.ts';
import { ok, type Result } from '../kernel/result.ts';
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

/** The passes and waivers of other clones that count here. */
type AcceptedPasses = {
  /** One answer per request, in the same order. */
  readonly passes: readonly Acceptance[];
  /** Waivers by the finding's identity. */
  readonly waivers: ReadonlyMap<string, AcceptedWaiver>;
  /** Why the carrier could not be read; `null` if it could. Every pass is then refused as `unreachable`. */
  readonly failure: Failure | null;
};

/** Passes of other clones. Nothing counts before its signature is verified. */
export interface CarriedPasses {
  /** Decides which passes and waivers count, from what the carrier last fetched. `stop` ends calls to an HTTP store. */
  accept(
    requests: readonly PassRequest[],
    waivers: readonly WaiverRequest[],
    stop?: AbortSignal | null,
  ): Promise<AcceptedPasses>;
  /** Like `accept`, for one gate, and also searches all statements for the reason why none counts. */
  explain(request: PassRequest): Promise<Acceptance>;
}

/** How long `explain` searches all statements. Anyone who can push may have stored very many. */
const LONGEST_SEARCH_MS = 5000;

/** Opens the passes that a carrier brings, judged by the rules of the base branch. */
export function openCarriedPasses(carrier: PassCarrier, trust: PassTrust, clock: Clock): CarriedPasses {
  const accept: CarriedPasses['accept'] = async (requests, wanted, stop = null) => {
    const isWaivable = trust.waiverSigners !== null;
    const found = await findAll(carrier, requests, isWaivable ? wanted : null, stop);
    if (!found.ok) return unreachable(requests, trust, clock.now(), found.failure);
    const files = found.value;
    const now = clock.now();
    const passes = requests.map((request) =>
      decideAccept(request, { passes: files.get(request.subject.content) ?? [], waivers: files }, trust, now),
    );
    return { passes, waivers: waiversIn(files, wanted, trust, now), failure: null };
  };
  return {
    accept,
    async explain(request) {
      const { passes } = await accept([request], []);
      const [answer = NO_STATEMENT] = passes;
      if (answer.kind === 'accepted' || answer.why !== 'no-statement') return answer;
      const all = await carrier.all(AbortSignal.timeout(LONGEST_SEARCH_MS));
      return (all.ok ? findBaseChange(request, all.value, trust, clock.now()) : null) ?? answer;
    },
  };
}

const NO_STATEMENT: Acceptance = { kind: 'refused', why: 'no-statement', statement: null };

type Files = ReadonlyMap<string, readonly SignedFile[]>;

/**
 * Returns the files about the gates and findings, and those about findings that the passes among them name as waived.
 * `wanted` is `null` if waivers of other clones do not count.
 */
async function findAll(
  carrier: PassCarrier,
  requests: readonly PassRequest[],
  wanted: readonly WaiverRequest[] | null,
  stop: AbortSignal | null,
): Promise<Result<Files>> {
  const contents = requests.map(({ subject }) => subject.content);
  const keys = new Set([...contents, ...(wanted ?? []).map(({ finding }) => finding)]);
  if (keys.size === 0) return ok(new Map());
  const found = await carrier.find([...keys], stop);
  if (!found.ok || wanted === null) return found;
  const named = new Set(contents.flatMap((content) => (found.value.get(content) ?? []).flatMap(waivedIn)));
  const missing = [...named].filter((finding) => !keys.has(finding)).slice(0, MOST_NAMED);
  if (missing.length === 0) return found;
  const more = await carrier.find(missing, stop);
  return more.ok ? ok(new Map([...found.value, ...more.value])) : more;
}

/** The limit for findings that are looked up because a statement of anyone names them. */
const MOST_NAMED = 1000;

const NOTHING_WAIVED = Buffer.from('"waived":[]');

function waivedIn({ statement }: SignedFile): readonly string[] {
  // Almost every pass depends on no waiver, so do not parse it here.
  if (Buffer.from(statement.buffer, statement.byteOffset, statement.byteLength).includes(NOTHING_WAIVED)) return [];
  const read = readStatement(statement);
  return read.ok && read.statement.kind === 'pass' ? read.statement.waived : [];
}

function waiversIn(
  files: Files,
  wanted: readonly WaiverRequest[],
  { waiverSigners }: PassTrust,
  now: Date,
): AcceptedPasses['waivers'] {
  const waivers = new Map<string, AcceptedWaiver>();
  if (waiverSigners === null) return waivers;
  for (const request of wanted) {
    const decided = decideWaiver(request, files.get(request.finding) ?? [], waiverSigners, now);
    if (decided.ok) waivers.set(request.finding, decided.waiver);
  }
  return waivers;
}

// A gate with excluded files is reviewed here even if the carrier works, so that reason stays.
function unreachable(requests: readonly PassRequest[], trust: PassTrust, now: Date, failure: Failure): AcceptedPasses {
  const passes = requests.map((request): Acceptance => {
    const answer = decideAccept(request, { passes: [], waivers: new Map() }, trust, now);
    return answer.kind === 'refused' && answer.why === 'excluded-path'
      ? answer
      : { kind: 'refused', why: 'unreachable', statement: null };
  });
  return { passes, waivers: new Map(), failure };
}
