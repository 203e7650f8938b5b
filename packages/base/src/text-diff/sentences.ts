/** A sentence of a Markdown text. A heading, a table row or a line of code counts as one sentence. */
export type Sentence = {
  /** The words of the sentence, without the line breaks of a wrapped paragraph. */
  readonly text: string;
  /** The number of the line in which the sentence starts, counted from 1. */
  readonly line: number;
  readonly isHeading: boolean;
};

/** Splits a Markdown text into sentences. */
export function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const { kind, raw, line } of blocksOf(text)) {
    if (kind === 'blank') continue;
    let at = line;
    for (const part of kind === 'flow' ? splitFlow(raw) : [raw]) {
      const lines = part.split('\n');
      const words = kind === 'flow' ? joinLines(lines) : part.replace(/\r?\n$/, '');
      sentences.push({ text: words, line: at, isHeading: kind === 'heading' });
      at += lines.length - 1;
    }
  }
  return sentences;
}

/** A part of the text. `flow` is text that may be wrapped: a paragraph, a list item or a quotation. */
type Block = { readonly kind: 'flow' | 'line' | 'heading' | 'blank'; readonly raw: string; readonly line: number };

const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;

const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/;

const ROW_OR_RULE = /^\s*(?:\||(?:=+|-{2,}|(?:[-*_]\s*){3,})$)/;

const INDENTED_CODE = /^(?: {4}|\t)/;

/** Matches two spaces or a backslash at the end of a line. Markdown does not join such a line with the next one. */
const HARD_BREAK = /(?: {2}|\\)\r?\n$/;

/** Returns each paragraph and list item as one block, and all other lines one by one. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  let isOpen = false;
  for (const [n, raw] of (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const line = raw.trimEnd();
    const last = blocks.at(-1);
    const kind: Block['kind'] = fence === null ? kindOf(raw, line, isOpen) : 'line';
    if (fence !== null) fence = closes(line, fence) ? null : fence;
    else if (kind === 'line') fence = openedFence(line);
    if (isOpen && kind === 'flow' && !beginsFlow(line) && last !== undefined) {
      blocks[blocks.length - 1] = { ...last, raw: last.raw + raw };
    } else {
      blocks.push({ kind, raw, line: n + 1 });
    }
    isOpen = kind === 'flow' && !HARD_BREAK.test(raw);
  }
  return blocks;
}

function kindOf(raw: string, line: string, isOpen: boolean): Block['kind'] {
  if (line === '') return 'blank';
  if (HEADING.test(line)) return 'heading';
  if (FENCE.test(line)) return 'line';
  if (beginsFlow(line)) return 'flow';
  if (ROW_OR_RULE.test(line)) return 'line';
  return INDENTED_CODE.test(raw) && !isOpen ? 'line' : 'flow';
}

/** Whether a line starts a list item or belongs to a quotation. Such a line always starts a new block. */
function beginsFlow(line: string): boolean {
  return LIST_MARK.test(`${line} `) || line.trimStart().startsWith('>');
}

function openedFence(line: string): string | null {
  const fence = FENCE.exec(line);
  return fence?.[1] ?? fence?.[2] ?? null;
}

function closes(line: string, fence: string): boolean {
  const marks = line.trimStart();
  return marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length);
}

const SENTENCE_AND_SPACE = /[\s\S]*?(?:[.!?…][)"'\]”’»]*(?:\s+|$)|$)/gu;

/** Splits a paragraph or list item into sentences. The `-` or number of a list item belongs to its first sentence. */
function splitFlow(raw: string): readonly string[] {
  const mark = LIST_MARK.exec(raw)?.[0] ?? '';
  const pieces = raw.slice(mark.length).match(SENTENCE_AND_SPACE) ?? [];
  const [first = '', ...furtherSentences] = pieces.filter((piece) => piece !== '');
  return [mark + first, ...furtherSentences];
}

/** Joins lines with spaces and keeps the indentation of the first. */
function joinLines([first = '', ...furtherLines]: readonly string[]): string {
  return [first.trimEnd(), ...furtherLines.map((line) => line.trim())].join(' ').trimEnd();
}
