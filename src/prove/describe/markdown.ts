import { oneLine } from '../../kernel/escape.ts';
import { exposureOf } from '../judge/scores.ts';
import type { PlayedProve } from '../result-types.ts';
import { comparisonText, EXPOSED, proofNotes, scoreRows, wrongResults } from './proof.ts';

/** Returns a proof as Markdown, for a file or a comment. */
export function proofMarkdown(played: PlayedProve): string {
  const gates = played.proofs.flatMap((proof) => {
    const exposed = exposureOf(proof.scores);
    return [
      `## ${cell(proof.gate)}`,
      '',
      ...(exposed === null ? [] : [`**${cell(EXPOSED[exposed](proof.scores))}**`, '']),
      '| score | of how many, with the 95 % interval |',
      '|---|---|',
      ...scoreRows(proof).map(([label, text]) => `| ${cell(label)} | ${cell(text)} |`),
      '',
      ...proof.comparisons.flatMap((one) => [cell(comparisonText(one)), '']),
      ...listOf(wrongResults(proof, played.results).map((line) => `- ${cell(line)}`)),
    ];
  });
  return `${['# What the reviewers catch', '', ...gates, ...proofNotes(played).map(cell)].join('\n')}\n`;
}

/** Returns a list with an empty line after it, unless it is empty. */
function listOf(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Returns a text as one line without Markdown of its own, because titles come from the repository. */
function cell(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`);
}
