/** A sentence of a Markdown text; a heading, a row of a table and a line of code are one each. */
export type Sentence = {
  /** Its words: how a paragraph is wrapped makes no difference. */
  readonly text: string;
  /** As it is written, with the space after it. */
  readonly raw: string;
  /** Where it begins, from 1. */
  readonly line: number;
  /** Numbers the paragraph, item or line that it belongs to. */
  readonly block: number;
  readonly isHeading: boolean;
};

/** The sentences of a Markdown text; as they are written, one after the other, they are the text. */
export function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let lead = '';
  for (const [block, { kind, raw, line }] of blocksOf(text).entries()) {
    if (kind === 'blank') {
      const last = sentences.pop();
      if (last === undefined) lead += raw;
      else sentences.push({ ...last, raw: last.raw + raw });
      continue;
    }
    let at = line;
    for (const part of kind === 'flow' ? splitFlow(raw) : [raw]) {
      const lines = part.split('\n');
      const words = kind === 'flow' ? joined(lines) : part.replace(/\r?\n$/, '');
      sentences.push({ text: words, raw: lead + part, line: at, block, isHeading: kind === 'heading' });
      lead = '';
      at += lines.length - 1;
    }
  }
  return sentences;
}

type Block = { readonly kind: 'flow' | 'line' | 'heading' | 'blank'; readonly raw: string; readonly line: number };

const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/;
const ROW_OR_RULE = /^\s*(?:\||(?:=+|-{2,}|(?:[-*_]\s*){3,})$)/;
const INDENTED_CODE = /^(?: {4}|\t)/;
/** Two spaces or a backslash keep a line from being joined with the next. */
const HARD_BREAK = /(?: {2}|\\)\r?\n$/;

/** Paragraphs and items as a whole, everything else line by line. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let fence: string | null = null;
  let isOpen = false;
  for (const [n, raw] of (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const line = raw.trimEnd();
    const last = blocks.at(-1);
    const kind: Block['kind'] = fence === null ? kindOf(raw, line, isOpen) : 'line';
    if (fence !== null) fence = closes(line, fence) ? null : fence;
    else if (kind === 'line') fence = fenceOf(line);
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

/** An item of a list or a line of a quotation never goes on with what stands before it. */
function beginsFlow(line: string): boolean {
  return LIST_MARK.test(`${line} `) || line.trimStart().startsWith('>');
}

function fenceOf(line: string): string | null {
  const found = FENCE.exec(line);
  return found?.[1] ?? found?.[2] ?? null;
}

function closes(line: string, fence: string): boolean {
  const marks = line.trimStart();
  return marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length);
}

/** The space after a sentence belongs to it. */
const SENTENCE = /[\s\S]*?(?:[.!?…][)"'\]”’»]*(?:\s+|$)|$)/gu;

/** The sentences of a paragraph or item; the mark of an item is no sentence. */
function splitFlow(raw: string): readonly string[] {
  const mark = LIST_MARK.exec(raw)?.[0] ?? '';
  const [first = '', ...rest] =
    raw
      .slice(mark.length)
      .match(SENTENCE)
      ?.filter((one) => one !== '') ?? [];
  return [mark + first, ...rest];
}

/** Lines as one; how far the first is indented is kept. */
function joined([first = '', ...rest]: readonly string[]): string {
  return [first.trimEnd(), ...rest.map((line) => line.trim())].join(' ').trimEnd();
}
