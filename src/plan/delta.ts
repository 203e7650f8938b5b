/** How a change is written down for a reviewer that knows what was there before. */
export type DeltaEncoding = 'context-3' | 'context-1' | 'context-0' | 'sentences';

/** A way to write the change down, made only if it is needed; null: it cannot be made in this way. */
export type DeltaCandidate = { readonly encoding: DeltaEncoding; make(): Promise<string | null> };

export type Delta = { readonly encoding: DeltaEncoding; readonly text: string };

/** A delta up to this part of the prompt that opened the session is short enough not to look for a shorter one. */
const SHORT_ENOUGH = 0.25;

/** The first way that is short enough, in the order given; else the shortest. Null: none can be made. */
export async function chooseDelta(
  candidates: readonly DeltaCandidate[],
  firstPromptLength: number,
): Promise<Delta | null> {
  let shortest: Delta | null = null;
  for (const { encoding, make } of candidates) {
    const text = await make();
    if (text === null) continue;
    if (text.length < firstPromptLength * SHORT_ENOUGH) return { encoding, text };
    if (shortest === null || text.length < shortest.text.length) shortest = { encoding, text };
  }
  return shortest;
}
