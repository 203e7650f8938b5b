import type { RepoPath } from '../../kernel/ids.ts';
import type { BugClass, BugPlace } from '../types.ts';

/** A node of a syntax tree, the same for every parser. Offsets count UTF-16 characters. */
export type SyntaxNode = {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
  /** Returns the child with this role, such as `condition`; `null` if there is none. */
  field(name: string): SyntaxNode | null;
};

/** Replaces a part of a text. `class: null` marks a trap: an edit that keeps the behaviour. */
export type SourceEdit = {
  readonly class: BugClass | null;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly says: string;
};

/** Finds the possible edits at one node. */
export type EditRule = (node: SyntaxNode, source: string, parents: readonly SyntaxNode[]) => readonly SourceEdit[];

/** Returns all edits that the rules find in a tree. */
export function findEdits(root: SyntaxNode, source: string, rules: readonly EditRule[]): readonly SourceEdit[] {
  const found: SourceEdit[] = [];
  const open: { readonly node: SyntaxNode; readonly parents: readonly SyntaxNode[] }[] = [{ node: root, parents: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parents } = next;
    for (const rule of rules) found.push(...rule(node, source, parents));
    const inner = [node, ...parents];
    for (const child of node.children) open.push({ node: child, parents: inner });
  }
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

export function nodeText(node: SyntaxNode, source: string): string {
  return source.slice(node.start, node.end);
}

/** Returns an edit that replaces a node by other text. */
export function replaced(node: SyntaxNode, text: string, kind: BugClass | null, says: string): SourceEdit {
  return { class: kind, start: node.start, end: node.end, text, says };
}

/** Returns an edit that removes a statement, with its whole lines if nothing else is on them. */
export function removed(node: SyntaxNode, source: string, kind: BugClass, says: string): SourceEdit {
  const lineStart = source.lastIndexOf('\n', node.start - 1) + 1;
  const after = /^[ \t]*;?[ \t]*(?:\r?\n|$)/.exec(source.slice(node.end));
  const isAlone = source.slice(lineStart, node.start).trim() === '' && after !== null;
  if (!isAlone) return { class: kind, start: node.start, end: node.end, text: '', says };
  return { class: kind, start: lineStart, end: node.end + (after?.[0].length ?? 0), text: '', says };
}

/** Returns the text after an edit. */
export function applyEdit(source: string, { start, end, text }: Pick<SourceEdit, 'start' | 'end' | 'text'>): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Returns the text after several edits that do not overlap. */
export function applyEdits(source: string, edits: readonly SourceEdit[]): string {
  return [...edits].sort((a, b) => b.start - a.start).reduce(applyEdit, source);
}

/** Returns the lines of an edit in the new text. For removed lines, these are the lines around the gap. */
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

/** Names of calls that check permission or input. Removing such a call is a bug without any other trace. */
export const CHECKS_INPUT =
  /^(?:assert|check|validate|ensure|verify|require(?!$)|authori[sz]e|authenticate|saniti[sz]e|must|guard)[A-Z_]?\w*$|^(?:assert|validate|authori[sz]e|verify|saniti[sz]e|ensure)$/i;

/** Names of calls that release something. */
export const RELEASES =
  /^(?:close|closeSync|end|release|dispose|destroy|unlock|unsubscribe|clearTimeout|clearInterval|removeEventListener|removeListener|off|disconnect|cleanup|clean_up|shutdown|Close|Unlock|RUnlock|Release|Stop|Done|free|rollback|Rollback)$/;

/** Factors that convert units, such as seconds to milliseconds. */
export const UNIT_FACTOR = /^(?:1000|1_000|1e3|60|3600|3_600|86400|86_400|24|1024|1_024|100|1000000|1_000_000)$/;
