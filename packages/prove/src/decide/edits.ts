import type { RepoPath } from '@onceover/base/kernel/ids';
import type { BugClass, BugPlace } from '../types.ts';

/** A node of a syntax tree, in the same form for every parser. Offsets count UTF-16 code units. */
export type SyntaxNode = {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
  /** Returns the child node whose role is `name`, such as `condition`; `null` if there is none. */
  field(name: string): SyntaxNode | null;
};

/**
 * An edit that replaces a part of a text. `class` is the kind of the planted bug; `null` for a harmless edit that keeps
 * the behaviour.
 */
export type SourceEdit = {
  readonly class: BugClass | null;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly says: string;
};

/** A rule that finds the possible edits at one syntax node. */
export type EditRule = (node: SyntaxNode, source: string, parents: readonly SyntaxNode[]) => readonly SourceEdit[];

/** Returns all edits that the rules find in a syntax tree, except those that would not change the text. */
export function findEdits(root: SyntaxNode, source: string, rules: readonly EditRule[]): readonly SourceEdit[] {
  const edits: SourceEdit[] = [];
  const open: { readonly node: SyntaxNode; readonly parents: readonly SyntaxNode[] }[] = [{ node: root, parents: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parents } = next;
    for (const rule of rules) edits.push(...rule(node, source, parents));
    const inner = [node, ...parents];
    for (const child of node.children) open.push({ node: child, parents: inner });
  }
  const changing = edits.filter(({ start, end, text }) => source.slice(start, end) !== text);
  return changing.sort((a, b) => a.start - b.start || a.end - b.end);
}

export function nodeText(node: SyntaxNode, source: string): string {
  return source.slice(node.start, node.end);
}

/** Returns an edit that replaces a syntax node with other text. */
export function replaced(node: SyntaxNode, text: string, kind: BugClass | null, says: string): SourceEdit {
  return { class: kind, start: node.start, end: node.end, text, says };
}

/**
 * Returns an edit that removes a statement. The edit also removes lines that would be left empty, a comment above the
 * statement, and one of two blank lines, because these would reveal the edit.
 */
export function removed(node: SyntaxNode, source: string, kind: BugClass, says: string): SourceEdit {
  const lineStart = source.lastIndexOf('\n', node.start - 1) + 1;
  const after = /^[ \t]*;?[ \t]*(?:\r?\n|$)/.exec(source.slice(node.end));
  const isAlone = source.slice(lineStart, node.start).trim() === '' && after !== null;
  if (!isAlone) return { class: kind, start: node.start, end: node.end, text: '', says };
  const end = node.end + after[0].length;
  let start = lineStart;
  while (COMMENT.test(lineBefore(source, start))) start -= lineBefore(source, start).length;
  const opens = start === 0 || /(?:^|[{:(])\s*$/.test(lineBefore(source, start));
  const [blank = ''] = opens ? (/^[ \t]*\r?\n/.exec(source.slice(end)) ?? []) : [];
  return { class: kind, start, end: end + blank.length, text: '', says };
}

const COMMENT = /^[ \t]*(?:\/\/|#)/;

/** Returns the line that ends at an offset, including its line break. */
function lineBefore(source: string, offset: number): string {
  return source.slice(source.lastIndexOf('\n', offset - 2) + 1, offset);
}

/** Returns the text after an edit. */
export function applyEdit(source: string, { start, end, text }: Pick<SourceEdit, 'start' | 'end' | 'text'>): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Returns the text after several edits that do not overlap. */
export function applyEdits(source: string, edits: readonly SourceEdit[]): string {
  return [...edits].sort((a, b) => b.start - a.start).reduce(applyEdit, source);
}

/** Returns the line numbers of an edit in the edited text. For removed lines, these are the lines around the gap. */
export function placeOf(file: RepoPath, source: string, edit: SourceEdit): BugPlace {
  const from = lineAt(source, edit.start);
  if (edit.text.trim() === '') return { file, from: Math.max(1, from - 1), to: from };
  return { file, from, to: from + edit.text.split('\n').length - 1 };
}

/** Returns the number of the line at an offset, counted from 1. */
export function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) line++;
  return line;
}
