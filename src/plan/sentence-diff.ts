import { type ChangePart, sentenceChanges } from './sentence-changes.ts';
import type { Sentence } from './sentences.ts';

/** How a text was changed, sentence by sentence, in the manner of a unified diff without context; empty where it was not. */
export function sentenceDiff(before: string, after: string): string {
  const { changes, isRewrapped } = sentenceChanges(before, after);
  const lines: string[] = [];
  let under = '';
  for (const { before: from, after: to, heading, parts } of changes) {
    lines.push(`@@ line ${from} -> ${to} @@${heading === under ? '' : ` ${heading.trim()}`}`);
    for (const part of parts) lines.push(...tellPart(part));
    under = heading;
  }
  if (isRewrapped) lines.push(`=${lines.length === 0 ? 'Only' : 'Elsewhere only'} line breaks and spaces differ.`);
  return lines.length === 0 ? '' : [LEGEND, ...lines].join('\n');
}

const LEGEND = 'By sentence: -gone, +new, ~reworded ([-before-]{+after+}), >moved, =same words.';

function tellPart(part: ChangePart): readonly string[] {
  switch (part.kind) {
    case 'removed':
      return byBlock(part.sentences).map((text) => `-${text}`);
    case 'added':
      return byBlock(part.sentences).map((text) => `+${text}`);
    case 'reworded':
      return [`~${part.told}`];
    case 'moved': {
      const quotes = part.sentences.map(({ text }) => `"${clip(text)}"`);
      return [`>from line ${part.from}, word for word: ${[...new Set([quotes[0], quotes.at(-1)])].join(' to ')}`];
    }
  }
}

/** Sentences of one paragraph or item in one line. */
function byBlock(sentences: readonly Sentence[]): readonly string[] {
  const lines: string[] = [];
  for (const [n, { text, block }] of sentences.entries()) {
    if (n > 0 && sentences[n - 1]?.block === block) lines.push(`${lines.pop()} ${text}`);
    else lines.push(text);
  }
  return lines;
}

const LONGEST_QUOTE = 60;

function clip(text: string): string {
  const characters = [...text.slice(0, 2 * LONGEST_QUOTE)];
  return characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE).join('')}…` : text.trim();
}
