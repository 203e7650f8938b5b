import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const PROJECT = resolve(import.meta.dirname, '../../..');

/** A block between two lines of backticks; `line` is the number of its first line of text. */
export type Fence = {
  readonly page: string;
  readonly line: number;
  readonly info: string;
  readonly text: string;
};

/** Text between backticks within a sentence or a table, on one line. */
export type Span = { readonly page: string; readonly line: number; readonly text: string };

export type Page = { readonly fences: readonly Fence[]; readonly spans: readonly Span[] };

/** The pages whose commands are tried: all current pages, and any page that is added to docs/. Decisions show no commands. */
export function docPages(): readonly string[] {
  const folder = join(PROJECT, 'docs');
  const inDocs = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.md'))
    .map((one) => relative(PROJECT, join(one.parentPath, one.name)))
    .filter((name) => !name.startsWith('docs/decisions/'));
  return ['README.md', 'CONTRIBUTING.md', 'plugins/onceover/README.md', ...inDocs.sort()];
}

export function readPage(page: string): Page {
  return splitPage(page, readFileSync(join(PROJECT, page), 'utf8'));
}

/** Reads the code of a page as CommonMark does. */
export function splitPage(page: string, markdown: string): Page {
  const fences: { page: string; line: number; info: string; text: string }[] = [];
  const prose: string[] = [];
  let open: { readonly marks: string; readonly indent: number; readonly lines: string[] } | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, indent = '', marks = '', rest = ''] = /^(\s*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open !== null) {
      if (marks.startsWith(open.marks) && rest.trim() === '') {
        const last = fences.at(-1);
        if (last !== undefined) last.text = open.lines.map((one) => `${one}\n`).join('');
        open = null;
      } else open.lines.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
      prose.push('');
    } else if (marks !== '' && !rest.includes('`')) {
      open = { marks, indent: indent.length, lines: [] };
      fences.push({ page, line: index + 2, info: rest.trim(), text: '' });
      prose.push('');
    } else prose.push(line);
  }
  if (open !== null) throw new Error(`${page}: the block that begins before line ${fences.at(-1)?.line} never ends`);
  return { fences, spans: spansIn(page, prose.join('\n')) };
}

function spansIn(page: string, prose: string): readonly Span[] {
  const found: Span[] = [];
  for (const match of prose.matchAll(/(?<!`)(`+)(?!`)((?:(?!\n\s*\n)[\s\S])*?)(?<!`)\1(?!`)/g)) {
    const line = prose.slice(0, match.index).split('\n').length;
    const text = (match[2] ?? '').replace(/\s+/g, ' ').trim().replaceAll('\\|', '|');
    found.push({ page, line, text });
  }
  return found;
}
