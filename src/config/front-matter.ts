import type { PlacedProblem } from './yaml-file.ts';

/** A Markdown text taken apart; `shift` is how many lines of the file stand before the front matter. */
export type FrontMatter =
  | {
      readonly ok: true;
      readonly yaml: string;
      readonly shift: number;
      readonly body: string;
      readonly bodyLine: number;
    }
  | { readonly ok: false; readonly problem: PlacedProblem };

const FENCE = /^---[ \t]*$/;

/** Separates the front matter from the text below it; a file need not have one. */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n/);
  if (!FENCE.test(lines[0] ?? '')) return { ok: true, yaml: '', shift: 0, body: lines.join('\n'), bodyLine: 1 };
  const end = lines.findIndex((line, i) => i > 0 && FENCE.test(line));
  if (end === -1) {
    const said = 'the front matter that begins here is not ended by a second "---"';
    return { ok: false, problem: { line: 1, column: 1, what: { kind: 'syntax', said } } };
  }
  const yaml = lines.slice(1, end).join('\n');
  return { ok: true, yaml: `${yaml}\n`, shift: 1, body: lines.slice(end + 1).join('\n'), bodyLine: end + 2 };
}
