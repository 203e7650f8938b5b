/** How a change is written down for a reviewer that knows what was there before. */
export type DeltaEncoding = 'context-3' | 'context-1' | 'context-0' | 'sentences';

/** A way to write the change down, made only if it is needed; null: it cannot be made in this way. */
export type DeltaCandidate = { readonly encoding: DeltaEncoding; make(): Promise<string | null> };

export type Delta = { readonly encoding: DeltaEncoding; readonly text: string };

/**
 * A delta is short enough not to look for a shorter one up to this part of the prompt that opened the session, and up to so many
 * characters whatever that had.
 */
const SHORT_ENOUGH = { part: 0.1, characters: 800 };

/** The first way that is short enough, in the order given; else the shortest. Null: none can be made. */
export async function chooseDelta(
  candidates: readonly DeltaCandidate[],
  firstPromptLength: number,
): Promise<Delta | null> {
  const enough = Math.max(SHORT_ENOUGH.characters, firstPromptLength * SHORT_ENOUGH.part);
  let shortest: Delta | null = null;
  for (const { encoding, make } of candidates) {
    const text = await make();
    if (text === null) continue;
    if (text.length < enough) return { encoding, text };
    if (shortest === null || text.length < shortest.text.length) shortest = { encoding, text };
  }
  return shortest;
}
