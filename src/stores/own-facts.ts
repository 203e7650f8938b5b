import type { KeptSession, OwnFacts, SlotRecord } from '../domain/record.ts';
import {
  hasAnyOf,
  hasShape,
  inOrder,
  isAmount,
  isOneOf,
  isOrdinal,
  isText,
  isTexts,
  orNull,
  readShape,
  type Shape,
  USAGE,
} from './shape.ts';

/** What our records have beside what every tool's have. */
type OwnDocument = Pick<SlotRecord, 'gate' | 'slot' | 'iteration'> & OwnFacts;
type Document = Readonly<Record<string, unknown>>;

/** Whether a document has any field that only our records have. */
export function hasOwnFields(document: Document): boolean {
  return hasAnyOf(document, OWN);
}

export function ownDocument({ gate, slot, iteration }: SlotRecord, own: OwnFacts): Document {
  return inOrder({ gate, slot, iteration, ...own }, OWN);
}

/** Null where a field is missing or of the wrong kind. */
export function readOwn(
  document: Document,
): { readonly place: Pick<SlotRecord, 'gate' | 'slot' | 'iteration'>; readonly own: OwnFacts } | null {
  const read = readShape(document, OWN);
  if (read === null) return null;
  const { gate, slot, iteration, ...own } = read;
  return { place: { gate, slot, iteration }, own };
}

const SESSION: Shape<KeptSession> = {
  id: isText,
  agent: isText,
  model: orNull(isText),
  version: isText,
  toolsDigest: isText,
  firstPromptLength: isAmount,
  saw: isText,
  stableDigest: isText,
  usedBefore: orNull(hasShape(USAGE)),
  contextTokens: orNull(isAmount),
  freshTokens: orNull(isAmount),
  lastUsedAt: isText,
  warmMinutes: isAmount,
  shown: isTexts,
};

const OWN: Shape<OwnDocument> = {
  gate: isText,
  slot: isOrdinal,
  iteration: isOrdinal,
  content: isText,
  snapshot: orNull(isText),
  branch: orNull(isText),
  mergeBase: orNull(isText),
  scope: isText,
  promptDigest: isText,
  session: orNull(hasShape(SESSION)),
  dispatch: isOneOf(['fresh', 'resumed', 'none']),
  why: isText,
  parts: isAmount,
  usage: orNull(hasShape(USAGE)),
  durationMs: orNull(isAmount),
  error: orNull(isText),
};
