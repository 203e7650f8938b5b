import type { output, ZodType } from 'zod';
import type { Position } from '../domain/problem.ts';
import { type Findings, type ForeignFile, isWritable, readForeignYaml } from './foreign-file.ts';
import { splitFrontMatter } from './front-matter.ts';

/** A Markdown file of another tool: what its front matter says, and its text byte for byte. */
export type ForeignMarkdown<T> = ForeignFile<T> & { readonly body: string; readonly top: Position };

export function readForeignMarkdown<T extends ZodType>(
  file: string,
  markdown: string,
  schema: T,
  findings: Findings,
): ForeignMarkdown<output<T>> | null {
  const split = splitFrontMatter(markdown);
  if (!split.ok) {
    findings.problems.push({ file, ...split.problem });
    return null;
  }
  const found = readForeignYaml(file, split.yaml, schema, findings, split.shift);
  const top: Position = { file, line: 1, column: 1 };
  const body = fromLine(markdown, split.bodyLine);
  if (found === null || !isWritable(body, top, 'the file', findings)) return null;
  return { ...found, body, top };
}

/** The text from a line on, with its line breaks as they are. */
function fromLine(text: string, line: number): string {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf('\n', at);
    if (end === -1) return '';
    at = end + 1;
  }
  return text.slice(at);
}
